#!/usr/bin/env python3
"""Runs `bankfull convect` on several ranks: the files are those of one rank.

Usage: convect_ranks_test.py BANKFULL_BINARY MPIRUN [options of mpirun, up to its -n] [-- arguments of unittest]
"""

import csv
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest
from random import Random

import convect_runs
from convect_runs import INTERRUPTED, OK, USAGE, physics_of
from script_arguments import HANGING, OWN_ARGUMENTS, UNITTEST_ARGUMENTS

MPIRUN = OWN_ARGUMENTS[1:]

# Walls along one axis, which rank 0 alone does not have; large enough for multigrid to be shared.
LAYER = """\
[domain]
upper = [2, 1, 1]
cells = [24, 16, 24]

[physics]
rayleigh = 1e4
prandtl = 0.71
scaling = "free-fall"

[[scalar]]
name = "salt"
diffusivity = 0.01
buoyancy = -0.1
advection = "bounded"

[boundaries]
x = "periodic"
y = "periodic"
z.lower = { velocity = { varying = ["0.1*sin(3*t)", 0, 0] }, temperature = 0.5, salt = 0 }
z.upper = { velocity = "no-slip", temperature = -0.5, salt = { flux = 0.01 } }

[initial]
temperature = "0.5 - z"
noise = 1e-2

[time]
cfl = 0.3
longest = 0.05
steps = 40

[solver]
pressure = "multigrid"
divergence = 1e-6

[output]
series_every = 5
snapshots = 3

[[output.slice]]
field = "temperature"

[[output.slice]]
fields = ["w", "speed"]
normal = "z"

[fields]
every = 20

[[spectrum]]
name = "box"
along = "y"
every = 3

[[probe]]
name = "point"
at = [0.3, 0.4, 0.98]
every = 3

[[probe]]
name = "line"
from = [0, 0.5, 0]
to = [2, 1, 1]
points = 7
fields = ["temperature", "w"]
time = 0.034

[checkpoint]
every = 10
"""


class Runs(convect_runs.Runs):
    case = LAYER

    def start(self, ranks, *arguments):
        return super().start(*arguments, launcher=[*MPIRUN, str(ranks)])

    def ranks_of(self, launcher):
        children = subprocess.run(["ps", "--ppid", str(launcher.pid), "-o", "pid=", "-o", "args="], capture_output=True, text=True)
        return [int(line.split()[0]) for line in children.stdout.splitlines() if "bankfull" in line]

    def assert_same(self, found, expected):
        """Whatever number of ranks has written it."""
        self.assertEqual(physics_of(found / "series.csv"), physics_of(expected / "series.csv"))
        self.assertEqual((found / "slices.csv").read_text(), (expected / "slices.csv").read_text())
        for folder in ("slices", "fields", "probes", "spectra"):
            names = sorted(path.name for path in (expected / folder).iterdir())
            self.assertTrue(names)
            self.assertEqual(sorted(path.name for path in (found / folder).iterdir()), names)
            for name in names:
                self.assertEqual((found / folder / name).read_bytes(), (expected / folder / name).read_bytes(), name)

    def whole(self, *settings):
        self.run_convect(1, "layer.toml", "--output", "whole", *settings)
        return self.path / "whole"


class Files(Runs):
    def test_are_those_of_one_rank(self):
        whole = self.whole()
        for ranks in (2, 3, 4):
            out, _ = self.run_convect(ranks, "layer.toml", "--output", f"on-{ranks}")
            self.assertIn(f"{ranks} ranks, ", out)
            self.assert_same(self.path / f"on-{ranks}", whole)

    def test_of_a_stretched_layer_are_those_of_one_rank(self):
        settings = ["--set", "domain.stretching=[0,0,1.5]", "--set", "time.scheme=runge-kutta", "--set", "steps=20",
                    "--set", "time.implicit_diffusion=stretched", "--set", "scalar.0.advection=centred"]
        whole = self.whole(*settings)
        out, _ = self.run_convect(2, "layer.toml", "--output", "on-2", *settings)
        self.assertIn("2 ranks, 1x2x1 along x, y, z", out)
        self.assert_same(self.path / "on-2", whole)


class Checkpoints(Runs):
    # Of another rank than the first: a disk of its own in place of the folder.
    hidden = """if [ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 0 ]; then exec "$@"; fi
                exec unshare --mount sh -c 'mount -t tmpfs none disk && mkdir disk/run && exec "$@"' sh "$@" """

    def contents(self, folder):
        """The names and CRC-32 of the state in the last checkpoint."""
        data = sorted((folder / "checkpoint").glob("*.h5"))[-1].read_bytes()
        lines = re.findall(rb"[0-9a-f]{8} state/\S+", data)
        self.assertTrue(lines)
        return lines

    def assert_whole(self, folder):
        """Its last checkpoint is read, which compares what the file has with its checksums."""
        out, err = self.run_convect(1, "--restart", folder, "--set", "steps=41")
        self.assertIn("continues from step 40", out)
        self.assertNotIn("cannot read", err)

    def test_written_together_are_those_of_one_rank(self):
        whole = self.contents(self.whole())
        for ranks in (2, 3):
            self.run_convect(ranks, "layer.toml", "--output", f"on-{ranks}")
            self.assertEqual(self.contents(self.path / f"on-{ranks}"), whole)
            self.assert_whole(f"on-{ranks}")

    def test_that_one_rank_cannot_write(self):
        if "HYDRA" in subprocess.run([MPIRUN[0], "--version"], capture_output=True, text=True).stdout:
            self.skipTest("MPICH starts with larger files of shared memory")
        limited = """if [ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 1 ]; then ulimit -f 16; fi; exec "$@" """
        process = convect_runs.Runs.start(self, "layer.toml", "--output", "run", launcher=[*MPIRUN, "2", "sh", "-c", limited, "sh"])
        out, err = process.communicate(timeout=HANGING)
        self.assertEqual(process.returncode, OK, out + err)
        self.assertRegex(err, r"rank 1: cannot write run/checkpoint/step-0000000010.h5: File too large; the run continues")
        self.assertEqual(list((self.path / "run/checkpoint").glob("*")), [])

    def test_that_not_all_ranks_see_are_those_of_one_rank(self):
        whole = self.contents(self.whole())
        (self.path / "disk").mkdir()
        private = ["unshare", "--mount", "sh", "-c", "mount -t tmpfs none disk"]
        if shutil.which("unshare") is None or subprocess.run(private, cwd=self.path, capture_output=True).returncode != 0:
            self.skipTest("this user may mount no file system")
        process = convect_runs.Runs.start(self, "layer.toml", "--output", "disk/run", launcher=[*MPIRUN, "2", "sh", "-c", self.hidden, "sh"])
        out, err = process.communicate(timeout=HANGING)
        self.assertEqual(process.returncode, OK, out + err)
        self.assertEqual(self.contents(self.path / "disk/run"), whole)
        self.assert_whole("disk/run")


class Restarts(Runs):
    def test_on_any_number_of_ranks_are_the_same_run(self):
        whole = self.whole()
        shutil.copytree(whole, self.path / "run")
        for ranks in (3, 1, 2):
            (self.path / "run/checkpoint/step-0000000040.h5").unlink()
            out, _ = self.run_convect(ranks, "--restart", "run")
            self.assertIn("continues from step 30", out)
            self.assert_same(self.path / "run", whole)

    def test_after_a_signal_are_the_same_run(self):
        settings = ["--set", "steps=1000", "--set", "output.series_every=100", "--set", "fields.every=500",
                    "--set", "checkpoint.every=50"]
        whole = self.whole(*settings)
        process = self.start(2, "layer.toml", "--output", "run", *settings)
        self.wait_for_checkpoint(process)
        process.send_signal(signal.SIGUSR1)
        out, err = process.communicate(timeout=HANGING)
        if process.returncode != OK:  # it was faster than we
            self.assertEqual(process.returncode, INTERRUPTED, out + err)
            self.run_convect(3, "--restart", "run")
        self.assert_same(self.path / "run", whole)

    def test_after_a_rank_was_killed_are_the_same_run(self):
        settings = ["--set", "steps=1000", "--set", "output.series_every=100", "--set", "fields.every=500",
                    "--set", "checkpoint.every=50"]
        whole = self.whole(*settings)
        process = self.start(3, "layer.toml", "--output", "run", *settings)
        self.wait_for_checkpoint(process)
        ranks = self.ranks_of(process)
        self.assertTrue(ranks or process.poll() is not None, "mpirun has no ranks")
        if ranks:
            os.kill(ranks[-1], signal.SIGKILL)
        process.communicate(timeout=HANGING)
        if process.returncode != OK:  # else it was faster than we
            self.run_convect(2, "--restart", "run")
        self.assert_same(self.path / "run", whole)

    def wait_for_checkpoint(self, process):
        while process.poll() is None and not any((self.path / "run/checkpoint").glob("*.h5")):
            time.sleep(0.001)


class Killed(Runs):
    """SIGKILL to random ranks at random moments; each time the run continues on another number of ranks."""

    def test_continues_after_many_kills_of_ranks(self):
        settings = ["--set", "steps=4000", "--set", "output.series_every=100", "--set", "fields.every=1000",
                    "--set", "checkpoint.every=10"]
        whole = self.whole(*settings)
        random = Random(20)
        kills = 0
        while kills < 50:
            process = self.start(random.randint(2, 5), *self.start_or_restart(settings))
            time.sleep(random.uniform(0.3, 2.0))
            ranks = self.ranks_of(process)
            if ranks:
                os.kill(random.choice(ranks), signal.SIGKILL)
                kills += 1
            out, err = process.communicate(timeout=HANGING)
            if process.returncode == OK:  # it was faster than we
                break
        self.assertGreater(kills, 0)
        if process.returncode != OK:
            self.run_convect(random.randint(1, 5), *self.start_or_restart(settings))
        self.assert_same(self.path / "run", whole)

    def start_or_restart(self, settings):
        """There is no checkpoint until the first has been written."""
        if any((self.path / "run/checkpoint").glob("*.h5")):
            return ["--restart", "run"]
        return ["layer.toml", "--output", "run", "--overwrite", *settings]


class DirectSolver(Runs):
    def series_of(self, run):
        with (self.path / run / "series.csv").open() as lines:
            return list(csv.DictReader(lines))

    def test_gives_the_flow_of_one_rank_to_rounding(self):
        self.run_convect(1, "layer.toml", "--output", "whole", "--set", "solver.pressure=direct")
        whole = self.series_of("whole")
        for ranks in (2, 3, 5):
            out, _ = self.run_convect(ranks, "layer.toml", "--output", f"on-{ranks}", "--set", "solver.pressure=direct")
            self.assertIn(f"{ranks} ranks, 1x1x{ranks} along x, y, z", out)
            self.assertIn("a pressure solve sends", out)
            rows = self.series_of(f"on-{ranks}")
            self.assertEqual(len(rows), len(whole))
            for found, expected in zip(rows, whole):
                for name in ("time", "kinetic_energy", "nusselt_lower", "nusselt_volume"):
                    self.assertAlmostEqual(float(found[name]), float(expected[name]), delta=1e-10 * abs(float(expected[name])), msg=name)

    def test_is_chosen_by_auto(self):
        out, _ = self.run_convect(3, "layer.toml", "--dry-run", "--set", "solver.pressure=auto")
        self.assertIn("pressure: direct, chosen by auto", out)
        out, _ = self.run_convect(3, "layer.toml", "--dry-run", "--set", "solver.pressure=auto", "--set", "cells=64x64x2")
        self.assertIn("pressure: multigrid, chosen by auto (there is no direct solver: it gives each rank planes across z, and has "
                      "2 planes for 3 ranks)", out)


class Statistics(Runs):
    settings = ["--set", 'statistics=[{profiles=["x","y","z"], every=3}]']

    def profiles_of(self, run):
        found = {}
        for file in sorted((self.path / run / "profiles").glob("*.csv")):
            lines = [line for line in file.read_text().splitlines() if not line.startswith("#")]
            found[file.name] = [[float(value) if value else None for value in line.split(",")] for line in lines[1:]]
        return found

    def assert_close(self, found, expected):
        self.assertEqual(found.keys(), expected.keys())
        self.assertGreaterEqual(len(found), 3)
        for name, rows in expected.items():
            self.assertEqual(len(found[name]), len(rows))
            for row, expected_row in zip(found[name], rows):
                for value, expected_value in zip(row, expected_row):
                    self.assertAlmostEqual(value, expected_value, delta=1e-10 * max(1, abs(expected_value)), msg=name)

    def test_are_those_of_one_rank_to_rounding_and_survive_restarts(self):
        self.run_convect(1, "layer.toml", "--output", "whole", *self.settings)
        expected = self.profiles_of("whole")
        self.run_convect(3, "layer.toml", "--output", "run", *self.settings)
        self.assert_close(self.profiles_of("run"), expected)
        (self.path / "run/checkpoint/step-0000000040.h5").unlink()
        self.run_convect(2, "--restart", "run")
        self.assert_close(self.profiles_of("run"), expected)


class Plans(Runs):
    def refused(self, ranks, *arguments):
        _, err = self.run_convect(ranks, "layer.toml", *arguments, code=USAGE)
        lines = [line for line in err.splitlines() if line.startswith("bankfull: ")]
        self.assertEqual(len(lines), 1, err)
        self.assertFalse((self.path / "layer-run").exists())
        return lines[0]

    def test_state_how_the_grid_is_cut(self):
        out, _ = self.run_convect(4, "layer.toml", "--dry-run", "--set", "cells=32x64x32")
        self.assertIn("4 ranks, 2x1x2 along x, y, z: blocks of at most 16x64x16 cells; multigrid shares 2 levels, ", out)
        self.assertFalse((self.path / "layer-run").exists())

    def test_refuse_what_runs_on_one_rank(self):
        line = self.refused(3, "--set", "solver.pressure=direct", "--set", "cells=64x64x2")
        self.assertIn("has 2 planes for 3 ranks; use the solver auto or multigrid", line)

    def test_count_the_buffers_of_output_once(self):
        def planned(ranks, *arguments):
            out, _ = self.run_convect(ranks, "layer.toml", "--dry-run", "--set", "cells=96x96x96", *arguments)
            amount, unit = re.search(r"memory ([0-9.]+) (MiB|GiB)", out).groups()
            return float(amount) * {"MiB": 1, "GiB": 1024}[unit]

        def of_output(ranks):
            return planned(ranks) - planned(ranks, "--set", "fields.every=0")

        self.assertLess(of_output(4), 2 * of_output(1))

    def test_refuse_too_many_ranks(self):
        line = self.refused(5, "--set", "spectrum=[]", "--set", "cells=32x1x16", "--set", "domain.stretching=[0,0,1.5]")
        self.assertIn("rows along x stay whole", line)
        self.assertIn("lines along z", line)
        self.assertIn("without mpirun", line)
        self.assertIn("use 4 ranks", self.refused(5, "--set", "spectrum=[]", "--set", "cells=32x1x4"))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *UNITTEST_ARGUMENTS])
