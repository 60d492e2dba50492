#!/usr/bin/env python3
"""Runs the real binary on several ranks, as a user would; failures of one rank included.

Usage: ranks_test.py BANKFULL_BINARY MPIRUN [options of mpirun, up to its -n] [-- arguments of unittest]
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from script_arguments import HANGING, OWN_ARGUMENTS, UNITTEST_ARGUMENTS, size_beyond_caches

BINARY = os.path.realpath(OWN_ARGUMENTS[0])
MPIRUN = OWN_ARGUMENTS[1:]
SCHEMA = pathlib.Path(__file__).resolve().parents[2] / "docs/schema/run-result.schema.json"

OK, FAILURE, USAGE = range(3)
SMALL = ["--size", "XS", "--device", "cpu", "--iterations", "4", "--repeat", "1", "--quiet"]
LONG = ["himeno", "--size", "XS", "--device", "cpu", "--target-seconds", str(2 * HANGING), "--threads", "1"]


def environment(**more):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("BANKFULL_")}
    return {**clean, **more}


def command(ranks, *arguments):
    return [*MPIRUN, str(ranks), BINARY, *arguments]


def run(ranks, *arguments):
    return subprocess.run(command(ranks, *arguments), capture_output=True, text=True, timeout=HANGING,
                          env=environment())


def own_lines(result):
    """Our lines on stderr: mpirun adds its own when a rank fails."""
    return [line for line in result.stderr.splitlines() if line.startswith("bankfull: ")]


def processes_of_binary(ancestor):
    """Processes that run the binary below `ancestor`."""
    parents, found = {}, []
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                if os.path.realpath(entry / "exe") == BINARY:
                    found.append(int(entry.name))
            except OSError:
                continue  # it has ended

    def descends(process):
        while process in parents:
            if process == ancestor:
                return True
            process = parents[process]
        return False

    return [process for process in found if descends(process)]


class Ranks(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def refused(self, result, *words):
        self.assertEqual(result.returncode, USAGE, result.stderr)
        lines = own_lines(result)
        self.assertEqual(len(lines), 1, result.stderr)
        for word in words:
            self.assertIn(word, lines[0])
        self.assertEqual(result.stdout, "")

    def test_output_comes_once(self):
        for arguments in (["list"], ["info"], ["--version"], ["himeno", "--help"]):
            with self.subTest(arguments=arguments):
                result = run(3, *arguments)
                self.assertEqual(result.returncode, OK, result.stderr)
                alone = subprocess.run([BINARY, *arguments], capture_output=True, text=True,
                                       timeout=HANGING, env=environment())
                self.assertEqual(len(result.stdout.splitlines()), len(alone.stdout.splitlines()))

    def test_bad_usage_is_one_message(self):
        self.refused(run(3, "himeno", "--device", "cpu", "--size", "nonsense"),
                     "bankfull: --size nonsense")
        self.refused(run(2, "himeno", "--sise", "M"), "--sise")
        self.refused(run(2), "no subcommand")

    def test_a_failure_of_one_rank_ends_all_and_names_it(self):
        result = subprocess.run(
            [*command(1, "himeno", *SMALL), ":", MPIRUN[-1], "1", "env", "BANKFULL_THREADS=-3", BINARY,
             "himeno", *SMALL], capture_output=True, text=True, timeout=HANGING, env=environment())
        self.refused(result, "bankfull: rank 1: --threads -3")

    def test_ranks_with_other_options_are_refused(self):
        other = [*MPIRUN, "1", BINARY, "himeno", *SMALL, ":", "-n", "1"]
        for second in ([BINARY, "info"], ["env", "BANKFULL_OVERLAP=none", BINARY, "himeno", *SMALL]):
            result = subprocess.run([*other, *second], capture_output=True, text=True, timeout=HANGING,
                                    env=environment())
            self.refused(result, "rank 1 was started with other options")

    def test_scripts_may_choose_threads_for_each_rank(self):
        script = "BANKFULL_THREADS=$((1 + ${OMPI_COMM_WORLD_RANK:-$PMI_RANK})) exec " + " ".join([BINARY, "himeno", *SMALL])
        result = subprocess.run([*MPIRUN, "2", "sh", "-c", script], capture_output=True, text=True,
                                timeout=HANGING, env=environment())
        self.assertEqual(result.returncode, OK, result.stderr)

    def test_splits_and_overlaps(self):
        for more in (["--overlap", "two-part", "--split", "0.3"], ["--ranks-grid", "1x3x1"],
                     ["--overlap", "none", "--transport", "mpi"], ["--schedule", "fused"]):
            result = run(3, "himeno", *SMALL, *more)
            self.assertEqual(result.returncode, OK, result.stderr)
            self.assertIn("verdict=verified", result.stdout)
            self.assertIn("ranks=3", result.stdout)

    def test_what_cannot_be_cut_or_carried_is_one_message(self):
        for more, words in ((["--ranks-grid", "2x2x1"], "is for 4 ranks"), (["--split", "1.5"], "1.5"),
                            (["--overlap", "two-part", "--ranks-grid", "1x3x1"], "along i only"),
                            (["--transport", "nccl"], "between GPUs"), (["--transport", "local"], "is not a transport"),
                            (["--schedule", "fused", "--ranks-grid", "1x1x3"], "whole rows")):
            self.refused(run(3, "himeno", *SMALL, *more), words)

    def test_dry_run_tells_the_blocks(self):
        result = run(3, "himeno", "--size", "S", "--device", "cpu", "--dry-run")
        self.assertEqual(result.returncode, OK, result.stderr)
        self.assertIn("3 ranks as 3x1x1: blocks of 20x62x126 to 21x62x126", result.stdout)

    def test_below_a_threshold_on_all_ranks(self):
        result = run(2, "himeno", "--size", size_beyond_caches(BINARY), "--device", "cpu", "--iterations", "4",
                     "--repeat", "1", "--quiet", "--min-percent", "1000")
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertEqual(len(own_lines(result)), 1, result.stderr)

    def test_ceilings_of_another_number_of_ranks_are_one_message(self):
        target = self.path / "ceilings.json"
        result = run(2, "himeno", *SMALL, "--threads", "1", "--ceiling", "always", "--json", str(target))
        self.assertEqual(result.returncode, OK, result.stderr)
        result = run(2, "himeno", *SMALL, "--threads", "1", "--ceiling", str(target))
        self.assertEqual(result.returncode, OK, result.stderr)
        self.assertRegex(result.stdout, r" ceiling_gbs=\S+ percent=")
        self.refused(run(3, "himeno", *SMALL, "--threads", "1", "--ceiling", str(target)),
                     str(target), "2 ranks", "3 ranks")

    def test_ceilings_of_ranks_with_different_threads(self):
        target = self.path / "ceilings.json"

        def run_with(first, second, *more):
            himeno = [BINARY, "himeno", *SMALL, "--ceiling", *more]
            return subprocess.run(
                [*MPIRUN, "1", "-x", f"BANKFULL_THREADS={first}", *himeno, ":",
                 MPIRUN[-1], "1", "-x", f"BANKFULL_THREADS={second}", *himeno],
                capture_output=True, text=True, timeout=HANGING, env=environment())

        result = run_with(1, 2, "always", "--json", str(target))
        self.assertEqual(result.returncode, OK, result.stderr)
        devices = json.loads(target.read_text())["context"]["ranks"]["devices"]["value"].split("; ")
        self.assertEqual([device.rpartition(", ")[2] for device in devices], ["1 thread", "2 threads"])
        result = run_with(1, 2, str(target))
        self.assertEqual(result.returncode, OK, result.stderr)
        self.assertRegex(result.stdout, r" ceiling_gbs=\S+ percent=")
        self.refused(run_with(1, 1, str(target)), str(target), "rank 1", "2 threads", "1 thread")

    def test_unwritable_json_is_one_message(self):
        self.refused(run(2, "himeno", *SMALL, "--json", "/nonexistent/out.json"),
                     "bankfull: cannot write /nonexistent/out.json")

    def test_parts_of_the_probe_that_run_on_one_rank(self):
        self.refused(run(2, "probe", "bandwidth", "--device", "cpu"), "one rank")

    def scaling(self, ranks, *arguments):
        size = [] if "--size" in arguments else ["--size", "XS"]
        return run(ranks, "scaling", "himeno", *size, "--device", "cpu", "--threads", "1",
                   "--iterations", "8", "--repeat", "1", *arguments)

    def test_scaling_measures_every_number_of_ranks(self):
        import jsonschema
        target = self.path / "out.json"
        result = self.scaling(2, "--strong", "--ranks", "1,2", "--json", str(target))
        self.assertEqual(result.returncode, OK, result.stderr)
        document = json.loads(target.read_text())
        jsonschema.validate(document, json.loads(SCHEMA.read_text()))
        self.assertEqual(document["workload"], "scaling himeno")
        self.assertEqual(document["verdict"], "verified")
        cases = document["measurements"]
        self.assertEqual([case["parameters"]["ranks"]["value"] for case in cases], [1, 2])
        first, second = (case["figures"]["seconds_per_iteration"]["value"] for case in cases)
        self.assertAlmostEqual(cases[1]["figures"]["efficiency"]["value"],
                               100 * first / (2 * second))
        self.assertGreater(cases[1]["figures"]["sent_bytes"]["value"], 0)

    def test_weak_scaling_on_the_same_cores(self):
        result = self.scaling(3, "--weak", "--same-cores", "--quiet")
        self.assertEqual(result.returncode, OK, result.stderr)
        cases = [dict(word.split("=", 1) for word in line.split() if "=" in word)
                 for line in result.stdout.splitlines() if line.startswith("RESULT ")]
        self.assertEqual([case["ranks"] for case in cases], ["1", "2", "3"])
        self.assertEqual([case["threads"] for case in cases], ["3", "1", "1"])
        self.assertEqual(cases[0]["size"], "XS")
        self.assertEqual([case["verdict"] for case in cases], ["verified"] * 3)

    def test_scaling_can_be_planned(self):
        result = self.scaling(2, "--strong", "--dry-run")
        self.assertEqual(result.returncode, OK, result.stderr)
        self.assertNotIn("RESULT", result.stdout)
        self.assertIn("2x1x1", result.stdout)

    def test_bad_scaling_is_one_message(self):
        for arguments, word in ((["--strong", "--ranks", "3"], "mpirun -n 3"),
                                (["--strong", "--ranks", "1,1"], "--ranks 1,1"),
                                (["--strong", "--ranks", "0"], "--ranks 0"),
                                (["--strong", "--ranks", "two"], "--ranks two"),
                                (["--ranks", "1"], "--strong"),
                                (["--strong", "--weak"], "--weak"),
                                (["--strong", "--schedule", "tuned,direct"], "--schedule"),
                                (["--strong", "--size", "3x3x3"], "2 ranks cannot split"),
                                (["--weak", "--ranks-grid", "4x1x1"], "--ranks-grid 4x1x1")):
            with self.subTest(arguments=arguments):
                self.refused(self.scaling(2, *arguments), word)

    def convect_scaling(self, ranks, *arguments):
        repeat = [] if "--repeat" in arguments else ["--repeat", "1"]
        return run(ranks, "scaling", "convect", "rayleigh-1e7", "--device", "cpu", "--threads", "1", "--set", "cells=16x16x12",
                   "--set", "initial.noise=0.1", "--target-seconds", "0.05", *repeat, *arguments)

    def test_scaling_of_convection(self):
        import jsonschema
        target = self.path / "out.json"
        for mode, grid in (("strong", "16x16x12"), ("weak", "16x16x24")):
            for solver in ("direct", "multigrid"):
                with self.subTest(mode=mode, solver=solver):
                    result = self.convect_scaling(2, "--" + mode, "--set", "solver=" + solver, "--json", str(target))
                    self.assertEqual(result.returncode, OK, result.stderr)
                    document = json.loads(target.read_text())
                    jsonschema.validate(document, json.loads(SCHEMA.read_text()))
                    self.assertEqual(document["verdict"], "verified")
                    first, second = document["measurements"]
                    self.assertEqual(second["parameters"]["ranks"]["value"], 2)
                    self.assertEqual(second["parameters"]["grid"]["value"], grid)
                    seconds = [case["figures"]["seconds_per_step"]["value"] for case in (first, second)]
                    growth = 2 if mode == "weak" else 1
                    self.assertAlmostEqual(second["figures"]["speedup"]["value"], growth * seconds[0] / seconds[1])
                    self.assertIn("pressure_exposed_seconds", second["figures"])
                    self.assertNotIn("pressure_exposed_seconds", first["figures"])
                    self.assertIn("Parts of a stage:", result.stdout)

    def test_scaling_of_convection_can_be_planned(self):
        result = self.convect_scaling(2, "--weak", "--dry-run")
        self.assertEqual(result.returncode, OK, result.stderr)
        self.assertNotIn("RESULT", result.stdout)
        self.assertIn("16x16x24", result.stdout)

    def test_bad_scaling_of_convection_is_one_message(self):
        for arguments, word in ((["--strong", "--ranks", "3"], "mpirun -n 3"), ([], "--strong"),
                                (["--strong", "--set", "cells=1x1x1"], "cannot share this grid"),
                                (["--strong", "--set", "raleigh=3"], "rayleigh"),
                                (["--strong", "--repeat", "0"], "--repeat 0")):
            with self.subTest(arguments=arguments):
                self.refused(self.convect_scaling(2, *arguments), word)

    def test_npb_on_ranks(self):
        import jsonschema
        target = self.path / "out.json"
        for kernel in ("cg", "ep", "ft", "is"):
            result = run(3, "npb", kernel, "--class", "S", "--device", "cpu", "--threads", "1", "--repeat", "1",
                         "--json", str(target))
            self.assertEqual(result.returncode, OK, result.stderr)
            self.assertEqual(result.stdout.count("Benchmark Completed."), 1)
            self.assertRegex(result.stdout, r" Total processes = +3\n")
            self.assertRegex(result.stdout, r" Verification    = +SUCCESSFUL\n")
            self.assertIn(" ranks=3 transport=mpi threads=1 ", result.stdout)
            document = json.loads(target.read_text())
            jsonschema.validate(document, json.loads(SCHEMA.read_text()))
            self.assertEqual(document["problem"]["ranks"]["value"], 3)

    def test_npb_that_cannot_be_spread_is_one_message(self):
        self.refused(run(2, "npb", "cg", "--class", "S", "--device", "cpu", "--schedule", "reference"),
                     "--schedule reference is serial", "2 ranks")
        self.refused(run(3, "npb", "mg", "--class", "S", "--device", "cpu"),
                     "power of two", "3 ranks", "smaller number that it runs on is 2")

    def test_one_rank_under_mpirun_is_like_a_plain_start(self):
        target = self.path / "out.json"
        result = run(1, "himeno", *SMALL, "--json", str(target))
        self.assertEqual(result.returncode, OK, result.stderr)
        self.assertIn("verdict=verified", result.stdout)
        facts = json.loads(target.read_text())["context"]["ranks"]
        self.assertEqual(facts["ranks"]["value"], 1)
        self.assertEqual(facts["nodes"]["value"], 1)

    def test_a_killed_rank_ends_the_run(self):
        launcher = subprocess.Popen(command(2, *LONG), stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL, env=environment())
        self.addCleanup(launcher.kill)
        deadline = time.monotonic() + HANGING
        while len(processes_of_binary(launcher.pid)) < 2 and time.monotonic() < deadline:
            time.sleep(0.1)
        time.sleep(1.0)  # into the run
        ranks = processes_of_binary(launcher.pid)
        self.assertEqual(len(ranks), 2)
        os.kill(ranks[-1], signal.SIGKILL)
        self.assertNotEqual(launcher.wait(timeout=HANGING), OK)
        self.assertEqual([rank for rank in ranks if os.path.exists(f"/proc/{rank}/exe")], [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *UNITTEST_ARGUMENTS])
