#!/usr/bin/env python3
"""Tests of scripts/sanitize-gpu: a stand-in for compute-sanitizer prints what the real one would."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "sanitize-gpu"

INVALID_WRITE = """\
========= Invalid __global__ write of size 4 bytes
=========     at void bankfull::sweep_kernel<float>(T1 *)+0x60 in sweep.cuh:32
=========     by thread (5,0,0) in block (1,0,0)
=========     Address 0x7f0000000400 is out of bounds
=========     Saved host backtrace up to driver entry point at kernel launch time
=========         Host Frame: known_kernel [0x2ea2bd] in libcuda.so.1
=========
"""
RACE = """\
========= Error: Race reported between Write access at void ring::known_kernel<2>(Ring)+0x1f0 in belt.cuh:36
=========     and Read access at void ring::known_kernel<2>(Ring)+0x3b0 in belt.cuh:41 [508 hazards]
=========
"""
NO_ERRORS = "========= ERROR SUMMARY: 0 errors\n"
ONE_ERROR = "========= ERROR SUMMARY: 1 error\n"
NO_HAZARDS = "========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n"
ONE_HAZARD = "========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n"
KNOWN = "racecheck | ring_cuda_test:Ring.* | ring::known*kernel | its lanes are ordered otherwise\n"


def running(test, text=""):
    return f"[ RUN      ] {test}\n{text}[       OK ] {test} (3 ms)\n"


class Sanitized:
    """A run of the script; `prints` is what the tools print: {(tool, program): text}."""

    def __init__(self, prints, *arguments, alarms="", status=0, seconds=0):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for path in ("bin", "build/bin", "prints"):
                (root / path).mkdir(parents=True)
            for tool, program in prints:
                self.program(root / "build/bin" / program, "exit 0")
                (root / "prints" / f"{tool}.{program}").write_text(prints[tool, program])
            # What it was started with, then its text: --tool is its first option, the program its last but one.
            self.program(
                root / "bin/compute-sanitizer",
                f'echo "$*" >>"{root}/started"\nsleep {seconds}\n'
                f'cat "{root}/prints/$2.$(basename "${{@: -2:1}}")"\nexit {status}',
            )
            (root / "alarms.txt").write_text(alarms)
            environment = os.environ | {"PATH": f"{root}/bin:{os.environ['PATH']}"}
            done = subprocess.run(
                [SCRIPT, "--build", root / "build", "--false-alarms", root / "alarms.txt", *arguments],
                capture_output=True,
                text=True,
                check=False,
                env=environment,
            )
            self.status = done.returncode
            self.output = done.stdout + done.stderr
            started = root / "started"
            self.started = started.read_text().splitlines() if started.exists() else []

    @staticmethod
    def program(path, body):
        path.write_text(f"#!/usr/bin/env bash\n{body}\n")
        path.chmod(0o755)


def memcheck(text, **more):
    prints = {("memcheck", "ring_cuda_test"): "========= COMPUTE-SANITIZER\n" + text}
    return Sanitized(prints, "--tool", "memcheck", **more)


def racecheck(text, *arguments, **more):
    prints = {("racecheck", "ring_cuda_test"): "========= COMPUTE-SANITIZER\n" + text}
    return Sanitized(prints, "--tool", "racecheck", *arguments, **more)


class SanitizeGpu(unittest.TestCase):
    def passes(self, run):
        self.assertEqual(run.status, 0, run.output)

    def fails(self, run, *texts):
        self.assertEqual(run.status, 1, run.output)
        for text in texts:
            self.assertIn(text, run.output)

    def test_silence_passes(self):
        self.passes(memcheck(running("Ring.Turns") + NO_ERRORS))

    def test_a_report_fails_and_names_test_and_kernel(self):
        run = memcheck(running("Ring.Turns") + running("Ring.Stops", INVALID_WRITE) + ONE_ERROR)
        self.fails(run, "memcheck of ring_cuda_test, Ring.Stops: Invalid __global__ write")
        self.assertIn("sweep_kernel<float>", run.output)
        self.assertIn("1 reports, 0 of them known", run.output)

    def test_known_false_alarms_pass(self):
        run = racecheck(running("Ring.Turns", RACE + RACE) + ONE_HAZARD, alarms=KNOWN)
        self.passes(run)
        self.assertIn("2 reports, 2 of them known", run.output)

    def test_a_false_alarm_is_known_of_its_tool_tests_and_kernel_alone(self):
        self.fails(racecheck(running("Disc.Turns", RACE) + ONE_HAZARD, alarms=KNOWN), "Disc.Turns")
        other = RACE.replace("known_kernel", "other_kernel")
        self.fails(racecheck(running("Ring.Turns", other) + ONE_HAZARD, alarms=KNOWN), "other_kernel")
        self.fails(racecheck(running("Ring.Turns", RACE + other) + ONE_HAZARD, alarms=KNOWN), "other_kernel")
        self.fails(memcheck(running("Ring.Turns", RACE) + ONE_ERROR, alarms=KNOWN), "Race reported")

    def test_frames_of_the_host_name_no_kernel(self):
        known = "memcheck | ring_cuda_test:* | known_kernel | is only in the host's frames\n"
        self.fails(memcheck(running("Ring.Turns", INVALID_WRITE) + ONE_ERROR, alarms=known))

    def test_a_report_that_ends_without_an_empty_line(self):
        text = running("Ring.Turns", RACE.removesuffix("=========\n") + RACE.replace("known", "other"))
        self.fails(racecheck(text + ONE_HAZARD, alarms=KNOWN), "ring::other_kernel")

    def test_unknown_messages_are_failures(self):
        self.fails(memcheck("========= Internal error: no memory\n" + NO_ERRORS), "Internal error")

    def test_errors_counted_but_not_understood(self):
        self.fails(memcheck(running("Ring.Turns") + ONE_ERROR), "counts 1 errors")

    def test_a_tool_that_ends_without_its_summary(self):
        self.fails(memcheck(running("Ring.Turns")), "without a summary")

    def test_failing_tests(self):
        self.fails(memcheck(running("Ring.Turns") + NO_ERRORS, status=1), "exit status 1")
        self.fails(memcheck(NO_ERRORS, status=77), "sees no GPU")

    def test_time_limit(self):
        prints = {("memcheck", "ring_cuda_test"): NO_ERRORS}
        run = Sanitized(prints, "--tool", "memcheck", "--time-limit", "1", seconds=20)
        self.fails(run, "not at its end after 1 s")

    def test_tests_that_the_tool_cannot_run_are_left_out(self):
        some = "racecheck | ring_cuda_test:Loops.* | - | it ends there\n"
        run = racecheck(NO_HAZARDS, alarms=some)
        self.passes(run)
        self.assertTrue(run.started[0].endswith("--gtest_filter=*-Loops.*"), run.started)
        run = racecheck(NO_HAZARDS, "--tests", "Ring.*-Ring.Stops", alarms=some)
        self.assertTrue(run.started[0].endswith("--gtest_filter=Ring.*-Ring.Stops:Loops.*"), run.started)
        run = racecheck(NO_HAZARDS, alarms="racecheck | ring_cuda_test:* | - | it ends there\n")
        self.passes(run)
        self.assertEqual(run.started, [])

    def test_all_programs_under_both_tools(self):
        prints = {}
        for program in ("disc_cuda_test", "ring_cuda_test"):
            prints["memcheck", program] = NO_ERRORS
            prints["racecheck", program] = NO_HAZARDS
        run = Sanitized(prints)
        self.passes(run)
        self.assertEqual(len(run.started), 4)
        run = Sanitized(prints, "ring_cuda_test")
        self.assertEqual(len(run.started), 2)
        for line in run.started:
            self.assertIn("--print-limit 0 ", line)

    def test_bad_input(self):
        self.fails(memcheck(NO_ERRORS, alarms="racecheck | ring_cuda_test:* | kernel\n"), "alarms.txt:1:")
        self.fails(memcheck(NO_ERRORS, alarms="# reasons\nlintcheck | a:b | c | d\n"), "alarms.txt:2:")
        prints = {("memcheck", "ring_cuda_test"): NO_ERRORS}
        self.fails(Sanitized(prints, "--tool", "lintcheck"), "lintcheck")
        self.fails(Sanitized(prints, "disc_cuda_test"), "disc_cuda_test is not there")
        self.fails(Sanitized(prints, "--all"), "unknown option --all")
        self.fails(Sanitized({}), "no *_cuda_test")

    def test_the_recorded_list_is_read(self):
        recorded = (SCRIPT.parents[1] / "tests" / "gpu_false_alarms.txt").read_text()
        self.passes(memcheck(NO_ERRORS, alarms=recorded))


if __name__ == "__main__":
    unittest.main()
