#!/usr/bin/env python3
"""`convect --validate-parts layers` passes, and its references are right: the rolls of steady_rolls.py are those it states.

Usage: steady_rolls_test.py BANKFULL_BINARY [-- arguments of unittest]
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "app"))

from script_arguments import OWN_ARGUMENTS, UNITTEST_ARGUMENTS
from steady_rolls import Rolls

BINARY = os.path.realpath(OWN_ARGUMENTS[0])


class SteadyRolls(unittest.TestCase):
    def test_the_validation_names_the_nusselt_number_of_the_spectral_method(self):
        rolls = Rolls(20, 25)
        rolls.solve(5e3)
        found = rolls.solve(1e4).nusselt()
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run([BINARY, "convect", "--validate", "quick", "--validate-parts", "layers", "--device", "cpu",
                                  "--threads", "1", "--json", "result.json"], cwd=folder, capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)  # all of the part's cases passed
            result = json.loads(pathlib.Path(folder, "result.json").read_text())
        checks = [check for check in result["verification"] if "Ra 10000" in check["name"]]
        self.assertEqual(result["verdict"], "verified")
        self.assertEqual(1, len(checks))
        self.assertAlmostEqual(checks[0]["reference"], found, delta=5e-6)

    def test_conduction_alone_below_the_onset(self):
        self.assertRaises(ArithmeticError, Rolls(10, 13).solve, 1600.0)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *UNITTEST_ARGUMENTS])
