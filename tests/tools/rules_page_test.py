#!/usr/bin/env python3
"""The tests that docs/rules.md names exist in the sources under tests/, so that the page cannot rot."""

import fnmatch
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "app"))

from list_tests import tests_of  # noqa: E402

SOURCES = ("*.cpp", "*.cu", "*.hpp", "*.cuh")
GOOGLE_TEST = re.compile(r"^(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\s*\)", re.MULTILINE)
INSTANCE = re.compile(r"^INSTANTIATE_(?:TYPED_)?TEST_SUITE_P\(\s*(\w+),\s*(\w+)\b", re.MULTILINE)
CTEST = re.compile(r"\badd_test\(\s*NAME\s+([\w.]+)(?=\s)")


def google_tests(text):
    """Suite.Test of a source, and Prefix/Suite.Test of the suites that it instantiates."""
    plain = [f"{suite}.{test}" for suite, test in GOOGLE_TEST.findall(text)]
    instances = [f"{prefix}/{name}" for prefix, suite in INSTANCE.findall(text) for name in plain if name.startswith(suite + ".")]
    return {*plain, *instances}


def known_tests(folder):
    """All that a rule may name: tests of GoogleTest, Class.method of scripts, and tests of CTest that are neither."""
    known = set()
    for pattern in SOURCES:
        for path in folder.rglob(pattern):
            known |= google_tests(path.read_text())
    for path in folder.rglob("*_test.py"):
        text = path.read_text()
        if "import unittest" in text:  # the table of bad inputs is not
            known |= set(tests_of(text))
    for path in folder.rglob("CMakeLists.txt"):
        known |= set(CTEST.findall(path.read_text()))
    return known


def names_of(page):
    """(line, name) of each test in the tables of a page: those in backquotes in the last column, which is headed tests. Raises ValueError for a row without any."""
    header = None
    for number, line in enumerate(page.splitlines(), 1):
        if not line.startswith("|"):
            header = None
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if header is None:
            header = cells
        elif header[-1] == "tests" and set(cells[-1]) != {"-"}:
            names = re.findall(r"`([^`]+)`", cells[-1])
            if len(cells) != len(header) or not names:
                raise ValueError(f"line {number}: a rule without tests")
            yield from ((number, name) for name in names)


def exists(name, known):
    """Whether a name, in which * stands for anything, is that of a test or of a suite or class that has some."""
    return any(fnmatch.fnmatchcase(test, pattern) for test in known for pattern in (name, name + ".*"))


def unknown_names(page, known):
    return [f"line {line}: {name}" for line, name in names_of(page) if not exists(name, known)]


class RulesPage(unittest.TestCase):
    def test_names_tests_that_exist(self):
        page = (ROOT / "docs" / "rules.md").read_text()
        self.assertEqual(unknown_names(page, known_tests(ROOT / "tests")), [])
        self.assertGreater(len(list(names_of(page))), 50)


class Names(unittest.TestCase):
    SOURCE = """
TEST(Alone, IsFound) {
TEST_F(
    Fixture, OnTwoLines) {
  TEST(Indented, IsNoTest)
// TEST(Remark, IsNoTest) {}
TEST_P(Suite, First) {}
TEST_P(Suite, Second) {}
INSTANTIATE_TEST_SUITE_P(
    Sizes, Suite, testing::Values(1, 2));
"""

    def test_of_a_source(self):
        self.assertEqual(google_tests(self.SOURCE),
                         {"Alone.IsFound", "Fixture.OnTwoLines", "Suite.First", "Suite.Second", "Sizes/Suite.First", "Sizes/Suite.Second"})

    def test_of_a_page(self):
        page = "# A\n\n`Remark`\n\n| rule | how | tests |\n|---|---|---|\n| a | `mix_of` | `A.B`, `C` |\n| b | c | `D.test_e*` |\n\n| x | y |\n|---|---|\n| `z` | `z` |\n"
        self.assertEqual(list(names_of(page)), [(7, "A.B"), (7, "C"), (8, "D.test_e*")])

    def test_that_a_rule_lacks_are_missed(self):
        for row in ("| a | b | c |", "| a | b | |", "| a | b | c | `D` |"):
            with self.subTest(row=row), self.assertRaisesRegex(ValueError, "line 3: a rule without tests"):
                list(names_of(f"| rule | how | tests |\n|---|---|---|\n{row}\n"))

    def test_are_those_of_tests_suites_and_instances(self):
        known = google_tests(self.SOURCE)
        for name in ("Alone", "Alone.IsFound", "Suite.*", "Suite.F*", "Sizes/Suite", "Sizes/Suite.First"):
            self.assertTrue(exists(name, known), name)
        for name in ("Alon", "Alone.Is", "Alone.IsLost", "Suite.T*", "Sizes", "Shapes/Suite", "alone"):
            self.assertFalse(exists(name, known), name)


if __name__ == "__main__":
    unittest.main()
