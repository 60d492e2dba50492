#!/usr/bin/env python3
"""Tests the file that scripts/portable makes: what it needs of a node, and that it runs alone and with the MPI libraries.

Usage: portable_test.py BANKFULL_BINARY [-- arguments of unittest]
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

from script_arguments import HANGING, OWN_ARGUMENTS, UNITTEST_ARGUMENTS

BINARY = os.path.realpath(OWN_ARGUMENTS[0])
OF_GLIBC = {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"}
OLDEST_GLIBC = (2, 34)

OK, FAILURE, USAGE = range(3)
SMALL = ["himeno", "--size", "XS", "--device", "cpu", "--iterations", "4", "--repeat", "1", "--threads", "1", "--quiet"]
LAUNCHERS = {
    "Open MPI": ["mpirun.openmpi", "--oversubscribe", "--allow-run-as-root", "--bind-to", "none", "-n"],
    "MPICH": ["mpiexec.mpich", "-n"],
}


def environment(**more):
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("BANKFULL_", "MPI_HOME"))}
    return {**clean, "OMP_WAIT_POLICY": "passive", **more}


def run(*command, **variables):
    return subprocess.run(command, capture_output=True, text=True, timeout=HANGING, env=environment(**variables))


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=HANGING, check=True).stdout


def needed_libraries():
    return set(re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "--dynamic", "--wide", BINARY)))


def own_lines(result):
    return [line for line in result.stderr.splitlines() if line.startswith("bankfull: ")]


class File(unittest.TestCase):
    def test_needs_glibc_alone(self):
        self.assertLessEqual(needed_libraries(), OF_GLIBC)

    def test_needs_no_newer_function_of_glibc(self):
        symbols = re.findall(r"GLIBC_([0-9.]+)\)?\s+(\S+)", output_of("objdump", "--dynamic-syms", BINARY))
        self.assertTrue(symbols)
        newer = [f"{name} since {version}" for version, name in symbols
                 if tuple(map(int, version.split("."))) > OLDEST_GLIBC]
        self.assertEqual(newer, [])


class Alone(unittest.TestCase):
    def test_runs(self):
        result = run(BINARY, *SMALL)
        self.assertEqual(result.returncode, OK, result.stderr)

    def test_an_error_unwinds_to_its_message(self):
        result = run(BINARY, "himeno", "--size", "colossal")
        self.assertEqual(result.returncode, USAGE)
        self.assertEqual(len(own_lines(result)), 1, result.stderr)

    @unittest.skipUnless(os.geteuid() == 0, "only root changes the root folder")
    def test_runs_where_there_is_nothing_but_glibc(self):
        with tempfile.TemporaryDirectory() as root:
            for name in OF_GLIBC:
                found = next(path for folder in ("/lib64", "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu")
                             if (path := pathlib.Path(folder) / name).exists())
                for folder in ("lib64", "lib/x86_64-linux-gnu"):
                    (pathlib.Path(root) / folder).mkdir(parents=True, exist_ok=True)
                    shutil.copy(found, pathlib.Path(root) / folder / name)
            shutil.copy(BINARY, root)
            for arguments in (["--version"], ["info"], SMALL):
                result = run("chroot", root, "/bankfull", *arguments)
                self.assertEqual(result.returncode, OK, result.stderr)


class Ranks(unittest.TestCase):
    def test_run_with_the_library_of_their_launcher(self):
        for name, launcher in LAUNCHERS.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                if not shutil.which(launcher[0]):
                    self.skipTest(f"there is no {launcher[0]}")
                file = pathlib.Path(folder) / "run.json"
                result = run(*launcher, "2", BINARY, *SMALL, "--json", str(file))
                self.assertEqual(result.returncode, OK, result.stderr)
                ranks = json.loads(file.read_text())["context"]["ranks"]
                self.assertEqual(ranks["ranks"]["value"], 2)
                self.assertIn(name, ranks["mpi_library"]["value"])

    def test_failure_of_all_gives_one_message(self):
        for name, launcher in LAUNCHERS.items():
            with self.subTest(name):
                if not shutil.which(launcher[0]):
                    self.skipTest(f"there is no {launcher[0]}")
                result = run(*launcher, "2", BINARY, "himeno", "--size", "colossal")
                self.assertEqual(result.returncode, USAGE, result.stderr)
                self.assertEqual(len(own_lines(result)), 1, result.stderr)


class Choice(unittest.TestCase):
    """Below a launcher, as far as the environment shows."""

    LAUNCHED = {"PMI_RANK": "0", "PMI_SIZE": "1"}

    def refused(self, **variables):
        result = run(BINARY, *SMALL, **{**self.LAUNCHED, **variables})
        self.assertEqual(result.returncode, USAGE, result.stderr)
        self.assertEqual(len(own_lines(result)), 1, result.stderr)
        return own_lines(result)[0]

    def test_none(self):
        result = run(BINARY, *SMALL, **self.LAUNCHED, BANKFULL_MPI="none")
        self.assertEqual(result.returncode, OK, result.stderr)

    def test_none_refuses_ranks_that_would_not_know_of_each_other(self):
        self.assertIn("2 processes were started, but they use no MPI", self.refused(PMI_SIZE="2", BANKFULL_MPI="none"))

    def test_an_unknown_implementation(self):
        self.assertIn("use openmpi, mpich or none", self.refused(BANKFULL_MPI="lam"))

    def test_a_library_that_is_not_there(self):
        message = self.refused(BANKFULL_MPI="mpich", BANKFULL_MPI_LIBRARY="/nowhere/libmpi.so.12")
        self.assertIn("/nowhere/libmpi.so.12", message)
        self.assertIn("BANKFULL_MPI=none", message)

    def test_a_library_of_another_implementation(self):
        if not shutil.which("mpirun.openmpi"):
            self.skipTest("there is no Open MPI")
        self.assertIn("is Open MPI", self.refused(BANKFULL_MPI="mpich", BANKFULL_MPI_LIBRARY="libmpi.so.40"))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *UNITTEST_ARGUMENTS])
