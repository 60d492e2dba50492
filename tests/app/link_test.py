#!/usr/bin/env python3
"""Runs `probe link` of the real binary between ranks, as a user would, bad input included.

Usage: link_test.py BANKFULL_BINARY SCHEMA MPIRUN [options of mpirun, up to its -n] [-- arguments of unittest]
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from script_arguments import HANGING, OWN_ARGUMENTS, UNITTEST_ARGUMENTS

BINARY = os.path.realpath(OWN_ARGUMENTS[0])
SCHEMA = json.loads(pathlib.Path(OWN_ARGUMENTS[1]).read_text())
MPIRUN = OWN_ARGUMENTS[2:]

OK, FAILURE, USAGE = range(3)
CPU = ["--device", "cpu", "--threads", "1"]


def run(ranks, *arguments):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("BANKFULL_")}
    launcher = [*MPIRUN, str(ranks)] if ranks else []
    return subprocess.run([*launcher, BINARY, "probe", *arguments], capture_output=True, text=True,
                          timeout=HANGING, env=clean)


def own_lines(result):
    """Our lines on stderr: mpirun adds its own when a rank fails."""
    return [line for line in result.stderr.splitlines() if line.startswith("bankfull: ")]


class Link(unittest.TestCase):
    def refused(self, result, *words):
        self.assertEqual(result.returncode, USAGE, result.stderr)
        lines = own_lines(result)
        self.assertEqual(len(lines), 1, result.stderr)
        for word in words:
            self.assertIn(word, lines[0])
        self.assertEqual(result.stdout, "")

    def test_json_follows_the_schema(self):
        import jsonschema
        with tempfile.TemporaryDirectory() as folder:
            target = pathlib.Path(folder) / "link.json"
            result = run(2, "link", "--quick", *CPU, "--json", str(target))
            self.assertEqual(result.returncode, OK, result.stderr)
            document = json.loads(target.read_text())
        jsonschema.validate(document, SCHEMA)
        self.assertEqual(document["verdict"], "verified")
        self.assertEqual(document["problem"]["part"]["value"], "link")
        self.assertEqual([series["name"] for series in document["series"]],
                         ["exchange time, pair 0-1, mpi", "bandwidth, pair 0-1, mpi",
                          "exchange time, ring, mpi", "bandwidth, ring, mpi"])
        names = [m["name"] for m in document["measurements"]]
        self.assertIn("exchange of 64 KiB faces, ring, mpi", names)
        for measurement in document["measurements"]:
            self.assertEqual(measurement["parameters"]["devices"]["value"], "cpu - cpu")
            self.assertEqual(measurement["parameters"]["nodes"]["value"], 1)

    def test_the_report_has_tables_and_a_chart(self):
        result = run(3, "link", "--from", "8", "--to", "1KiB", "--repeat", "2", *CPU)
        self.assertEqual(result.returncode, OK, result.stderr)
        for words in ("time of an exchange", "GB/s that a rank sends", "pair 0-2, mpi",
                      "\nbandwidth, ring, mpi\n", "packing", "verdict=verified"):
            self.assertIn(words, result.stdout)
        self.assertNotIn("plateaus", result.stdout)
        self.assertEqual(result.stdout.count("time of an exchange"), 1)

    def test_one_rank_is_refused(self):
        wanted = "bankfull: probe link runs between ranks; start it with mpirun -n 2"
        self.refused(run(None, "link", *CPU), wanted)
        self.refused(run(1, "link", *CPU), wanted)

    def test_other_parts_point_to_links(self):
        for part in ("bandwidth", "latency", "chip", "peers", "all"):
            with self.subTest(part=part):
                self.refused(run(2, part, *CPU), f"probe {part} runs on one rank", "probe link")

    def test_bad_input_is_named(self):
        for arguments, words in ((["--transport", "pigeon"], "pigeon"),
                                 (["--transport", "nccl"], "--transport nccl"),
                                 (["--transport", "local"], "--transport local"),
                                 (["--to", "10"], "10 bytes"),
                                 (["--from", "1MiB", "--to", "8"], "is empty"),
                                 (["--to", "16GiB"], "16 GiB")):
            with self.subTest(arguments=arguments):
                self.refused(run(2, "link", *CPU, *arguments), words)
        self.refused(run(None, "bandwidth", *CPU, "--transport", "mpi"), "--transport")

    def test_a_dry_run_measures_nothing(self):
        result = run(2, "link", *CPU, "--dry-run")
        self.assertEqual(result.returncode, OK, result.stderr)
        self.assertEqual(len(result.stdout.splitlines()), 2)
        self.assertRegex(result.stdout, r"^probe link on cpu: memory .*\n  it fits: cpu has .* free\n$")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *UNITTEST_ARGUMENTS])
