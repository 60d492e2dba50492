#!/usr/bin/env python3
"""Compares recorded runs with the real binary, as a user would, and runs against a baseline.

Usage: compare_test.py BANKFULL_BINARY FOLDER_OF_SCHEMAS FOLDER_OF_RESULTS [-- arguments of unittest]
"""

import copy
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import jsonschema

from refusal import Refusals
from script_arguments import HANGING, OWN_ARGUMENTS, UNITTEST_ARGUMENTS

BINARY = os.path.realpath(OWN_ARGUMENTS[0])
SCHEMAS, RESULTS = (pathlib.Path(argument).resolve() for argument in OWN_ARGUMENTS[1:])
ON_GPU = RESULTS / "h200-himeno-xl-fp32.json"  # quiet, verified, five samples of each

OK, FAILURE, USAGE, FAILED, BELOW = range(5)
SHORT = ["--size", "XS", "--device", "cpu", "--threads", "1", "--schedule", "tuned", "--iterations", "20", "--repeat", "5",
         "--ceiling", "none"]
QUIET = {"verdict": "quiet", "disturbances": [], "spread": 0.01, "ceiling_drift": 0.0, "load_before": 0.0, "foreign_load": 0.0,
         "steal": 0.0}


def run(*arguments):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("BANKFULL_")}
    return subprocess.run([BINARY, *map(str, arguments)], capture_output=True, text=True, timeout=HANGING, env=clean)


def result_lines(text, command="compare"):
    """The keys of each RESULT line."""
    return [dict(part.split("=", 1) for part in line.split()[2:])
            for line in text.splitlines() if line.startswith(f"RESULT {command} ")]


def slowed(document, factor):
    """The result of a run whose repeats took so many times as long."""
    other = copy.deepcopy(document)
    for measurement in other["measurements"]:
        timing = measurement["timing"]
        timing["samples"] = [factor * sample for sample in timing["samples"]]
        for key in ("median", "min", "max"):
            timing[key] *= factor
    return other


def calmed(document):
    """The result as a quiet machine would have given it: samples within half a percent."""
    other = copy.deepcopy(document)
    other["quietness"] = "quiet"
    for measurement in other["measurements"]:
        timing = measurement["timing"]
        median = timing["median"]
        timing["samples"] = [median * factor for factor in (0.998, 1.0, 1.002, 0.999, 1.001)]
        timing["min"], timing["max"] = 0.998 * median, 1.002 * median
        measurement["quietness"] = QUIET
    return other


def validator(name):
    return jsonschema.Draft7Validator(json.loads((SCHEMAS / f"{name}.schema.json").read_text()))


class InAFolder(unittest.TestCase, Refusals):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def written(self, name, document):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(document))
        return path

    def refused(self, *arguments, saying):
        self.assert_refusal(run(*arguments), USAGE, saying)


class Compare(InAFolder):
    def setUp(self):
        super().setUp()
        self.document = json.loads(ON_GPU.read_text())

    def test_a_run_with_itself(self):
        result = run("compare", ON_GPU, ON_GPU)
        self.assertEqual(result.returncode, OK, result.stdout + result.stderr)
        lines = result_lines(result.stdout)
        self.assertEqual(len([line for line in lines if line["workload"] == "himeno"]), len(self.document["measurements"]))
        for line in lines:
            self.assertEqual(float(line["ratio"]), 1.0)
            self.assertEqual(line["verdict"], "same")
            self.assertLessEqual(float(line["low"]), 1.0)
        self.assertIn("verdict", result.stdout.splitlines()[0])
        self.assertNotIn("differs", result.stdout)

    def test_a_loss_ends_with_code_4(self):
        slower = self.written("slower.json", slowed(self.document, 1.1))
        result = run("compare", ON_GPU, slower)
        self.assertEqual(result.returncode, BELOW, result.stdout + result.stderr)
        self.assertRegex(result.stderr, r"^bankfull: himeno XL .* is 9\.1 % slower than before, beyond the threshold of 3 %\n$")
        # And the other way round it is a gain.
        self.assertEqual(run("compare", slower, ON_GPU).returncode, OK)

    def test_the_threshold_decides(self):
        slower = self.written("slower.json", slowed(self.document, 1.04))
        self.assertEqual(run("compare", ON_GPU, slower).returncode, BELOW)
        self.assertEqual(run("compare", ON_GPU, slower, "--threshold", "6").returncode, OK)

    def test_a_failed_run_ends_with_code_3(self):
        failed = copy.deepcopy(self.document)
        failed["verification"][0]["value"] = 1e9
        path = self.written("failed.json", failed)
        result = run("compare", ON_GPU, path)
        self.assertEqual(result.returncode, FAILED, result.stdout)
        self.assertEqual({line["verdict"] for line in result_lines(result.stdout) if line["workload"] == "himeno"}, {"invalid"})
        self.refused("compare", path, ON_GPU, saying=["of OLD is no result", "verification", "--anyway"])

    def test_another_machine_is_refused(self):
        other = copy.deepcopy(self.document)
        other["context"]["gpu0"]["name"]["value"] = "NVIDIA H100 80GB HBM3"
        path = self.written("other.json", other)
        self.refused("compare", ON_GPU, path, saying=["GPU: NVIDIA H200 against NVIDIA H100 80GB HBM3", "--anyway"])
        result = run("compare", ON_GPU, path, "--anyway")
        self.assertEqual(result.returncode, OK, result.stderr)
        self.assertIn("compared although they differ in GPU", result.stdout)

    def test_drivers_and_dates_are_named(self):
        other = copy.deepcopy(self.document)
        other["context"]["system"]["driver"]["value"] = "999.1"
        other["context"]["date"] = "2027-01-01T00:00:00Z"
        result = run("compare", ON_GPU, self.written("other.json", other))
        self.assertEqual(result.returncode, OK, result.stderr)
        self.assertRegex(result.stdout, r"(?m)^  system\.driver +[\d.]+ +999\.1$")
        self.assertRegex(result.stdout, r"(?m)^  date +\S+ +2027-01-01T00:00:00Z$")

    def test_other_precisions_are_refused(self):
        fp64 = RESULTS / "h200-himeno-xl-fp64.json"
        self.refused("compare", ON_GPU, fp64, saying=["precision: fp32 against fp64"])

    def test_other_work_is_refused(self):
        self.refused("compare", ON_GPU, RESULTS / "h200-probe.json", "--anyway", saying=["no measurement in common", "himeno XL"])

    def test_folders_pool_their_runs(self):
        for n, factor in enumerate((1.0, 1.001, 1.002)):
            self.written(f"old/{n}.json", slowed(self.document, factor))
            self.written(f"new/{n}.json", slowed(self.document, 1.1 * factor))
        self.written("old/other.json", {"schema": "other"})
        result = run("compare", self.folder / "old", self.folder / "new")
        self.assertEqual(result.returncode, BELOW, result.stderr)
        lines = [line for line in result_lines(result.stdout) if line["workload"] == "himeno"]
        self.assertEqual({line["new_runs"] for line in lines}, {"3"})
        self.assertEqual({line["verdict"] for line in lines}, {"slower"})

    def test_what_only_one_has_is_listed(self):
        fewer = copy.deepcopy(self.document)
        gone = fewer["measurements"].pop()
        result = run("compare", ON_GPU, self.written("fewer.json", fewer))
        self.assertEqual(result.returncode, OK, result.stderr)
        self.assertIn(f"only in OLD: {gone['name']} on NVIDIA H200", result.stdout)

    def test_json_keeps_to_its_schema(self):
        slower = self.written("slower.json", slowed(self.document, 1.1))
        file = self.folder / "comparison.json"
        result = run("compare", ON_GPU, slower, "--json", file, "--quiet")
        self.assertEqual(result.returncode, BELOW)
        self.assertEqual({line.split()[0] for line in result.stdout.splitlines()}, {"RESULT"})
        document = json.loads(file.read_text())
        validator("comparison").validate(document)
        self.assertEqual(document["verdict"], "regression")
        self.assertAlmostEqual(document["measurements"][0]["ratio"], 1 / 1.1)
        to_output = run("compare", ON_GPU, slower, "--json", "-", "--quiet")
        self.assertEqual(json.loads(to_output.stdout), document)

    def test_the_results_are_no_place_for_the_json(self):
        path = self.written("own.json", self.document)
        before = path.read_text()
        self.refused("compare", path, ON_GPU, "--json", path, saying=["--json", "own.json is a result to compare"])
        self.assertEqual(path.read_text(), before)

    def test_all_recorded_results_are_like_themselves(self):
        result = run("compare", RESULTS, RESULTS, "--anyway", "--quiet")
        self.assertNotEqual(result.returncode, FAILURE, result.stderr)
        verdicts = [line["verdict"] for line in result_lines(result.stdout)]
        self.assertGreater(len(verdicts), 300)
        self.assertNotIn("slower", verdicts)
        self.assertNotIn("faster", verdicts)
        self.assertIn("same", verdicts)


class History(InAFolder):
    def setUp(self):
        super().setUp()
        document = json.loads(ON_GPU.read_text())
        for day, factor in enumerate((1.0, 1.002, 0.998, 1.08, 1.081, 1.079), 1):
            one = slowed(document, factor)
            one["context"]["date"] = f"2026-11-{day:02}T10:00:00Z"
            one["context"]["system"]["driver"]["value"] = "570.1" if day < 4 else "580.2"
            self.written(f"runs/{7 - day}.json", one)  # not in the order of dates

    def test_a_step_is_marked_with_what_changed(self):
        result = run("history", self.folder / "runs")
        self.assertRegex(result.stdout, r"(?m)^  2026-11-04T10:00:00Z: 7\.\d % slower than the 3 runs before; changed: system\.driver 570\.1 -> 580\.2$")
        dates = re.findall(r"(?m)^  (2026-11-\d\d)T10:00:00Z  ", result.stdout)
        self.assertEqual(dates[:6], [f"2026-11-{day:02}" for day in range(1, 7)])
        lines = result_lines(result.stdout, "history")
        self.assertEqual({line["steps"] for line in lines}, {"1"})
        self.assertEqual({line["runs"] for line in lines}, {"6"})

    def test_a_latest_run_that_is_slower_ends_with_code_4(self):
        for number in (1, 2):  # of the last two days
            (self.folder / "runs" / f"{number}.json").unlink()
        result = run("history", self.folder / "runs")
        self.assertEqual(result.returncode, BELOW, result.stdout)
        self.assertRegex(result.stderr, r"^bankfull: the latest run of himeno XL .* is 7\.\d % slower than the median of those before\n$")
        (self.folder / "runs" / "3.json").unlink()
        self.assertEqual(run("history", self.folder / "runs").returncode, OK)

    def test_only_the_last_runs(self):
        result = run("history", self.folder / "runs", "--last", "3", "--quiet")
        self.assertEqual(result.returncode, OK, result.stderr)
        self.assertEqual({line["runs"] for line in result_lines(result.stdout, "history")}, {"3"})

    def test_of_one_workload(self):
        self.assertEqual(run("history", RESULTS, "--workload", "npb", "--quiet").returncode in (OK, BELOW), True)
        self.refused("history", self.folder / "runs", "--workload", "himenoo", saying=["himenoo", "did you mean 'himeno'?"])

    def test_json_keeps_to_its_schema(self):
        result = run("history", self.folder / "runs", "--json", "-", "--quiet")
        document = json.loads(result.stdout)
        validator("history").validate(document)
        self.assertEqual([step["run"] for step in document["courses"][0]["steps"]], [3])


class Baseline(InAFolder):
    """Runs of this machine, whose own times are made quiet and known by editing the recorded ones."""

    def recorded(self):
        file = self.folder / "run.json"
        result = run("himeno", *SHORT, "--json", file, "--quiet")
        self.assertEqual(result.returncode, OK, result.stderr)
        return json.loads(file.read_text())

    def test_two_runs_of_this_machine(self):
        document = self.recorded()
        again = self.written("again.json", self.recorded())
        result = run("compare", self.written("first.json", document), again, "--quiet")
        self.assertIn(result.returncode, (OK, BELOW), result.stderr)  # by what else runs here
        self.assertEqual(len(result_lines(result.stdout)), 1)
        calm = calmed(document)
        quiet = self.written("quiet.json", calm)
        self.assertEqual(run("compare", quiet, quiet, "--quiet").returncode, OK)
        self.assertEqual(run("compare", quiet, self.written("slower.json", slowed(calm, 1.1)), "--quiet").returncode, BELOW)

    def test_a_run_is_compared_after_it(self):
        calm = calmed(self.recorded())
        much_slower = self.written("slower.json", slowed(calm, 1000.0))
        result = run("himeno", *SHORT, "--baseline", much_slower)
        self.assertEqual(result.returncode, OK, result.stderr)
        self.assertIn(f"compared with {much_slower}", result.stdout)
        self.assertGreater(result.stdout.index("RESULT compare"), result.stdout.index("RESULT himeno"))
        line, = result_lines(result.stdout)
        self.assertGreater(float(line["ratio"]), 10.0)
        self.assertIn(line["verdict"], ("faster", "unclear"))  # by what else runs here

    def test_a_slower_run_ends_with_code_4(self):
        faster = self.written("faster.json", slowed(calmed(self.recorded()), 0.001))
        result = run("himeno", *SHORT, "--baseline", faster, "--quiet")
        line, = result_lines(result.stdout)
        self.assertLess(float(line["ratio"]), 0.1)
        self.assertEqual(result.returncode, BELOW if line["verdict"] == "slower" else OK, result.stderr)
        self.assertIn(line["verdict"], ("slower", "unclear"))  # by what else runs here
        if line["verdict"] == "slower":
            self.assertIn("slower than before", result.stderr)

    def test_other_machines_are_refused_before_it(self):
        document = self.recorded()
        document["context"]["cpu"]["model"]["value"] = "another"
        other = self.written("other.json", document)
        for more in ([], ["--dry-run"]):
            self.refused("himeno", *SHORT, *more, "--baseline", other, saying=["was recorded on another, ", "and this run is on "])
        self.refused("himeno", *SHORT, "--baseline", ON_GPU, saying=["was recorded on NVIDIA"])
        # Of a folder one that fits is enough.
        (self.folder / "runs").mkdir()
        self.written("runs/other.json", document)
        self.written("runs/fits.json", calmed(self.recorded()))
        self.assertIn(run("himeno", *SHORT, "--quiet", "--baseline", self.folder / "runs").returncode, (OK, BELOW))

    def test_other_settings_of_the_machine_are_refused_after_it(self):
        document = self.recorded()
        document["context"]["build"]["type"]["value"] = "Another"
        other = self.written("other.json", document)
        result = run("himeno", *SHORT, "--quiet", "--baseline", other)
        self.assertEqual(result.returncode, USAGE, result.stdout)
        self.assertIn("build type: Another against", result.stderr)
        self.assertIn("RESULT himeno", result.stdout)

    def test_what_is_no_baseline_is_refused_before_it(self):
        none = self.written("none.json", {"schema": "other"})
        self.refused("himeno", *SHORT, "--baseline", none, saying=["none.json is not a result of bankfull"])
        self.refused("himeno", *SHORT, "--baseline", RESULTS / "h200-probe.json", saying=["is of the workload probe, not of himeno"])
        self.refused("himeno", *SHORT, "--baseline", self.folder / "gone", saying=["gone cannot be read"])
        self.refused("himeno", *SHORT, "--baseline", ON_GPU, "--dry-run", "--json", ON_GPU, saying=["the file that --baseline names"])


class Thresholds(InAFolder):
    def test_every_workload_has_all_of_them(self):
        for workload in (["himeno"], ["hpcg"], ["npb", "cg"], ["npb", "all"], ["convect"], ["probe", "bandwidth"], ["probe", "latency"], ["probe", "link"], ["probe", "all"]):
            text = run(*workload, "--help").stdout
            for option in ("--min-gbs", "--min-gflops", "--min-percent", "--max-spread", "--baseline", "--threshold"):
                self.assertIn(f"{option} ", text, workload)

    def test_bandwidth_and_flops(self):
        for option, unit in (("--min-gbs", "GB/s"), ("--min-gflops", "GFLOPS")):
            with self.subTest(option=option):
                self.assertEqual(run("himeno", *SHORT, "--quiet", option, "1e-6").returncode, OK)
                result = run("himeno", *SHORT, "--quiet", option, "1e6")
                self.assertEqual(result.returncode, BELOW, result.stderr)
                self.assertRegex(result.stderr, rf"^bankfull: himeno XS fp32 tuned reached [\d.]+ {unit}, below {option} 1000000(\.0)?\n$")

    def test_other_workloads(self):
        npb = ["npb", "mg", "--class", "S", "--device", "cpu", "--threads", "1", "--repeat", "1", "--ceiling", "none", "--quiet"]
        self.assertEqual(run(*npb, "--min-gflops", "1e-6").returncode, OK)
        self.assertEqual(run(*npb, "--min-gflops", "1e6").returncode, BELOW)
        self.refused(*npb, "--min-percent", "1", saying=["--min-percent 1 needs a percentage of bankfull", "--ceiling none"])

    def test_what_nothing_has_cannot_be_judged(self):
        result = run("npb", "mg", "--class", "S", "--device", "cpu", "--threads", "1", "--repeat", "1", "--quiet", "--min-percent", "1")
        self.assertEqual(result.returncode, USAGE, result.stdout + result.stderr)
        self.assertIn("no measurement of this run has the percentage of memory that --min-percent 1 needs", result.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *UNITTEST_ARGUMENTS])
