#!/usr/bin/env python3
"""Runs `bankfull suite`, `accept` and `baseline` as a user would.

Usage: accept_test.py BANKFULL_BINARY FOLDER_OF_SCHEMAS FOLDER_OF_RESULTS FOLDER_OF_BASELINES [-- arguments of unittest]
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import jsonschema

from script_arguments import HANGING, OWN_ARGUMENTS, UNITTEST_ARGUMENTS

BINARY = os.path.realpath(OWN_ARGUMENTS[0])
SCHEMAS, RESULTS, BASELINES = (pathlib.Path(argument).resolve() for argument in OWN_ARGUMENTS[1:])

OK, FAILURE, USAGE, FAILED, BELOW = range(5)


def validate(document, name):
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text())
    jsonschema.Draft7Validator(schema).validate(document)


class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def run_program(self, *arguments):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("BANKFULL_")}
        return subprocess.run([BINARY, *arguments], capture_output=True, text=True, timeout=HANGING, cwd=self.path,
                              env={**clean, "BANKFULL_DEVICE": "cpu", "BANKFULL_THREADS": "1"})

    def succeeded(self, *arguments):
        result = self.run_program(*arguments)
        self.assertEqual(result.returncode, OK, result.stdout + result.stderr)
        return result


class Suite(Command):
    def test_shows_its_plan_and_leaves_nothing(self):
        text = self.succeeded("suite", "--full", "--dry-run").stdout
        for word in ("suite full", "probe all", "himeno --size", "npb all", "convect rayleigh-1e7", "hpcg --local"):
            self.assertIn(word, text)
        self.assertEqual(list(self.path.iterdir()), [])

    def record_of_plan(self):
        """The record of a quick suite all of whose steps were refused, so that none is left to do."""
        lines = self.succeeded("suite", "--quick", "--dry-run").stdout.splitlines()
        steps = []
        for line in lines[2:]:
            if line.strip():
                name, command = line.split(maxsplit=1)
                steps.append({"name": name, "command": command, "arguments": command.split()[1:], "purpose": "a test",
                              "state": "refused", "exit_code": USAGE, "seconds": 0.0})
        return {"schema": "bankfull/suite", "schema_version": 1, "level": "quick", "device": "cpu", "ranks": 1,
                "threads": 1, "complete": True, "steps": steps}

    def test_does_only_what_is_left(self):
        record = self.record_of_plan()
        validate(record, "suite")
        folder = self.path / "node"
        folder.mkdir()
        (folder / "suite.json").write_text(json.dumps(record))
        result = self.succeeded("suite", "--quick", "--output", "node")
        self.assertEqual(result.stdout.count("state=refused"), len(record["steps"]))
        self.assertFalse((folder / "report.html").exists())
        validate(json.loads((folder / "suite.json").read_text()), "suite")

    def data_of(self, page):
        text = page.read_text()
        return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1])

    def test_writes_a_report_of_its_results(self):
        """On resuming too, of what there is: one step done, one that failed its verification, the others refused."""
        record = self.record_of_plan()
        folder = self.path / "node"
        folder.mkdir()
        himeno, npb = (next(step for step in record["steps"] if step["name"].startswith(name)) for name in ("himeno", "npb"))
        himeno.update(state="done", exit_code=OK)
        npb.update(state="done", exit_code=FAILED)
        shutil.copy(RESULTS / "xeon-himeno-m.json", folder / f"{himeno['name']}.json")
        failed = json.loads((RESULTS / "xeon-npb-a.json").read_text())
        failed["verification"][0].update(value=1e9, passed=False)
        (folder / f"{npb['name']}.json").write_text(json.dumps(failed))
        # What a refused step left earlier is none of its results.
        shutil.copy(RESULTS / "xeon-hpcg-64.json", folder / "hpcg.json")
        (folder / "suite.json").write_text(json.dumps(record))
        result = self.run_program("suite", "--quick", "--output", "node")
        self.assertEqual(result.returncode, FAILED, result.stdout + result.stderr)
        self.assertIn("results: node, with report.html", result.stdout)
        data = self.data_of(folder / "report.html")
        self.assertEqual([run["file"] for run in data["runs"]], [f"{himeno['name']}.json", f"{npb['name']}.json"])
        self.assertEqual(data["verdict"]["overall"], "failed")

    def test_reports_runs_of_convection_from_their_folders(self):
        record = self.record_of_plan()
        flow = next(step for step in record["steps"] if step["name"] == "convect-direct")
        flow.update(state="done", exit_code=OK)
        folder = self.path / "node"
        run = folder / flow["name"]
        run.mkdir(parents=True)
        shutil.copy(RESULTS / "xeon-convect-layer-128-direct.json", run / "run.json")
        shutil.copy(run / "run.json", folder / f"{flow['name']}.json")
        (folder / "suite.json").write_text(json.dumps(record))
        self.succeeded("suite", "--quick", "--output", "node")
        self.assertEqual([run["file"] for run in self.data_of(folder / "report.html")["runs"]], ["run.json"])

    def test_says_where_it_cannot_write_its_report(self):
        record = self.record_of_plan()
        himeno = next(step for step in record["steps"] if step["name"].startswith("himeno"))
        himeno.update(state="done", exit_code=OK)
        folder = self.path / "node"
        (folder / "report.html").mkdir(parents=True)
        shutil.copy(RESULTS / "xeon-himeno-m.json", folder / f"{himeno['name']}.json")
        (folder / "suite.json").write_text(json.dumps(record))
        result = self.run_program("suite", "--quick", "--output", "node")
        self.assertEqual(result.returncode, FAILURE, result.stdout + result.stderr)
        self.assertRegex(result.stderr, r"there is no report of the suite: .*report\.html")
        self.assertIn("RESULT suite step=himeno", result.stdout)

    def test_refuses_the_folder_of_another_suite(self):
        record = self.record_of_plan()
        record["steps"].pop()
        folder = self.path / "node"
        folder.mkdir()
        text = json.dumps(record)
        (folder / "suite.json").write_text(text)
        result = self.run_program("suite", "--quick", "--output", "node")
        self.assertEqual(result.returncode, USAGE, result.stderr)
        self.assertIn("node holds another suite", result.stderr)
        self.assertEqual((folder / "suite.json").read_text(), text)

    def test_refuses_what_is_no_record(self):
        (self.path / "node").mkdir()
        (self.path / "node" / "suite.json").write_text("[]")
        result = self.run_program("suite", "--output", "node")
        self.assertEqual(result.returncode, USAGE, result.stderr)
        self.assertIn("is not the record of a suite", result.stderr)


class Baselines(Command):
    def test_that_come_with_the_program_can_be_read(self):
        self.assertIn("NVIDIA H100 80GB HBM3", self.succeeded("baseline", "list").stdout)
        for file in BASELINES.glob("*.json"):
            validate(json.loads(file.read_text()), "baseline")

    def test_are_made_of_recorded_results(self):
        self.succeeded("baseline", "make", str(RESULTS), "--output", "made")
        h200 = json.loads((self.path / "made" / "nvidia-h200.json").read_text())
        validate(h200, "baseline")
        gauges = {entry["gauge"]: entry for entry in h200["entries"]}
        self.assertIn("himeno XL fp64 tuned", gauges)
        self.assertAlmostEqual(gauges["himeno XL fp64 tuned"]["median"], 1287.1, delta=50.0)

    def test_of_several_models_are_not_one_file(self):
        result = self.run_program("baseline", "make", str(RESULTS), "--output", "one.json")
        self.assertEqual(result.returncode, USAGE, result.stderr)
        self.assertIn("--output one.json is one file", result.stderr)


class Accept(Command):
    def test_shows_its_plan_and_leaves_nothing(self):
        text = self.succeeded("accept", "--dry-run").stdout
        for word in ("probe bandwidth", "himeno --size L", "npb cg", "npb ep"):
            self.assertIn(word, text)
        self.assertEqual(list(self.path.iterdir()), [])

    def test_measures_and_judges(self):
        """Long: by a baseline of its own that promises twice and half as much."""
        self.succeeded("accept", "--output", "first")
        first = json.loads((self.path / "first" / "acceptance.json").read_text())
        validate(first, "acceptance")
        self.assertEqual(first["verdict"], "no baseline")
        device = first["devices"][0]
        for factor, verdict, code in ((2.0, ("failed", "disturbed"), BELOW), (0.25, ("accepted",), OK)):
            entries = [{"gauge": gauge["gauge"], "unit": gauge["unit"], "median": factor * gauge["rate"], "spread": 0.0,
                        "boards": 1, "runs": 1} for gauge in device["gauges"]]
            baseline = {"schema": "bankfull/baseline", "schema_version": 1, "model": device["model"], "from": "now",
                        "entries": entries}
            validate(baseline, "baseline")
            (self.path / "b.json").write_text(json.dumps(baseline))
            result = self.run_program("accept", "--baseline", "b.json", "--output", "second")
            self.assertEqual(result.returncode, code, result.stdout + result.stderr)
            second = json.loads((self.path / "second" / "acceptance.json").read_text())
            validate(second, "acceptance")
            self.assertIn(second["verdict"], verdict)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *UNITTEST_ARGUMENTS])
