#!/usr/bin/env python3
"""Runs one of the ready cases for a few steps, or (ReadyCase.test_keeps_the_limits_of_steps) on coarser grids with the longest steps.

Usage: ready_case_test.py BANKFULL_BINARY SCHEMA_OF_RESULTS FOLDER_OF_CASES NAME_OF_CASE [-- arguments of unittest]
"""

import itertools
import json
import math
import re
import sys
import unittest

import convect_test
from script_arguments import OWN_ARGUMENTS, UNITTEST_ARGUMENTS

NAME = OWN_ARGUMENTS[3]


LONGEST_STEPS = {"adams-bashforth": 0.8, "runge-kutta": 1.7}  # by their Courant numbers


class ReadyCase(convect_test.Convect):
    def cells(self):
        text = (convect_test.CASES / f"{NAME}.toml").read_text()
        return [int(count) for count in re.search(r"cells = \[(.*?)\]", text)[1].split(",")]

    def test_takes_a_few_steps(self):
        """On a grid of fewer cells where it has many."""
        few = "x".join(str(min(count, 32)) for count in self.cells())
        text = self.succeeded(NAME, "--set", "time.steps=3", "--set", f"cells={few}", "--quiet")
        self.assertRegex(text, r"(?m)^RESULT convect\w* .* verdict=(verified|under-resolved)$")
        self.assertTrue((self.path / f"{NAME}-run" / "run.json").exists())

    def test_keeps_the_limits_of_steps(self):
        """On a grid too coarse the flow is not that of the case, but none grows without reason."""
        for coarser, (scheme, courant) in itertools.product((1, 2, 4, 8), LONGEST_STEPS.items()):
            cells = [max(1, count // coarser) for count in self.cells()]
            steps = max(20, min(2000, 10_000_000 // math.prod(cells)))
            with self.subTest(cells=cells, scheme=scheme):
                self.succeeded(NAME, "--set", "cells=" + "x".join(map(str, cells)), "--set", "output.snapshots=0", "--quiet",
                               "--set", f"time={{cfl={courant},scheme='{scheme}',steps={steps}}}", "--overwrite", "--json", "run.json")
                checks = json.loads((self.path / "run.json").read_text())["verification"]
                values = {check["name"]: check for check in checks}
                self.assertTrue(values["largest Courant number"]["passed"], values)
                self.assertLessEqual(values["largest Courant number"]["value"], courant * (1 + 1e-12))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *UNITTEST_ARGUMENTS])
