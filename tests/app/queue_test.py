#!/usr/bin/env python3
"""Runs the job script for Slurm, with programs in Slurm's place that note what they were asked for.

Usage: queue_test.py BANKFULL_BINARY JOB_SCRIPT CASES [-- arguments of unittest]
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

from script_arguments import HANGING, OWN_ARGUMENTS, UNITTEST_ARGUMENTS

BINARY, SCRIPT, CASES = (pathlib.Path(argument).resolve() for argument in OWN_ARGUMENTS)

OK, _, USAGE, _, _, INTERRUPTED = range(6)

ENDLESS = ["--set", "cells=8x8x8", "--set", "time.end=1e9", "--set", "output.snapshots=0", "--set", "output.series_every=1000",
           "--threads", "1"]


class LongRun(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.run_folder = self.folder / "run"
        self.requests = self.folder / "requests"
        programs = self.folder / "bin"
        programs.mkdir()
        (programs / "bankfull").symlink_to(BINARY)
        for name, text in (("squeue", 'echo "$TIME_LEFT"'), ("srun", 'echo "$*" >>"$REQUESTS"; exec "$@"'),
                           ("scontrol", 'echo "scontrol $*" >>"$REQUESTS"'), ("sleep", "")):
            (programs / name).write_text(f"#!/bin/sh\n{text}\n")
            (programs / name).chmod(0o755)
        self.environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "REQUESTS": str(self.requests),
                            "SLURM_JOB_ID": "17", "BANKFULL_CASES": str(CASES)}

    def start(self, time_left, *arguments):
        self.requests.write_text("")
        return subprocess.Popen([SCRIPT, *arguments], env={**self.environment, "TIME_LEFT": time_left}, cwd=self.folder,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def end_of(self, job):
        """Its exit code, and what it asked Slurm for."""
        return job.wait(timeout=HANGING), self.requests.read_text().splitlines()

    def piece(self, time_left, *arguments):
        return self.end_of(self.start(time_left, *arguments))

    def wait_until(self, condition):
        deadline = time.monotonic() + HANGING
        while not condition():
            self.assertLess(time.monotonic(), deadline, "nothing happens")
            time.sleep(0.05)

    def steps(self):
        return json.loads((self.run_folder / "run.json").read_text())["measurements"][0]["figures"]["steps"]["value"]

    def test_continues_until_the_run_is_stopped(self):
        status, requests = self.piece("0:08", "rayleigh-1e7", "run", *ENDLESS)
        self.assertEqual(INTERRUPTED, status)
        self.assertEqual(["bankfull convect rayleigh-1e7 --output run --walltime 0:00:08 " + " ".join(ENDLESS),
                          "scontrol requeue 17"], requests)
        first = self.steps()

        status, requests = self.piece("0:08", "rayleigh-1e7", "run", *ENDLESS)
        self.assertEqual(INTERRUPTED, status)
        self.assertEqual(["bankfull convect --restart run --walltime 0:00:08", "scontrol requeue 17"], requests)
        self.assertGreater(self.steps(), first)

        series = self.run_folder / "series.csv"
        rows = series.stat().st_mtime_ns
        job = self.start("UNLIMITED", "rayleigh-1e7", "run", *ENDLESS)
        self.wait_until(lambda: series.stat().st_mtime_ns > rows)
        (self.run_folder / "stop").touch()
        status, requests = self.end_of(job)
        self.assertEqual(["bankfull convect --restart run"], requests, "a run that its user stopped is not requeued")
        self.assertEqual(INTERRUPTED, status)

    def test_ends_with_the_run(self):
        status, requests = self.piece("1-02:03:04", "rayleigh-1e7", "run", "--set", "cells=8x8x8", "--set", "time.steps=5")
        self.assertEqual(OK, status)
        self.assertEqual(["bankfull convect rayleigh-1e7 --output run --walltime 26:03:04 --set cells=8x8x8 --set time.steps=5"],
                         requests)

    def test_begins_anew_before_the_first_checkpoint(self):
        self.run_folder.mkdir()
        status, requests = self.piece("UNLIMITED", "rayleigh-1e7", "run", "--set", "cells=8x8x8", "--set", "time.steps=5")
        self.assertEqual(OK, status)
        self.assertEqual(["bankfull convect rayleigh-1e7 --output run --overwrite --set cells=8x8x8 --set time.steps=5"], requests)

    def test_does_not_requeue_what_is_refused(self):
        status, requests = self.piece("0:08", "no-such-case", "run")
        self.assertEqual(USAGE, status)
        self.assertEqual(["bankfull convect no-such-case --output run --walltime 0:00:08"], requests)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *UNITTEST_ARGUMENTS])
