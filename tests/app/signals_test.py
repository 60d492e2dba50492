#!/usr/bin/env python3
"""Ends runs early by signals, and kills them, as batch systems do.

Usage: signals_test.py BANKFULL_BINARY SCHEMA_OF_RESULTS FOLDER_OF_CASES MPIRUN NUMBER_FLAG [-- arguments of unittest]
"""

import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import jsonschema

from script_arguments import HANGING, OWN_ARGUMENTS, UNITTEST_ARGUMENTS

BINARY = os.path.realpath(OWN_ARGUMENTS[0])
SCHEMA = json.loads(pathlib.Path(OWN_ARGUMENTS[1]).read_text())
CASES = pathlib.Path(OWN_ARGUMENTS[2]).resolve()
MPIRUN = OWN_ARGUMENTS[3:]

OK, FAILURE, USAGE, UNVERIFIED, BELOW, INTERRUPTED = range(6)

# Runs that take minutes if nothing ends them.
HIMENO = ["himeno", "--size", "S", "--iterations", "64", "--repeat", "10000", "--schedule", "direct,tuned"]
HPCG = ["hpcg", "--local", "16x16x16", "--seconds", "1000", "--output-dir", "."]
NPB = ["npb", "is", "--class", "A", "--repeat", "1000"]
PROBE = ["probe", "all", "--memory-limit", "256MiB", "--repeat", "100000"]
CONVECT = ["convect", "rayleigh-benard-2d", "--set", "end=1e9", "--set", "output.series_every=5", "--output", "run"]


def children_of(process):
    """The processes that it started, or itself."""
    tasks = pathlib.Path(f"/proc/{process}/task/{process}/children")
    return [int(child) for child in tasks.read_text().split()]


def catches(process, number):
    for line in pathlib.Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("SigCgt:"):
            return bool(int(line.split()[1], 16) >> (number - 1) & 1)
    return False


def seconds_used(process):
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Runs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def start(self, *arguments, ranks=1):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("BANKFULL_")}
        environment["BANKFULL_CASES"] = str(CASES)
        launcher = [*MPIRUN, str(ranks)] if ranks > 1 else []
        process = subprocess.Popen([*launcher, BINARY, *arguments, "--device", "cpu", "--threads", "1"], cwd=self.path,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        self.addCleanup(process.kill)
        return process

    def wait_until(self, condition, process):
        deadline = time.monotonic() + HANGING
        while not condition():
            self.assertIsNone(process.poll(), "the run ended by itself")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)

    def wait_until_it_works(self, process, seconds=1.0):
        """It takes signals, and has computed for a while."""
        self.wait_until(lambda: catches(process.pid, signal.SIGTERM), process)
        begun = seconds_used(process.pid)
        self.wait_until(lambda: seconds_used(process.pid) > begun + seconds, process)

    def ended(self, process, code=INTERRUPTED):
        out, err = process.communicate(timeout=HANGING)
        self.assertEqual(process.returncode, code, out + err)
        return out, err

    def result_of(self, name):
        document = json.loads((self.path / name).read_text())
        jsonschema.validate(document, SCHEMA)
        return document

    def files(self):
        return sorted(path.name for path in self.path.iterdir())


class Signals(Runs):
    def check_early_end(self, arguments, number, seconds=1.0):
        process = self.start(*arguments, "--json", "out.json")
        self.wait_until_it_works(process, seconds)
        process.send_signal(number)
        out, err = self.ended(process)
        name = signal.Signals(number).name
        self.assertIn(f"{name}: the run ends after its present step", err)
        self.assertIn(f"ended early by {name}", err)
        document = self.result_of("out.json")
        self.assertIs(document["complete"], False)
        self.assertEqual(document["ended_by"], name)
        lines = [line for line in out.splitlines() if line.startswith("RESULT ")]
        self.assertEqual(len(lines), len(document["measurements"]))
        for line in lines:
            self.assertIn(" complete=no verdict=verified", line)
        return document

    def test_himeno(self):
        document = self.check_early_end(HIMENO, signal.SIGTERM, seconds=2.0)
        self.assertEqual(document["verdict"], "verified")
        self.assertEqual(len(document["measurements"]), 2)
        self.assertLess(len(document["measurements"][0]["timing"]["samples"]), 10000)
        self.assertEqual(self.files(), ["out.json"])

    def wait_for_progress(self, process, task, percent):
        """Its progress lines show that it is further in the task than that."""
        for line in process.stderr:
            found = re.search(rf"{task} +(\d+) %", line)
            if found and int(found.group(1)) > percent:
                return
        self.fail("the run ended by itself")

    def ended_within_a_repeat(self, *arguments):
        """The document of a run that a signal ends within its first repeat, of many minutes."""
        process = self.start(*arguments, "--repeat", "1", "--progress", "0.3", "--ceiling", "none", "--json", "out.json")
        self.wait_for_progress(process, f"{arguments[0]}.*", 0)
        process.send_signal(signal.SIGTERM)
        self.ended(process)
        document = self.result_of("out.json")
        self.assertEqual((document["complete"], document["ended_by"]), (False, "SIGTERM"))
        return document

    def test_himeno_within_its_only_repeat(self):
        for schedule in ("tuned", "fused"):
            with self.subTest(schedule=schedule):
                document = self.ended_within_a_repeat("himeno", "--size", "XS", "--schedule", schedule,
                                                      "--target-seconds", "200")
                self.assertEqual(document["verdict"], "verified")
                only, = document["measurements"]
                self.assertEqual(len(only["timing"]["samples"]), 1)
                iterations = only["parameters"]["iterations"]["value"]
                self.assertEqual(iterations % only["parameters"]["iterations_per_pass"]["value"], 0)
                note = next(note for note in only["notes"] if note.startswith("the one repeat was ended after"))
                self.assertLess(iterations, int(note.split()[-2]))

    def test_npb_within_its_only_repeat(self):
        for kernel, size in (("cg", "B"), ("ep", "D")):
            with self.subTest(kernel=kernel):
                document = self.ended_within_a_repeat("npb", kernel, "--class", size)
                self.assertEqual((document["measurements"], document["verdict"]), ([], "not applicable"))

    def test_hpcg_within_a_set(self):
        process = self.start("hpcg", "--local", "48x48x48", "--seconds", "20", "--no-output", "--progress", "0.3",
                             "--ceiling", "none", "--json", "out.json")
        self.wait_for_progress(process, "timed sets", 40)
        process.send_signal(signal.SIGTERM)
        self.ended(process)
        document = self.result_of("out.json")
        # On a machine so slow that there is one set, it ends within that and has nothing.
        self.assertEqual(document["verdict"], "verified" if document["measurements"] else "not applicable")

    def test_hpcg(self):
        document = self.check_early_end(HPCG, signal.SIGUSR1, seconds=3.0)
        self.assertEqual(document["verdict"], "verified")
        sets = document["measurements"][0]
        self.assertGreaterEqual(sets["figures"]["sets"]["value"], 1)
        self.assertTrue(any("ended early" in note for note in sets["notes"]), sets["notes"])
        report = next(self.path.glob("HPCG-Benchmark*.txt")).read_text()
        self.assertIn("ended early", report)
        self.assertNotIn("Please upload", report)

    def test_hpcg_before_its_timed_sets(self):
        process = self.start("hpcg", "--local", "96x96x96", "--seconds", "1000", "--output-dir", ".", "--json", "out.json")
        self.wait_until(lambda: catches(process.pid, signal.SIGTERM), process)
        process.send_signal(signal.SIGTERM)
        out, err = self.ended(process)
        self.assertIn("there are no results yet", err)
        self.assertNotIn("RESULT", out)
        document = self.result_of("out.json")
        self.assertEqual((document["complete"], document["measurements"], document["verdict"]), (False, [], "not applicable"))
        self.assertEqual(self.files(), ["out.json"])

    def test_npb(self):
        document = self.check_early_end(NPB, signal.SIGINT)
        self.assertEqual(document["verdict"], "verified")
        self.assertEqual(document["measurements"][0]["parameters"]["kernel"]["value"], "is")

    def test_probe(self):
        document = self.check_early_end(PROBE, signal.SIGTERM)
        self.assertEqual(document["workload"], "probe")

    def test_a_validation_within_a_family_of_cases(self):
        process = self.start("convect", "--validate", "quick", "--validate-parts", "critical-rayleigh", "--progress", "0.05",
                             "--json", "out.json")
        self.wait_for_progress(process, "validating: .*", 0)
        process.send_signal(signal.SIGTERM)
        _, err = self.ended(process)
        self.assertNotIn("there are no results", err)
        document = self.result_of("out.json")
        self.assertEqual((document["complete"], document["verdict"]), (False, "verified"))
        self.assertNotEqual(document["verification"], [])

    def test_convect(self):
        process = self.start(*CONVECT, "--json", "out.json")
        series = self.path / "run" / "series.csv"
        self.wait_until(lambda: series.exists() and series.read_text().count("\n") >= 3, process)
        process.send_signal(signal.SIGTERM)
        out, err = self.ended(process)
        self.assertIn("ended early by SIGTERM; the results so far are above, and in run, and in out.json", err)
        self.assertIn("wrote run/", out)
        document = self.result_of("run/run.json")
        self.assertEqual(document, self.result_of("out.json"))
        self.assertIs(document["complete"], False)
        self.assertIn(document["verdict"], ("verified", "under-resolved"))  # however far it came
        last = series.read_text().splitlines()[-1].split(",")
        step = document["measurements"][0]["figures"]["steps"]["value"]
        self.assertEqual(int(last[0]), step)
        pictures = (self.path / "run" / "slices.csv").read_text().splitlines()[1:]
        self.assertEqual({path.name for path in (self.path / "run" / "slices").iterdir()},
                         {line.split(",")[0].split("/")[1] for line in pictures})
        self.assertEqual([path for path in self.path.rglob("*part*")], [])

    def test_a_second_signal_ends_it_at_once(self):
        # Setting it up takes long, and is one piece.
        process = self.start("npb", "cg", "--class", "C")
        self.wait_until_it_works(process)
        process.send_signal(signal.SIGTERM)
        self.wait_until(lambda: not catches(process.pid, signal.SIGTERM), process)
        process.send_signal(signal.SIGTERM)
        self.ended(process, code=-signal.SIGTERM)

    def test_a_signal_that_was_ignored_stays_ignored(self):
        process = subprocess.Popen(["sh", "-c", "trap '' USR1; exec \"$@\"", "sh", BINARY, *NPB, "--device", "cpu", "--quiet"],
                                   cwd=self.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        self.wait_until_it_works(process, seconds=0.2)
        process.send_signal(signal.SIGUSR1)
        self.wait_until_it_works(process, seconds=0.5)
        process.send_signal(signal.SIGTERM)
        _, err = self.ended(process)
        self.assertNotIn("SIGUSR1", err)


@unittest.skipUnless(MPIRUN, "without mpirun")
class Ranks(Runs):
    def rank_processes(self, launcher):
        return [child for child in children_of(launcher.pid)
                if os.path.realpath(f"/proc/{child}/exe") == BINARY]

    def start_ranks(self, *arguments):
        launcher = self.start(*arguments, "--json", "out.json", ranks=3)
        self.wait_until(lambda: len(self.rank_processes(launcher)) == 3, launcher)
        ranks = self.rank_processes(launcher)
        for rank in ranks:
            self.wait_until(lambda rank=rank: catches(rank, signal.SIGUSR1), launcher)
        begun = seconds_used(ranks[0])
        self.wait_until(lambda: seconds_used(ranks[0]) > begun + 1.0, launcher)
        return launcher, ranks

    def check_one_end(self, launcher):
        _, err = self.ended(launcher)
        self.assertEqual(err.count("ended early by SIGUSR1"), 1, err)
        document = self.result_of("out.json")
        self.assertEqual((document["complete"], document["ended_by"]), (False, "SIGUSR1"))
        return document

    def test_a_signal_to_the_launcher(self):
        launcher, _ = self.start_ranks(*HIMENO)
        launcher.send_signal(signal.SIGUSR1)
        self.assertEqual(self.check_one_end(launcher)["verdict"], "verified")

    def test_a_signal_to_one_rank(self):
        for workload in (NPB, HPCG):
            with self.subTest(workload=workload[0]):
                launcher, ranks = self.start_ranks(*workload)
                os.kill(ranks[-1], signal.SIGUSR1)
                self.check_one_end(launcher)

    def test_scaling(self):
        launcher, ranks = self.start_ranks("scaling", "himeno", "--strong", "--size", "S", "--iterations", "64",
                                           "--repeat", "10000", "--ranks", "1,3")
        os.kill(ranks[0], signal.SIGUSR1)
        self.check_one_end(launcher)

    def test_scaling_within_a_repeat(self):
        launcher, ranks = self.start_ranks("scaling", "himeno", "--strong", "--size", "XS", "--target-seconds", "4000",
                                           "--repeat", "1", "--ranks", "1,3", "--ceiling", "none")
        os.kill(ranks[0], signal.SIGUSR1)
        self.assertEqual(self.check_one_end(launcher)["measurements"], [])

    def test_himeno_within_its_only_repeat(self):
        launcher, ranks = self.start_ranks("himeno", "--size", "XS", "--target-seconds", "2000", "--repeat", "1",
                                           "--ceiling", "none")
        os.kill(ranks[-1], signal.SIGUSR1)
        self.assertEqual(self.check_one_end(launcher)["verdict"], "verified")


class Kills(Runs):
    """A run that is killed leaves what stood there before it, or its own whole result."""

    WORKLOADS = {
        "himeno": ["himeno", "--size", "XS", "--iterations", "8", "--repeat", "3", "--ceiling", "none"],
        "npb": ["npb", "is", "--class", "S", "--repeat", "3", "--ceiling", "none"],
        "hpcg": ["hpcg", "--local", "16x16x16", "--quick-path", "--no-output", "--ceiling", "none"],
    }

    def wait_until_gone(self, processes):
        """Ranks whose launcher was killed end too."""
        deadline = time.monotonic() + HANGING
        while any(os.path.exists(f"/proc/{process}") for process in processes):
            self.assertLess(time.monotonic(), deadline, processes)
            time.sleep(0.02)

    def check_kills(self, ranks, times):
        chance = random.Random(7)
        target = self.path / "out.json"
        for name, arguments in self.WORKLOADS.items():
            target.write_text("before")
            begin = time.monotonic()
            out, err = self.start(*arguments, "--json", "out.json", ranks=ranks).communicate(timeout=HANGING)
            whole = time.monotonic() - begin
            self.assertEqual(self.result_of("out.json")["verdict"], "verified", out + err)
            for n in range(times):
                with self.subTest(workload=name, kill=n):
                    target.write_text("before")
                    process = self.start(*arguments, "--json", "out.json", ranks=ranks)
                    time.sleep(chance.uniform(0.0, 1.1 * whole))
                    started = children_of(process.pid) if process.poll() is None else []
                    process.kill()
                    process.communicate(timeout=HANGING)
                    self.wait_until_gone(started)
                    if target.read_text() != "before":
                        self.assertEqual(self.result_of("out.json")["verdict"], "verified")

    def test_alone(self):
        self.check_kills(ranks=1, times=7)

    def test_alone_often(self):
        self.check_kills(ranks=1, times=40)

    @unittest.skipUnless(MPIRUN, "without mpirun")
    def test_on_three_ranks(self):
        self.check_kills(ranks=3, times=8)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *UNITTEST_ARGUMENTS])
