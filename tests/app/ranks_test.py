#!/usr/bin/env python3
"""Runs the real binary on several ranks, as a user would; failures of one rank included.

Usage: ranks_test.py BANKFULL_BINARY MPIRUN [options of mpirun, up to its -n]
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

BINARY = os.path.realpath(sys.argv[1])
MPIRUN = sys.argv[2:]

OK, FAILURE, USAGE = range(3)
SMALL = ["--size", "XS", "--device", "cpu", "--iterations", "4", "--repeat", "1", "--quiet"]
LONG = ["himeno", "--size", "XS", "--device", "cpu", "--target-seconds", "120", "--threads", "1"]


def environment(**more):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("BANKFULL_")}
    return {**clean, **more}


def command(ranks, *arguments):
    return [*MPIRUN, str(ranks), BINARY, *arguments]


def run(ranks, *arguments):
    return subprocess.run(command(ranks, *arguments), capture_output=True, text=True, timeout=100,
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
                                       timeout=60, env=environment())
                self.assertEqual(len(result.stdout.splitlines()), len(alone.stdout.splitlines()))

    def test_bad_usage_is_one_message(self):
        self.refused(run(3, "himeno", "--device", "cpu", "--size", "nonsense"),
                     "bankfull: --size nonsense")
        self.refused(run(2, "himeno", "--sise", "M"), "--sise")
        self.refused(run(2), "no subcommand")

    def test_a_failure_of_one_rank_ends_all_and_names_it(self):
        start = time.monotonic()
        result = subprocess.run(
            [*command(1, "himeno", *SMALL), ":", MPIRUN[-1], "1", BINARY, "himeno", "--size",
             "nonsense"], capture_output=True, text=True, timeout=100, env=environment())
        self.refused(result, "bankfull: rank 1: --size nonsense")
        self.assertLess(time.monotonic() - start, 30)

    def test_unwritable_json_is_one_message(self):
        self.refused(run(2, "himeno", *SMALL, "--json", "/nonexistent/out.json"),
                     "bankfull: cannot write /nonexistent/out.json")

    def test_parts_of_the_probe_that_run_on_one_rank(self):
        self.refused(run(2, "probe", "bandwidth", "--device", "cpu"), "one rank")

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
        deadline = time.monotonic() + 30
        while len(processes_of_binary(launcher.pid)) < 2 and time.monotonic() < deadline:
            time.sleep(0.1)
        time.sleep(1.0)  # into the run
        ranks = processes_of_binary(launcher.pid)
        self.assertEqual(len(ranks), 2)
        os.kill(ranks[-1], signal.SIGKILL)
        self.assertNotEqual(launcher.wait(timeout=10), OK)
        self.assertEqual([rank for rank in ranks if os.path.exists(f"/proc/{rank}/exe")], [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
