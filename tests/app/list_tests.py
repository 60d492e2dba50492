#!/usr/bin/env python3
"""Prints the tests of a script, one `Class.test_method` a line, without importing it: what CTest is to run.

Usage: list_tests.py SCRIPT
"""

import ast
import pathlib
import sys


def tests_of(text):
    """Names of the test methods in the order of the source. Raises ValueError where a test would be run twice or never."""
    found, classes_with_tests = [], set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "setattr":
            raise ValueError(f"line {node.lineno}: tests that setattr adds would not be found")
    for node in ast.parse(text).body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test"):
            raise ValueError(f"line {node.lineno}: {node.name} is in no class")
        if not isinstance(node, ast.ClassDef):
            continue
        for base in node.bases:
            if isinstance(base, ast.Name) and base.id in classes_with_tests:
                raise ValueError(f"line {node.lineno}: {node.name} inherits the tests of {base.id}")
        names = [part.name for part in node.body
                 if isinstance(part, ast.FunctionDef) and part.name.startswith("test")]
        if len(set(names)) < len(names):
            raise ValueError(f"line {node.lineno}: {node.name} has two tests of one name")
        if names:
            classes_with_tests.add(node.name)
        found += [f"{node.name}.{name}" for name in names]
    if not found:
        raise ValueError("no tests")
    return found


if __name__ == "__main__":
    script = pathlib.Path(sys.argv[1])
    try:
        print("\n".join(tests_of(script.read_text())))
    except (ValueError, SyntaxError) as error:
        sys.exit(f"{script}: {error}")
