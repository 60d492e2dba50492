"""Runs of `bankfull convect` in a folder of their own: what the tests of its files share."""

import csv
import os
import pathlib
import resource
import subprocess
import tempfile
import unittest

from script_arguments import HANGING, OWN_ARGUMENTS

BINARY = os.path.realpath(OWN_ARGUMENTS[0])

OK, FAILURE, USAGE, UNVERIFIED, BELOW, INTERRUPTED = range(6)


def clean_environment(**variables):
    """The environment without settings of the program, and with these variables."""
    return {**{name: value for name, value in os.environ.items() if not name.startswith("BANKFULL_")}, **variables}


def rows_of(path):
    with path.open() as lines:
        return list(csv.DictReader(lines))


def physics_of(series):
    """All of a series but the time that steps took."""
    with series.open() as lines:
        rows = list(csv.reader(lines))
    seconds = rows[0].index("ns_per_cell_step")
    return [row[:seconds] + row[seconds + 1:] for row in rows]


class Runs(unittest.TestCase):
    """Each test has an empty folder with `case` in layer.toml. Processes that still run at its end are killed."""

    case = ""
    environment = {}

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        self.run_folder = self.path / "run"
        (self.path / "layer.toml").write_text(self.case)

    def start(self, *arguments, limit=None, threads=1, launcher=()):
        """`limit`: bytes that a file can have. `launcher`: what starts the program, such as mpirun."""
        def bound():
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        process = subprocess.Popen([*launcher, BINARY, "convect", "--device", "cpu", "--threads", str(threads), "--ceiling", "none", *arguments],
                                   cwd=self.path, env=clean_environment(**self.environment), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, preexec_fn=bound if limit is not None else None)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        if process.poll() is None:
            process.kill()
        process.communicate()

    def run_convect(self, *arguments, code=OK, **how):
        process = self.start(*arguments, **how)
        out, err = process.communicate(timeout=HANGING)
        self.assertEqual(process.returncode, code, out + err)
        return out, err
