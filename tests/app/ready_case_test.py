#!/usr/bin/env python3
"""Runs one of the ready cases for a few steps.

Usage: ready_case_test.py BANKFULL_BINARY SCHEMA_OF_RESULTS FOLDER_OF_CASES NAME_OF_CASE [-- arguments of unittest]
"""

import re
import sys
import unittest

import convect_test
from script_arguments import OWN_ARGUMENTS, UNITTEST_ARGUMENTS

NAME = OWN_ARGUMENTS[3]


class ReadyCase(convect_test.Convect):
    def test_takes_a_few_steps(self):
        """On a grid of fewer cells where it has many."""
        cells = re.search(r"cells = \[(.*?)\]", (convect_test.CASES / f"{NAME}.toml").read_text())[1]
        few = "x".join(str(min(int(count), 32)) for count in cells.split(","))
        text = self.succeeded(NAME, "--set", "time.steps=3", "--set", f"cells={few}", "--quiet")
        self.assertRegex(text, r"(?m)^RESULT convect\w* .* verdict=(verified|under-resolved)$")
        self.assertTrue((self.path / f"{NAME}-run" / "run.json").exists())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *UNITTEST_ARGUMENTS])
