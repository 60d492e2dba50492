#!/usr/bin/env python3
"""Tests of tools/compare_programs, with two small programs of our own that take turns."""

import copy
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

COMPARE = Path(__file__).resolve().parents[2] / "tools" / "compare_programs"

# Prints its figure for the first run, the second and so on; adds its name to a journal that both programs share.
PROGRAM = """#!{python}
import pathlib, sys
journal = pathlib.Path("{journal}")
turns = journal.read_text().split() if journal.exists() else []
journal.write_text(" ".join(turns + ["{name}"]))
figures = {figures}
figure = figures[turns.count("{name}") % len(figures)]
{body}
"""
PRINTS = 'print("rehearsal: 1 MFLOPS"); print(f"rate: {figure} MFLOPS"); print("Verification = SUCCESSFUL")'
WRITES = (
    "import json; pathlib.Path('result.json').write_text("
    "json.dumps({'verdict': 'verified', 'revision': 'abc', 'measurements': [{'rate': figure}]}))"
)

DESCRIPTION = {
    "title": "two programs",
    "ours": {
        "name": "mine",
        "command": ["{ours}", "{size}"],
        "verification": {"file": "*.json", "path": "verdict", "equals": "verified"},
        "facts": {"revision": {"file": "result.json", "path": "revision"}},
    },
    "theirs": {
        "name": "other",
        "command": ["{peers}/other"],
        "environment": {"OTHER_THREADS": "2"},
        "verification": {"pattern": "^Verification = SUCCESSFUL"},
        "facts": {"repository": "https://example.org/other", "revision": "def", "compiler": "cc", "flags": "-O3", "settings": "-"},
    },
    "figures": [
        {
            "name": "rate",
            "unit": "MFLOPS",
            "better": "higher",
            "ours": {"file": "result.json", "path": "measurements.0.rate"},
            "theirs": {"pattern": "^rate: (\\S+) MFLOPS"},
        }
    ],
    "cases": [{"name": "small", "size": 1}, {"name": "large", "size": 2}],
}


class Run:
    """One call of the tool in a folder with both programs, and what it left there."""

    def __init__(self, ours=WRITES, theirs=PRINTS, figures=((8, 20, 10), (4, 5, 100)), arguments=(), change=None):
        with tempfile.TemporaryDirectory() as name:
            self.folder = Path(name)
            self._program("mine", figures[0], ours)
            self._program("other", figures[1], theirs)
            description = copy.deepcopy(DESCRIPTION)
            if change:
                change(description)
            (self.folder / "description.json").write_text(json.dumps(description))
            done = subprocess.run(
                [sys.executable, COMPARE, "description.json", "--set", "ours=mine", "--set", "peers=.", "--output", "record.json",
                 *(arguments or ("--cases", "small"))],
                cwd=self.folder, capture_output=True, text=True, check=False,
            )  # fmt: skip
            self.status = done.returncode
            self.messages = [line for line in done.stderr.splitlines() if line.startswith("compare_programs: ")]
            self.stderr = done.stderr
            self.files = sorted(p.name for p in self.folder.iterdir())
            self.record = self._json("record.json")
            journal = self.folder / "journal"
            self.turns = journal.read_text().split() if journal.exists() else []

    def _program(self, name, figures, body):
        if body is None:
            return
        text = PROGRAM.format(python=sys.executable, journal=self.folder / "journal", name=name, figures=list(figures), body=body)
        (self.folder / name).write_text(text)
        (self.folder / name).chmod(0o755)

    def _json(self, name):
        file = self.folder / name
        return json.loads(file.read_text()) if file.exists() else None


class ComparePrograms(unittest.TestCase):
    def fails(self, run, status, message):
        self.assertEqual(run.status, status, run.stderr)
        self.assertEqual(len(run.messages), 1, run.stderr)
        self.assertIn(message, run.messages[0])
        self.assertIsNone(run.record)

    def test_every_value_the_median_of_both_and_the_ratio(self):
        run = Run()
        self.assertEqual(run.status, 0, run.stderr)
        figure = run.record["cases"][0]["figures"][0]
        self.assertEqual(figure["statistic"], "median")
        self.assertEqual(figure["ours"], {"values": [8, 20, 10], "median": 10})
        self.assertEqual(figure["theirs"], {"values": [4, 5, 100], "median": 5})
        self.assertEqual(figure["ratio"], 2)
        self.assertEqual([r["figures"]["rate"] for r in run.record["cases"][0]["runs"]], [8, 4, 5, 20, 10, 100])

    def test_less_is_better_for_times(self):
        run = Run(change=lambda d: d["figures"][0].update(better="lower", unit="s"))
        self.assertEqual(run.record["cases"][0]["figures"][0]["ratio"], 0.5)

    def test_each_side_is_first_in_every_other_pair(self):
        self.assertEqual(Run().turns, ["mine", "other", "other", "mine", "mine", "other"])
        self.assertEqual(Run(arguments=("--runs", "1", "--cases", "small")).turns, ["mine", "other"])

    def test_the_record_says_what_ran_where(self):
        record = Run().record
        self.assertEqual(record["schema"], "bankfull/comparison")
        self.assertEqual(record["description"]["theirs"], DESCRIPTION["theirs"])
        programs = record["cases"][0]["programs"]
        self.assertEqual(programs["ours"]["facts"], {"revision": "abc"})
        self.assertEqual(programs["theirs"]["facts"]["flags"], "-O3")
        self.assertEqual(programs["theirs"]["environment"], {"OTHER_THREADS": "2"})
        self.assertEqual(programs["ours"]["command"], "ours 1")
        self.assertEqual(programs["theirs"]["command"], "peers/other")
        self.assertEqual(len(programs["theirs"]["sha256"]), 64)
        self.assertEqual(record["runs_of_each"], 3)
        self.assertTrue(record["machine"]["cpu"])
        self.assertRegex(record["date"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")

    def test_a_case_each(self):
        run = Run(arguments=("--runs", "1"))
        self.assertEqual([c["case"] for c in run.record["cases"]], ["small", "large"])
        self.assertEqual(run.record["cases"][1]["programs"]["ours"]["command"], "ours 2")

    def test_no_temporary_file_stays(self):
        self.assertEqual(Run().files, ["description.json", "journal", "mine", "other", "record.json"])

    def test_unverified(self):
        self.fails(Run(theirs=PRINTS.replace("SUCCESSFUL", "UNSUCCESSFUL")), 1, "small: other (theirs) did not verify")
        self.fails(Run(ours=WRITES.replace("'verified'", "'failed'")), 1, "mine (ours) did not verify: no 'verified'")

    def test_a_value_that_must_be_near_another(self):
        def near(description):
            description["theirs"]["verification"] = {"pattern": "gosa (\\S+)", "near": 4e-4, "tolerance": 0.01}

        self.assertEqual(Run(theirs=PRINTS + '; print("gosa 4.03e-4")', change=near).status, 0)
        self.fails(Run(theirs=PRINTS + '; print("gosa 4.05e-4")', change=near), 1, "0.000405 is not within 0.01 of 0.0004")
        self.fails(Run(theirs=PRINTS + '; print("gosa nan")', change=near), 1, "did not verify")

    def test_no_figure(self):
        self.fails(Run(theirs=PRINTS.replace("rate:", "speed:")), 1, "other (theirs) printed no figure 'rate'")
        self.fails(Run(ours=WRITES.replace("measurements", "nothing")), 1, "mine (ours) printed no figure 'rate'")
        self.fails(Run(ours="pass"), 1, "mine (ours) wrote 0 files *.json")

    def test_missing_program(self):
        self.fails(Run(theirs=None), 1, "other (theirs) program not found: ")

    def test_exit_status(self):
        self.fails(Run(theirs=PRINTS + '; sys.exit("no GPU\\n----")'), 1, "other (theirs) exited with 1: no GPU")

    def test_time_limit(self):
        slow = "import subprocess; subprocess.run(['sleep', '600'])"  # which holds the program's output open
        self.fails(Run(theirs=slow, arguments=("--cases", "small", "--timeout", "5")), 1, "did not end within 5 s")

    def test_other_cases_are_kept(self):
        run = Run(ours=WRITES + "; sys.exit(0 if sys.argv[1] == '1' else 3)", arguments=("--runs", "1"))
        self.assertEqual(run.status, 1)
        self.assertEqual([c["case"] for c in run.record["cases"]], ["small"])
        self.assertEqual(len(run.record["failures"]), 1)
        self.assertIn("large: mine (ours) exited with 3", run.record["failures"][0])

    def test_incomplete_descriptions(self):
        self.fails(Run(change=lambda d: d["theirs"]["facts"].pop("flags")), 2, "no fact 'flags' of theirs")
        self.fails(Run(change=lambda d: d["ours"].pop("verification")), 2, "no 'verification' of ours")
        self.fails(Run(change=lambda d: d["figures"][0].pop("better")), 2, "a figure needs")
        self.fails(Run(change=lambda d: d.pop("cases")), 2, "no 'cases'")

    def test_command_lines(self):
        self.fails(Run(arguments=("--cases", "huge")), 2, "no case fits 'huge'; there are small, large")
        self.fails(Run(arguments=("--runs", "0")), 2, "--runs must be at least 1")
        self.fails(Run(change=lambda d: d["ours"]["command"].append("{grid}")), 2, "{grid} has no value")

    def test_descriptions_of_the_project(self):
        folder = COMPARE.parents[1] / "bench" / "comparisons"
        files = sorted(folder.glob("*.json"))
        self.assertTrue(files)
        for file in files:
            with self.subTest(file=file.name):
                done = subprocess.run(
                    [sys.executable, COMPARE, file, "--output", "/tmp/never.json", "--cases", "no such case"],
                    capture_output=True, text=True, check=False,
                )  # fmt: skip
                self.assertIn("no case fits", done.stderr)


if __name__ == "__main__":
    unittest.main()
