#!/usr/bin/env python3
"""Compares the memory that `--dry-run` states with the peak of the run itself.

Usage: memory_test.py BANKFULL_BINARY [-- arguments of unittest]
"""

import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time
import unittest

from script_arguments import HANGING, OWN_ARGUMENTS, UNITTEST_ARGUMENTS

BINARY = os.path.realpath(OWN_ARGUMENTS[0])
UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}

# What is stated may differ from the peak by this part of it. The program and its libraries are in both: their share depends
# on the C library and on what MPI loads, so small runs are allowed as much of it as it varies by.
TOLERANCE = 0.05
PROGRAM_VARIES_BY = 4 * 2**20


def stated_bytes(text):
    """The memory that a dry run states."""
    value, unit = re.search(r"memory ([\d.]+) (B|KiB|MiB|GiB)\b", text).groups()
    return float(value) * UNITS[unit]


class Memory(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def peak_until_its_end(self, child):
        """Waits for it; its exit status and the largest resident set that it had, in bytes."""
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        seen = 0
        while True:
            ended, status, usage = os.wait4(child, os.WNOHANG)
            if ended:
                break
            found = re.search(r"VmHWM:\s+(\d+) kB", pathlib.Path(f"/proc/{child}/status").read_text())
            seen = max(seen, int(found.group(1)) if found else 0)
            time.sleep(0.001)
        # What the system reports at the end is exact, but no less than what this script had when it started the program.
        return status, 1024 * (usage.ru_maxrss if usage.ru_maxrss > own else seen)

    def run_program(self, arguments):
        """Its output and the largest resident set that it had, in bytes."""
        clean = {k: v for k, v in os.environ.items() if not k.startswith("BANKFULL_")}
        out = os.path.join(self.folder, "out")
        actions = [(os.POSIX_SPAWN_OPEN, descriptor, out, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
                   for descriptor in (1, 2)]
        os.chdir(self.folder)
        child = os.posix_spawn(BINARY, [BINARY, *arguments], clean, file_actions=actions)
        status, peak = self.peak_until_its_end(child)
        text = pathlib.Path(out).read_text()
        os.remove(out)
        self.assertEqual(os.waitstatus_to_exitcode(status), 0, text)
        return text, peak

    def stated_and_peak(self, *arguments):
        command = [*arguments, "--device", "cpu"]
        command += [] if "--threads" in arguments else ["--threads", "2"]
        stated = stated_bytes(self.run_program([*command, "--dry-run"])[0])
        _, peak = self.run_program(command)
        return stated, peak

    def holds(self, *arguments, tolerance=TOLERANCE):
        stated, peak = self.stated_and_peak(*arguments)
        message = f"{' '.join(arguments)}: {stated / 2**20:.1f} MiB stated, {peak / 2**20:.1f} MiB at the peak"
        if os.environ.get("MEMORY_TEST_TELLS"):
            print(message)
        self.assertLessEqual(abs(stated - peak), tolerance * peak + PROGRAM_VARIES_BY, message)


class Himeno(Memory):
    def himeno(self, size, ceiling):
        self.holds("himeno", "--size", size, "--ceiling", ceiling, "--target-seconds", "0.05", "--repeat", "1",
                   "--warmup", "0")

    def test_without_ceilings(self):
        for size in ("XS", "S", "M"):
            with self.subTest(size=size):
                self.himeno(size, "none")

    def test_with_ceilings_where_the_work_asks_for_them(self):
        for size in ("XS", "S", "M"):
            with self.subTest(size=size):
                self.himeno(size, "auto")

    def test_double_precision_fused(self):
        self.holds("himeno", "--size", "S", "--ceiling", "none", "--target-seconds", "0.05", "--repeat", "1",
                   "--precision", "fp64", "--schedule", "tuned,fused")


class Limits(Memory):
    """What `ulimit` leaves is what there is."""

    def test_of_the_process(self):
        # Against an address space the libraries count too, which take hundreds of MiB with CUDA.
        for limit, free in ((resource.RLIMIT_AS, r"([1-9]|10)\d\d"), (resource.RLIMIT_DATA, r"(9|10)\d\d")):
            with self.subTest(limit=limit):
                result = subprocess.run(
                    [BINARY, "himeno", "--size", "L", "--device", "cpu", "--threads", "2"], capture_output=True, text=True, timeout=HANGING,
                    preexec_fn=lambda: resource.setrlimit(limit, (2**30, 2**30)))
                self.assertEqual(result.returncode, 2, result.stdout + result.stderr)
                self.assertRegex(result.stderr, rf"^bankfull: himeno L needs 1\.\d GiB, cpu has {free} MiB free; .* fits is M\n$")


class Npb(Memory):
    def npb(self, kernel, size, *more):
        self.holds("npb", kernel, "--class", size, "--repeat", "1", *more)

    def test_kernels_without_ceilings(self):
        for kernel, size in (("cg", "A"), ("ep", "S"), ("ft", "W"), ("is", "A"), ("mg", "W")):
            with self.subTest(kernel=kernel, size=size):
                self.npb(kernel, size, "--ceiling", "none")

    def test_larger_classes(self):
        for kernel in ("ft", "mg"):
            with self.subTest(kernel=kernel):
                self.npb(kernel, "A", "--ceiling", "none")

    def test_kernels_with_ceilings(self):
        for kernel in ("cg", "ft", "is", "mg"):
            with self.subTest(kernel=kernel):
                self.npb(kernel, "W", "--ceiling", "auto")

    def test_references(self):
        for kernel in ("cg", "ft", "is", "mg"):
            with self.subTest(kernel=kernel):
                self.npb(kernel, "S", "--ceiling", "none", "--schedule", "reference", "--threads", "1")


class Hpcg(Memory):
    def test_a_cube(self):
        self.holds("hpcg", "--local", "32x32x32", "--quick-path", "--no-output", "--ceiling", "none")

    def test_a_larger_cube(self):
        """A vector of the finest level is 1 % of the tuned solver's memory and 1.5 % of the reference's: none may be forgotten."""
        for variant in ("tuned", "reference"):
            with self.subTest(variant=variant):
                self.holds("hpcg", "--local", "96x96x96", "--quick-path", "--no-output", "--ceiling", "none", "--variant", variant, tolerance=0.01)

    def test_slim_columns_with_ceilings(self):
        self.holds("hpcg", "--local", "32x40x48", "--quick-path", "--no-output", "--columns", "slim")

    def test_reference(self):
        self.holds("hpcg", "--local", "32x32x32", "--quick-path", "--no-output", "--variant", "reference")


class Convect(Memory):
    def convect(self, *more):
        self.holds("convect", "rayleigh-1e7", "--set", "cells=96x96x96", "--set", "steps=2", *more)

    def test_direct(self):
        self.convect("--set", "solver=direct", "--ceiling", "none")

    def test_multigrid(self):
        self.convect("--set", "solver=multigrid", "--ceiling", "none")

    def test_single_precision_with_ceilings(self):
        self.convect("--set", "precision=fp32")

    def test_fields(self):
        self.convect("--set", "solver=direct", "--ceiling", "none", "--set", "fields.every=1")

    def test_compressed_fields_through_few_buffers(self):
        self.convect("--set", "solver=direct", "--ceiling", "none", "--set", "fields.every=1", "--set", "fields.buffer=1",
                     "--set", "fields.compression=1", "--set", "fields.precision=fp32")

    def test_bounded_advection(self):
        self.convect("--set", "physics.advection=bounded", "--set", "solver=direct", "--ceiling", "none")

    def test_the_flow_of_a_finer_run(self):
        """Small, so that what is held of the other run is most of it."""
        self.run_program(["convect", "rayleigh-1e7", "--device", "cpu", "--set", "cells=160x160x160", "--set", "steps=1", "--set", "solver=direct",
                          "--set", "output.snapshots=0", "--set", "checkpoint.every=1", "--ceiling", "none", "--output", "fine"])
        self.holds("convect", "rayleigh-1e7", "--set", "cells=64x64x64", "--set", "steps=2", "--set", "solver=direct", "--ceiling", "none",
                   "--set", "initial.from=fine")

    def test_convect_samples(self):
        """A long axis, so that batches of samples are as large as the flow; enough steps for all of them."""
        self.holds("convect", "rayleigh-1e7", "--set", "cells=4096x8x8", "--set", "time={dt=1e-5,steps=40}", "--set", "solver=direct", "--ceiling", "none",
                   "--set", "output.snapshots=0", "--set", "statistics.profiles=x", "--set", "statistics.every=1")


class Probe(Memory):
    def test_bandwidth(self):
        self.holds("probe", "bandwidth", "--quick", "--to", "64MiB", "--operation", "copy", "--n-copy", "1",
                   "--ceiling", "none")

    def test_latency(self):
        self.holds("probe", "latency", "--quick", "--footprint-to", "128MiB")

    def test_chip(self):
        self.holds("probe", "chip", "--quick", "--footprint-to", "128MiB")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *UNITTEST_ARGUMENTS])
