#!/usr/bin/env python3
"""Runs `bankfull reproduce` as a user would, bad input included.

Usage: reproduce_test.py BANKFULL_BINARY SCHEMA_OF_REPRODUCTIONS [-- arguments of unittest]
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import jsonschema

from refusal import Refusals
from script_arguments import HANGING, OWN_ARGUMENTS, UNITTEST_ARGUMENTS

BINARY = os.path.realpath(OWN_ARGUMENTS[0])
SCHEMA = json.loads(pathlib.Path(OWN_ARGUMENTS[1]).read_text())

OK, FAILURE, USAGE = range(3)
PAPERS = ("himeno-2010", "himeno-2008", "hpcg-2014", "npb-2020", "boussinesq-2009")
GOSA = ("himeno-2010", "table-7", "--rows", "XS", "--quick", "--device", "cpu", "--threads", "1")


class Reproduce(Refusals, unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def run_reproduce(self, *arguments):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("BANKFULL_")}
        return subprocess.run([BINARY, "reproduce", *arguments], capture_output=True, text=True,
                              timeout=HANGING, env=clean, cwd=self.path)

    def succeeded(self, *arguments):
        result = self.run_reproduce(*arguments)
        self.assertEqual(result.returncode, OK, result.stdout + result.stderr)
        return result

    def document(self, *arguments):
        self.succeeded(*arguments, "--json", "out.json")
        document = json.loads((self.path / "out.json").read_text())
        jsonschema.Draft7Validator(SCHEMA).validate(document)
        return document


class Lists(Reproduce):
    def test_of_all_papers(self):
        text = self.succeeded("--list").stdout
        for paper in PAPERS:
            self.assertIn(f"{paper}: ", text)
        self.assertEqual(list(self.path.iterdir()), [])

    def test_every_table_and_figure(self):
        text = self.succeeded("boussinesq-2009", "--list").stdout
        for item in [f"table-{n}" for n in range(1, 6)] + [f"figure-{n}" for n in range(1, 7)]:
            self.assertRegex(text, rf"(?m)^  {item} ")
        self.assertRegex(self.succeeded("himeno-2010", "table-7", "--list").stdout,
                         r"L 256x256x512: 0.0008683 \(CPU, double sum\), 0.0004883")

    def test_of_what_would_run(self):
        for paper in PAPERS:
            for quick in ([], ["--quick"]):
                text = self.succeeded(paper, "--dry-run", "--device", "cpu", *quick).stdout
                self.assertIn(" steps, results in ", text)
        self.assertEqual(list(self.path.iterdir()), [])


class Steps(Reproduce):
    def test_can_be_parsed(self):
        """Each command of each paper shows its plan or says why it cannot run here, but no mistake in it."""
        commands = set()
        for paper in PAPERS:
            for quick in ([], ["--quick"]):
                text = self.succeeded(paper, "--dry-run", *quick).stdout.split(" steps, results in ")[1]
                commands |= {line.split("bankfull ")[1] for line in text.splitlines() if ": " in line and "bankfull " in line}
        self.assertGreater(len(commands), 80)
        for command in sorted(commands):
            with self.subTest(command=command):
                clean = {k: v for k, v in os.environ.items() if not k.startswith("BANKFULL_")}
                result = subprocess.run([BINARY, *command.split(), "--dry-run"], capture_output=True, text=True,
                                        timeout=HANGING, env=clean, cwd=self.path)
                for mistake in (" is not an option", " takes no argument", " excludes ", "no ready case", " is unknown"):
                    self.assertNotIn(mistake, result.stderr)
                self.assertTrue(result.returncode == OK or "--device cuda" in result.stderr
                                or "ranks-grid" in result.stderr or "memory" in result.stderr or "free" in result.stderr, result.stderr)

    def test_run_once_and_are_found_again(self):
        document = self.document(*GOSA)
        self.assertEqual([step["reused"] for step in document["steps"]], [False, False])
        row = document["items"][0]["rows"][0]
        self.assertAlmostEqual(row["ours"], 6.7137e-3, delta=1e-6)
        self.assertEqual([published["value"] for published in row["published"]], [6.714e-3, 6.711e-3, 6.713e-3])
        self.assertAlmostEqual(row["published"][0]["ratio"], 1.0, delta=1e-3)
        self.assertEqual(row["verdict"], "verified")
        again = self.document(*GOSA)
        self.assertEqual([step["reused"] for step in again["steps"]], [True, True])
        self.assertEqual(again["steps"][0]["date"], document["steps"][0]["date"])
        anew = self.document(*GOSA, "--overwrite")
        self.assertEqual([step["reused"] for step in anew["steps"]], [False, False])

    def test_a_broken_result_is_measured_again(self):
        document = self.document(*GOSA)
        (self.path / document["steps"][0]["file"]).write_text("{}")
        self.assertEqual([step["reused"] for step in self.document(*GOSA)["steps"]], [False, True])

    def test_what_cannot_run_here_says_why(self):
        text = self.succeeded("himeno-2010", "figure-7", "--quick", "--device", "cpu").stdout
        self.assertIn("--device cpu was given", text)
        self.assertIn("start it with mpirun -n 4", self.succeeded("himeno-2010", "figure-8", "--rows", "4", "--device", "cpu").stdout)
        self.assertIn("verdict=not_measured reason=", text)

    def test_units_and_relations(self):
        document = self.document("boussinesq-2009", "figure-2", "--rows", "4^3", "--device", "cpu", "--threads", "1")
        rows = {row["row"]: row for row in document["items"][0]["rows"]}
        self.assertGreater(rows["4^3, processor"]["ours"], 0.1)  # us
        self.assertIsNone(rows["4^3, GPU over processor"]["ours"])
        self.assertEqual(rows["4^3, GPU over processor"]["published"][0]["value"], 15)

    def test_output_of_quiet_runs_and_of_json(self):
        lines = self.succeeded(*GOSA, "--quiet").stdout.splitlines()
        self.assertTrue(all(line.startswith("RESULT reproduce paper=himeno-2010 item=table-7 ") for line in lines), lines)
        self.assertEqual(len(lines), 5)
        document = json.loads(self.succeeded(*GOSA, "--json", "-").stdout)
        self.assertEqual(document["schema"], "bankfull/reproduction")

    def test_what_is_no_measurement_needs_no_folder(self):
        self.assertIn("a drawing", self.succeeded("himeno-2010", "figure-1").stdout)
        self.assertEqual(list(self.path.iterdir()), [])


class Input(Reproduce):
    def refused(self, *arguments, saying):
        self.assert_refusal(self.run_reproduce(*arguments), USAGE, saying)
        self.assertEqual(list(self.path.iterdir()), [])

    def test_papers_and_tables(self):
        self.refused(saying=["no paper is given"])
        self.refused("himeno-210", saying=["did you mean 'himeno-2010'?"])
        self.refused("npb-2020", "tabel-2", saying=["'tabel-2'", "did you mean 'table-2'?"])
        self.refused("npb-2020", "--rows", "cg", saying=["--rows cg", "did you mean 'CG'?"])

    def test_settings(self):
        self.refused(*GOSA[:4], "--device", "tpu", saying=["--device tpu"])
        self.refused(*GOSA, "--json", "/nonexistent/x.json", saying=["/nonexistent/x.json"])
        self.refused(*GOSA, "--output", "/proc/none/folder", saying=["--output /proc/none/folder"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *UNITTEST_ARGUMENTS])
