#!/usr/bin/env python3
"""Runs the program where files cannot grow beyond a limit, at each of the places where that ends a write.

Usage: full_disk_test.py BANKFULL_BINARY FOLDER_OF_CASES [-- arguments of unittest]
"""

import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import unittest

from script_arguments import HANGING, OWN_ARGUMENTS, UNITTEST_ARGUMENTS

BINARY = os.path.realpath(OWN_ARGUMENTS[0])
CASES = pathlib.Path(OWN_ARGUMENTS[1]).resolve()

OK, FAILURE = range(2)

CPU = ["--device", "cpu", "--threads", "1"]
COMMANDS = {
    "info": ["info", "--json", "info.json"],
    "decompose": ["decompose", "--cells", "64x64x64", "--ranks", "1:8", "--json", "splits.json"],
    "himeno": ["himeno", "--size", "XS", "--iterations", "4", "--repeat", "2", "--ceiling", "none", "--json", "out.json", *CPU],
    "npb": ["npb", "mg", "--class", "S", "--repeat", "1", "--ceiling", "none", "--json", "out.json", *CPU],
    "hpcg": ["hpcg", "--local", "16x16x16", "--quick-path", "--ceiling", "none", "--json", "out.json", *CPU],
    "hpcg, reports only": ["hpcg", "--local", "16x16x16", "--quick-path", "--ceiling", "none", *CPU],
    # Without its report, which ends nothing (report_test.py).
    "convect": ["convect", "rayleigh-benard-2d", "--set", "cells=32x1x16", "--set", "steps=40", "--set", "output.series_every=2",
                "--set", "output.report=false", "--set", "output.snapshots=5", "--ceiling", "none", "--json", "out.json", *CPU],
}


class FullDisk(unittest.TestCase):
    def run_in(self, folder, arguments, limit=None):
        def bound():
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        environment = {k: v for k, v in os.environ.items() if not k.startswith("BANKFULL_")}
        environment["BANKFULL_CASES"] = str(CASES)
        return subprocess.run([BINARY, *arguments], cwd=folder, capture_output=True, text=True, timeout=HANGING, env=environment,
                              preexec_fn=bound if limit is not None else None)

    def files_in(self, folder):
        return {str(path.relative_to(folder)): path for path in sorted(pathlib.Path(folder).rglob("*")) if path.is_file()}

    def check_whole(self, name, path):
        data = path.read_bytes()
        self.assertNotIn(".part", name)
        self.assertTrue(data, f"{name} is empty")
        if name.endswith(".json"):
            json.loads(data)
        elif name.endswith(".png"):
            self.assertTrue(data.endswith(b"IEND\xaeB`\x82"), name)
        else:
            self.assertTrue(data.endswith(b"\n"), f"{name} ends within a line")

    def check_limits(self, command):
        with tempfile.TemporaryDirectory() as folder:
            result = self.run_in(folder, COMMANDS[command])
            self.assertEqual(result.returncode, OK, result.stdout + result.stderr)
            sizes = {path.stat().st_size for path in self.files_in(folder).values()}
        self.assertTrue(sizes)
        for limit in sorted({0, 1, *(size // 2 for size in sizes)}):
            with self.subTest(limit=limit), tempfile.TemporaryDirectory() as folder:
                result = self.run_in(folder, COMMANDS[command], limit)
                self.assertEqual(result.returncode, FAILURE, result.stdout + result.stderr)
                lines = [line for line in result.stderr.splitlines() if line.startswith("bankfull: ")]
                for line in lines[:-1]:  # a run that goes on without something ends so all the same
                    self.assertRegex(line, r"cannot write .*\.png: .*; the run continues without this picture$")
                self.assertIn("cannot write", lines[-1])
                self.assertNotIn("the run continues", lines[-1])
                for name, path in self.files_in(folder).items():
                    self.check_whole(name, path)
                    self.assertLessEqual(path.stat().st_size, limit)

    def test_info(self):
        self.check_limits("info")

    def test_decompose(self):
        self.check_limits("decompose")

    def test_himeno(self):
        self.check_limits("himeno")

    def test_npb(self):
        self.check_limits("npb")

    def test_hpcg(self):
        self.check_limits("hpcg")

    def test_hpcg_reports_only(self):
        self.check_limits("hpcg, reports only")

    def test_convect(self):
        self.check_limits("convect")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *UNITTEST_ARGUMENTS])
