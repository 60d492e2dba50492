#!/usr/bin/env python3
"""Stops runs of `bankfull convect` in all ways and goes on with them.

Usage: restart_test.py BANKFULL_BINARY SCHEMA_OF_RESULTS [-- arguments of unittest]
"""

import csv
import ctypes
import errno
import json
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import sys
import time
import unittest
import zlib

import jsonschema

try:
    import h5py
except ImportError:  # then less is compared
    h5py = None

import convect_runs
from convect_runs import BINARY, FAILURE, INTERRUPTED, OK, USAGE, clean_environment, physics_of, rows_of
from script_arguments import HANGING, OWN_ARGUMENTS, UNITTEST_ARGUMENTS

SCHEMA = json.loads(pathlib.Path(OWN_ARGUMENTS[1]).read_text())

# Small, and yet with rows, pictures and checkpoints while it goes on.
LAYER = """\
[domain]
upper = [2, 1, 1]
cells = [16, 8, 8]
stretching = [0, 0, 1.2]

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
# Fastest at the start: what multigrid may leave of a divergence depends on the largest velocity in
# the run, and pieces of a run must not differ in that.
z.lower = { velocity = { varying = ["0.1*cos(3*t)", 0, 0] }, temperature = 0.5, salt = 0 }
z.upper = { velocity = "no-slip", temperature = -0.5, salt = { flux = 0.01 } }

[initial]
temperature = "0.5 - z"
noise = 1e-2

[time]
dt = 0.005
steps = 60

[solver]
pressure = "multigrid"
divergence = 1e-6

[output]
series_every = 2
snapshots = 7

[[output.slice]]
field = "temperature"

[[output.slice]]
fields = ["w", "speed"]

[[statistics]]
profiles = ["x", "z"]
every = 2

[[statistics]]
name = "late"
from = 0.1
until = 0.25
every = 1

[[spectrum]]
name = "box"
along = "y"
every = 3

[[spectrum]]
name = "planes"
at = [0.1, 0.5]
from = 0.06
every = 2

[[probe]]
name = "point"
at = [0.3, 0.4, 0.9]
every = 3

[[probe]]
name = "line"
from = [0, 0.5, 0.5]
to = [2, 0.5, 0.5]
points = 5
fields = ["temperature", "w"]
time = 0.034

[checkpoint]
every = 7
"""


def without_room_set_aside(probe=False):
    """From now on fallocate() of this process fails, as on file systems without it; with `probe` whether it can."""
    number = {"x86_64": 285, "aarch64": 47}.get(os.uname().machine)
    if number is None:
        return False
    if probe:
        return True
    # Filters of the kernel: look at the number of the call; if it is that one answer EOPNOTSUPP, or else let it pass.
    code = b"".join(struct.pack("HBBI", *line) for line in (
        (0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, 0x00050000 | errno.EOPNOTSUPP), (0x06, 0, 0, 0x7FFF0000)))
    lines = ctypes.create_string_buffer(code, len(code))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxP", 4, ctypes.addressof(lines)))
    libc = ctypes.CDLL(None, use_errno=True)
    no_new_privileges, set_filters, filters = 38, 22, 2
    if libc.prctl(no_new_privileges, 1, 0, 0, 0) != 0 or libc.prctl(set_filters, filters, program, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")
    return True


class Runs(convect_runs.Runs):
    case = LAYER

    def whole(self, *arguments):
        """The folder of the undisturbed run."""
        self.run_convect("layer.toml", "--output", "whole", *arguments)
        return self.path / "whole"

    def names(self, folder):
        return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())

    def checkpoints(self, folder=None):
        return sorted(((folder or self.run_folder) / "checkpoint").glob("*"))

    def assert_same(self, found, expected):
        """Both folders hold the same run, bit for bit. Of the last two checkpoints one may be of a signal."""
        one, other = (sorted(set(self.names(folder)) - {f"checkpoint/{path.name}" for path in self.checkpoints(folder)[:-1]})
                      for folder in (found, expected))
        self.assertEqual(one, other)
        self.assertEqual(physics_of(found / "series.csv"), physics_of(expected / "series.csv"))
        for name in other:
            if name not in ("series.csv", "run.json", "report-data.js"):
                self.compare(found / name, expected / name)

    def compare(self, found, expected):
        if expected.parent.name != "checkpoint":
            self.assertEqual(found.read_bytes(), expected.read_bytes(), expected.name)
            return
        # What the run had told by then takes other numbers of bytes: times of steps are part of rows.
        self.assertEqual(found.stat().st_size, expected.stat().st_size)
        if h5py is None:
            return
        with h5py.File(found) as one, h5py.File(expected) as other:
            names = []
            other["state"].visititems(lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) else None)
            self.assertIn("flow/salt", names)
            self.assertIn("potential", names)
            self.assertIn("flux/salt/z", names)
            for name in names:
                self.assertEqual(one["state"][name][()].tobytes(), other["state"][name][()].tobytes(), name)


class Restart(Runs):
    def test_two_pieces_are_the_whole(self):
        # Pictures are spread over the length of a run.
        whole = self.whole("--set", "output.snapshots=0")
        self.run_convect("layer.toml", "--output", "run", "--set", "steps=25", "--set", "output.snapshots=0")
        out, _ = self.run_convect("--restart", "run", "--set", "steps=60", threads=2)
        self.assertIn("continues from step 25, time 0.125, of run/checkpoint/step-0000000025.h5", out)
        self.assertIn("changed: time.steps = 60, was 25", out)
        self.assert_same(self.run_folder, whole)

    def test_from_a_file_back_in_time(self):
        whole = self.whole()
        self.run_convect("layer.toml", "--output", "run")
        older, newer = self.checkpoints()
        self.assertEqual((older.name, newer.name), ("step-0000000056.h5", "step-0000000060.h5"))
        shutil.move(older, self.path / older.name)
        _, err = self.run_convect("--restart", str(self.path / older.name), code=USAGE)
        self.assertIn("it is not in the folder checkpoint/ of a run", err)
        shutil.move(self.path / older.name, older)
        out, _ = self.run_convect("--restart", str(older))
        self.assertIn("continues from step 56", out)
        self.assertIn("an earlier run was continued from its step 56", out)
        self.assertEqual(physics_of(self.run_folder / "series.csv"), physics_of(whole / "series.csv"))

    def test_probes_that_are_added_begin_where_the_run_continues(self):
        self.run_convect("layer.toml", "--output", "run", "--set", "steps=25", "--set", "output.snapshots=0")
        line = (self.run_folder / "probes" / "line.csv").read_text()
        _, err = self.run_convect("--restart", "run", "--set", "steps=60", "--set", "probe.0.at=[0.3,0.4,0.8]", code=USAGE)
        self.assertIn("a run continues with probe.0.at = [0.3, 0.4, 0.9], not [0.3, 0.4, 0.8]: all rows of its probes are alike", err)
        more = ('probe=[{name="point",at=[0.3,0.4,0.9],every=5},{name="line",from=[0,0.5,0.5],to=[2,0.5,0.5],points=5,'
                'fields=["temperature","w"],time=0.034,every=0},{name="new",at=[1,0.5,0.25],every=10}]')
        self.run_convect("--restart", "run", "--set", "steps=60", "--set", more)
        with (self.run_folder / "probes" / "new.csv").open() as lines:
            self.assertEqual([row["step"] for row in csv.DictReader(lines)], ["30", "40", "50", "60"])
        with (self.run_folder / "probes" / "point.csv").open() as lines:
            self.assertEqual([row["step"] for row in csv.DictReader(lines)], [str(n) for n in [*range(0, 25, 3), *range(25, 61, 5)]])
        self.assertTrue((self.run_folder / "probes" / "line.csv").read_text().startswith(line))

    def test_pictures_that_are_added_begin_where_the_run_continues(self):
        self.run_convect("layer.toml", "--output", "run", "--set", "steps=25", "--set", "output.snapshots=0")
        self.assertFalse((self.run_folder / "slices").exists())
        first = self.checkpoints()[0]
        kept = first.read_bytes()
        self.run_convect("--restart", "run", "--set", "steps=60", "--set", "output.snapshots=4")
        with (self.run_folder / "slices.csv").open() as lines:
            listed = [row["file"] for row in csv.DictReader(lines)]
        self.assertEqual(sorted(listed), sorted(str(path.relative_to(self.run_folder)) for path in self.run_folder.glob("slices/*")))
        self.assertGreater(len(listed), 1)
        # Back to a time without pictures, and without any from there.
        first.write_bytes(kept)
        self.run_convect("--restart", str(first), "--set", "output.snapshots=0")
        self.assertEqual([*self.run_folder.glob("slices/*"), *self.run_folder.glob("slices.csv")], [])

    def test_a_run_at_its_end_needs_a_later_one(self):
        self.run_convect("layer.toml", "--output", "run")
        before = physics_of(self.run_folder / "series.csv")
        _, err = self.run_convect("--restart", "run", code=USAGE)
        self.assertIn("the run has reached its end: step 60", err)
        self.assertEqual(physics_of(self.run_folder / "series.csv"), before)
        self.assertTrue((self.run_folder / "run.json").exists())

    def test_damaged_checkpoints(self):
        whole = self.whole()
        self.run_convect("layer.toml", "--output", "run")
        last = self.checkpoints()[-1]
        good = last.read_bytes()
        flipped = bytearray(good)
        flipped[len(good) // 2] ^= 4
        for damaged, why in ((good[:len(good) // 2], "truncated"), (bytes(flipped), "cannot read"), (b"no checkpoint\n", "not an HDF5 file"),
                             (b"", "not an HDF5 file")):
            with self.subTest(why=why, size=len(damaged)):
                last.write_bytes(damaged)
                out, err = self.run_convect("--restart", "run")
                self.assertRegex(err, rf"^bankfull: .*step-0000000060.h5: .*{why}.*; the one before is tried\n$"
                                 if why != "cannot read" else "cannot read .*; the one before is tried\n$")
                self.assertIn("continues from step 56", out)
                self.assert_same(self.run_folder, whole)
        for checkpoint in self.checkpoints():
            checkpoint.write_bytes(good[:1000])
        before = physics_of(self.run_folder / "series.csv")
        _, err = self.run_convect("--restart", "run", code=USAGE)
        self.assertEqual(len(err.splitlines()), 2, err)
        self.assertIn("--restart has no checkpoint to continue from: cannot read run/checkpoint/step-0000000056.h5", err)
        self.assertEqual(physics_of(self.run_folder / "series.csv"), before)
        self.run_convect("--restart", str(last), code=USAGE)

    @unittest.skipIf(h5py is None, "needs h5py")
    def test_incomplete_checkpoints(self):
        """With right checksums, but without a dataset, an attribute, or with one too many."""
        whole = self.whole()
        self.run_convect("layer.toml", "--output", "run")
        last = self.checkpoints()[-1]
        good = last.read_bytes()
        with h5py.File(last) as file:
            names = []
            file.visititems(lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) else None)
        self.assertGreater(len(names), 30)
        self.assertIn("state/statistics/late/z", names)

        def add(file):
            file["state/flow/sugar"] = file["state/flow/salt"][()]

        def shorten(file):
            history = file["state/run/history"][:-1]
            del file["state/run/history"]
            file["state/run/history"] = history

        changes = [(lambda file, name=name: file.pop(name), rf"it is not complete, for it (has no {name}|does not list its contents)") for name in names]
        changes += [(lambda file: file.attrs.pop("version"), "it has version 0"), (lambda file: file.attrs.pop("format"), "bankfull convect did not write it"),
                    (add, r"it has \d+ datasets, and lists \d+"), (shorten, "state/run/history in it was changed: its CRC-32 is")]
        for change, why in changes:
            last.write_bytes(good)
            with h5py.File(last, "r+") as file:
                change(file)
            with self.subTest(why=why):
                out, err = self.run_convect("--restart", "run", "--set", "steps=70", "--dry-run")
                self.assertRegex(err, rf"^bankfull: cannot read the checkpoint run/checkpoint/step-0000000060.h5: {why}.*; the one before is tried\n$")
                self.assertIn("continues from step 56", out)
        self.run_convect("--restart", "run")
        self.assert_same(self.run_folder, whole)

    @unittest.skipIf(h5py is None, "needs h5py")
    def test_checkpoints_list_the_crc_of_all_they_have(self):
        whole = self.whole()
        for precision in ("fp32", "fp64"):
            self.run_convect("layer.toml", "--output", "run", "--overwrite", "--set", f"precision={precision}", threads=2)
            last = self.checkpoints()[-1]
            with h5py.File(last) as file:
                sums = {}
                file.visititems(lambda name, item: sums.update({name: f"{zlib.crc32(item[()].tobytes()):08x}"}) if isinstance(item, h5py.Dataset) else None)
                listed = dict(line.split(" ", 1)[::-1] for line in file["contents"][()].tobytes().decode().splitlines())
                sums.pop("contents")
                self.assertEqual(listed, sums)
                chunk = file["told"].id.get_chunk_info(0)
        # Fletcher's checksum takes a word of ones for one of zeros.
        flipped = bytearray(last.read_bytes())
        self.assertEqual(flipped[chunk.byte_offset + 4:chunk.byte_offset + 6], b"\0\0")
        flipped[chunk.byte_offset + 4:chunk.byte_offset + 6] = b"\xff\xff"
        last.write_bytes(flipped)
        with h5py.File(last) as file:
            self.assertEqual(int(file["told"][0]) >> 32, 0xffff)
        out, err = self.run_convect("--restart", "run")
        self.assertRegex(err, r"^bankfull: cannot read .*: told in it was changed: its CRC-32 is \w{8}, and was \w{8}; the one before is tried\n$")
        self.assertIn("continues from step 56", out)
        self.assert_same(self.run_folder, whole)

    @unittest.skipIf(h5py is None, "needs h5py")
    def test_checkpoints_of_earlier_programs(self):
        """Those of version 2 of the format list no contents."""
        whole = self.whole()
        self.run_convect("layer.toml", "--output", "run")
        for path in self.checkpoints():
            with h5py.File(path, "r+") as file:
                del file["contents"]
                file.attrs.modify("version", 2)
        last = self.checkpoints()[-1]
        with h5py.File(last, "r+") as file:
            del file["state/run/history"]
        out, err = self.run_convect("--restart", "run")
        self.assertRegex(err, "^bankfull: cannot read .*: it is not complete, for it has no state/run/history; the one before is tried\n$")
        self.assertIn("continues from step 56", out)
        self.assert_same(self.run_folder, whole)

    def test_growing_files_that_were_lost(self):
        """Nothing is changed, and one line names the file and what to do."""
        self.run_convect("layer.toml", "--output", "run", "--set", "fields.every=6")
        before = self.names(self.run_folder)
        refused = "bankfull: --restart has no checkpoint to continue from: run/"
        for name in ("series.csv", "slices.csv", "fields.csv", "probes/point.csv"):
            path = self.run_folder / name
            good = path.read_bytes()
            for change, why in ((path.unlink, "is missing"), (lambda: path.write_bytes(b""), r"was cut: 0 of \d+ bytes are left"),
                                (lambda: path.write_bytes(good[:len(good) // 3]), rf"was cut: {len(good) // 3} of \d+ bytes are left"),
                                (lambda: path.write_bytes(good.replace(b"\n", b" ")), "was changed")):
                with self.subTest(name=name, why=why):
                    change()
                    _, err = self.run_convect("--restart", "run", "--set", "steps=70", code=USAGE)
                    self.assertRegex(err, rf"^{refused}{name} {why}, and run/checkpoint/step-0000000056.h5 counts on it; "
                                     rf"put {path.name} back as it was, or start the run again with --overwrite\n$")
                    path.write_bytes(good)
                    self.assertEqual(self.names(self.run_folder), before)
        # An older checkpoint may have told less.
        series = self.run_folder / "series.csv"
        series.write_text("".join(series.read_text().splitlines(keepends=True)[:-2]))
        out, err = self.run_convect("--restart", "run")
        self.assertRegex(err, r"^bankfull: run/series.csv was cut: \d+ of \d+ bytes are left, and run/checkpoint/step-0000000060.h5 counts on it; "
                         r"the one before is tried\n$")
        self.assertIn("continues from step 56", out)

    def test_statistics_that_are_dropped_stay_as_they_were(self):
        self.run_convect("layer.toml", "--output", "run")
        folders = [self.run_folder / "profiles", self.run_folder / "spectra"]
        dropped = ["profiles/late-z.csv", "profiles/late-z-faces.csv", "profiles/window1-x.csv", "profiles/window1-x-faces.csv", "spectra/planes.csv"]
        kept = {name: (self.run_folder / name).read_bytes() for name in dropped}
        before = {str(path.relative_to(self.run_folder)) for folder in folders for path in folder.iterdir()}
        self.assertEqual(before - {*dropped}, {"profiles/window1-z.csv", "profiles/window1-z-faces.csv", "spectra/box.csv"})
        fewer = ("--set", 'statistics=[{name="window1",profiles=["z"],every=2}]', "--set", 'spectrum=[{name="box",along="y",every=3}]')
        for steps in (70, 80):  # the second time the case in the folder has them no more
            self.run_convect("--restart", "run", "--set", f"steps={steps}", *(fewer if steps == 70 else ()))
            self.assertEqual({name: (self.run_folder / name).read_bytes() for name in dropped}, kept)
            self.assertEqual({str(path.relative_to(self.run_folder)) for folder in folders for path in folder.iterdir()}, before)
        self.assertIn("; 40 samples; ", (self.run_folder / "profiles" / "window1-z.csv").read_text())
        own = self.run_folder / "profiles" / "own.csv"
        own.write_text("z,mean\n0.5,1\n")
        copies = ["profiles/for-the-paper.csv", "spectra/for-the-paper.csv"]
        for name, of in zip(copies, ("profiles/late-z.csv", "spectra/planes.csv")):
            shutil.copy(self.run_folder / of, self.run_folder / name)
        self.run_convect("layer.toml", "--output", "run", "--overwrite", *fewer)
        self.assertEqual({str(path.relative_to(self.run_folder)) for folder in folders for path in folder.iterdir()},
                         before - {*dropped} | {"profiles/own.csv", *copies})
        self.assertFalse((self.run_folder / "left_statistics.txt").exists())

    def test_what_cannot_change(self):
        self.run_convect("layer.toml", "--output", "run", "--set", "steps=10")
        for setting, said in (("cells=8x8x8", "domain.cells"), ("scheme=runge-kutta", "time.scheme"),
                              ("scalar.0.name=sugar", "unknown key|scalar.0.name"), ("initial.noise=0.1", "initial.noise"),
                              ("time.implicit_diffusion=stretched", "implicit"),
                              ("domain.stretching=[0,0,1]", "domain.stretching"), ("physics.advection=bounded", "physics.advection"),
                              ("scalar.0.advection=centred", "scalar.0.advection")):
            with self.subTest(setting=setting):
                _, err = self.run_convect("--restart", "run", "--set", setting, "--set", "steps=20", code=USAGE)
                self.assertRegex(err, said)
                self.assertEqual(len(err.splitlines()), 1, err)
        out, _ = self.run_convect("--restart", "run", "--set", "steps=20", "--set", "ra=2e4", "--set", "solver=direct", "--set",
                                  "precision=fp32")
        for changed in ("time.steps = 20, was 10", "physics.rayleigh", 'solver.pressure = "direct", was "multigrid"'):
            self.assertIn(f"changed: {changed}", out)
        self.assertIn("steps = 20\n", (self.run_folder / "case.toml").read_text())

    def test_a_dry_run_says_where_it_would_go_on(self):
        self.run_convect("layer.toml", "--output", "run", "--set", "steps=10")
        names = self.names(self.run_folder)
        out, _ = self.run_convect("--restart", "run", "--set", "steps=20", "--dry-run")
        self.assertIn("continues from step 10", out)
        self.assertEqual(self.names(self.run_folder), names)

    def test_a_running_run_is_left_alone(self):
        process = self.start("layer.toml", "--output", "run", "--set", "steps=100000000", "--quiet")
        while not self.checkpoints():
            time.sleep(0.01)
        _, err = self.run_convect("--restart", "run", code=USAGE)
        self.assertIn("is in use by", err)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=HANGING), INTERRUPTED)


class Ends(Runs):
    def wait_for_step(self, process, step):
        while process.poll() is None and not any(int(path.name[5:15]) >= step for path in self.checkpoints()
                                                  if path.suffix == ".h5"):
            time.sleep(0.001)

    def test_a_signal_saves_the_run(self):
        whole = self.whole("--set", "steps=3000", "--set", "output.series_every=100", "--set", "checkpoint.every=500")
        for _ in range(3):
            shutil.rmtree(self.run_folder, ignore_errors=True)
            process = self.start("layer.toml", "--output", "run", "--set", "steps=3000", "--set", "output.series_every=100",
                                 "--set", "checkpoint.every=500")
            self.wait_for_step(process, 500)
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=HANGING)
            if process.returncode == OK:
                continue  # it was faster than we
            self.assertEqual(process.returncode, INTERRUPTED)
            step = int(self.checkpoints()[-1].name[5:15])
            out, _ = self.run_convect("--restart", "run")
            self.assertIn(f"continues from step {step}", out)
            self.assert_same(self.run_folder, whole)

    def test_a_run_ends_before_its_walltime(self):
        _, err = self.run_convect("layer.toml", "--output", "run", "--set", "steps=100000000", "--set", "checkpoint.every=0",
                                  "--walltime", "00:00:04", code=INTERRUPTED)
        self.assertIn("ended early by --walltime 00:00:04", err)
        result = json.loads((self.run_folder / "run.json").read_text())
        jsonschema.validate(result, SCHEMA)
        self.assertEqual(result["ended_by"], "--walltime 00:00:04")
        self.assertEqual(len(self.checkpoints()), 1)
        step = int(self.checkpoints()[0].name[5:15])
        self.assertGreater(step, 1)
        out, _ = self.run_convect("--restart", "run", "--set", f"steps={step + 10}")
        self.assertIn(f"continues from step {step}", out)

    def test_begins_with_the_flow_of_another_run(self):
        # A flow that is loaded loses the divergence that solves have left. A wall at rest makes no layer that grids resolve differently.
        layer = LAYER.replace("cos(3*t)", "sin(3*t)")
        (self.path / "coarse.toml").write_text(layer)
        self.run_convect("coarse.toml", "--output", "coarse", "--set", "steps=20", "--set", "solver.divergence=1e-9")
        text = layer.replace('temperature = "0.5 - z"\nnoise = 1e-2', 'from = "coarse"').replace("every = 7", "every = 1").replace("steps = 60", "steps = 2")
        text = text.replace("[16, 8, 8]", "[24, 10, 12]")
        (self.path / "fine.toml").write_text(text)
        out, _ = self.run_convect("fine.toml", "--output", "run", "--dry-run")
        begins = "begins with step 20, time 0.1, of coarse/checkpoint/step-0000000020.h5, on 16x8x8 cells"
        self.assertIn(begins, out)
        out, _ = self.run_convect("fine.toml", "--output", "run")
        self.assertIn(begins, out)
        self.assertRegex(out, "(?m)^RESULT .* verdict=verified$")
        self.run_convect("--restart", "run", "--set", "steps=4")
        self.run_convect("fine.toml", "--output", "same", "--set", "cells=16x8x8")
        with (self.path / "coarse" / "series.csv").open() as one, (self.path / "same" / "series.csv").open() as other, \
                (self.run_folder / "series.csv").open() as fine:
            last, first, finer = list(csv.DictReader(one))[-1], next(csv.DictReader(other)), next(csv.DictReader(fine))
        self.assertEqual(float(first["time"]), 0)
        for column in ("kinetic_energy", "temperature_mean", "salt_mean_square", "max_w"):
            self.assertAlmostEqual(float(first[column]) / float(last[column]), 1, 6, column)
        # Some of the noise that is as short as the coarse cells is lost between them.
        self.assertAlmostEqual(float(finer["temperature_mean"]), float(last["temperature_mean"]), 2)
        self.assertLess(float(finer["kinetic_energy"]), float(last["kinetic_energy"]))
        self.assertGreater(float(finer["kinetic_energy"]), 0.3 * float(last["kinetic_energy"]))

    def test_flows_of_other_runs_that_do_not_fit(self):
        self.run_convect("layer.toml", "--output", "coarse", "--set", "steps=20")
        (self.path / "from.toml").write_text(LAYER.replace('temperature = "0.5 - z"\nnoise = 1e-2', 'from = "coarse"').replace("steps = 60", "steps = 2"))
        dye = '[{name="salt",diffusivity=0.01,advection="bounded"},{name="dye",diffusivity=0.01}]'
        walls = ['boundaries.z.lower.dye="insulating"', 'boundaries.z.upper.dye="insulating"']
        for settings, said in ((["initial.from=none"], r"there is no checkpoint in none/checkpoint"),
                               (["initial.from=layer.toml"], r"not an HDF5 file"),
                               (["initial.from=''"], r"from names no run"),
                               (["domain.upper=[3,1,1]"], r"the box of that run is 2 long along x, and this one 3"),
                               (["initial.velocity=[0,0,0]"], r"velocity contradicts from"),
                               ([f"scalar={dye}", *walls], r"that run has no dye; give initial.dye")):
            with self.subTest(said=said):
                _, err = self.run_convect("from.toml", "--output", "run", *(part for setting in settings for part in ("--set", setting)), code=USAGE)
                self.assertRegex(err, said)
                self.assertEqual(len(err.splitlines()), 1, err)
                self.assertFalse(self.run_folder.exists())
        damaged = self.checkpoints(self.path / "coarse")[-1]
        damaged.write_bytes(damaged.read_bytes()[:3000])
        out, err = self.run_convect("from.toml", "--output", "run")
        self.assertIn("the one before is tried", err)
        self.assertIn("begins with step 14", out)

    def test_the_flow_of_another_run_takes_the_place_of_initial_values(self):
        """The same case goes up a ladder of grids, with --set alone."""
        for velocity in ("", "velocity = [0.1, 0, 0]\n"):
            (self.path / "case.toml").write_text(LAYER.replace("noise = 1e-2", velocity))
            self.run_convect("case.toml", "--output", "coarse", "--set", "steps=20", "--overwrite")
            out, _ = self.run_convect("case.toml", "--output", "run", "--overwrite", "--set", "cells=32x16x16", "--set", "initial.from=coarse", "--set", "steps=2")
            self.assertRegex(out, r"begins with step 20, .*cells, in place of initial.temperature\n")
            self.assertNotRegex((self.run_folder / "case.toml").read_text(), r"\[initial\](\n\w.*)*\nvelocity = ")
            self.assertNotEqual(rows_of(self.run_folder / "series.csv")[0]["kinetic_energy"], rows_of(self.path / "coarse" / "series.csv")[0]["kinetic_energy"])

    def test_a_file_ends_a_run(self):
        process = self.start("layer.toml", "--output", "run", "--set", "steps=100000000")
        while not self.checkpoints():
            time.sleep(0.01)
        (self.run_folder / "stop").touch()
        _, err = process.communicate(timeout=HANGING)
        self.assertEqual(process.returncode, INTERRUPTED)
        self.assertIn("ended early by the file stop", err)
        result = json.loads((self.run_folder / "run.json").read_text())
        jsonschema.validate(result, SCHEMA)
        self.assertEqual(result["ended_by"], "the file stop")
        self.assertEqual(result["measurements"][0]["figures"]["end"]["value"], "interruption")
        last = int(physics_of(self.run_folder / "series.csv")[-1][0])
        step = int(self.checkpoints()[-1].name[5:15])
        self.assertEqual(step, last)
        self.assertTrue((self.run_folder / "stop").exists())
        out, _ = self.run_convect("--restart", "run", "--set", f"steps={step + 10}")
        self.assertIn(f"continues from step {step}", out)
        self.assertFalse((self.run_folder / "stop").exists())
        (self.run_folder / "stop").touch()
        self.run_convect("layer.toml", "--output", "run", "--overwrite", "--set", "steps=10")
        self.assertFalse((self.run_folder / "stop").exists())

    def test_nusselt_numbers_end_a_run(self):
        settles = ("--set", 'time={dt=0.005, steps=400, until={converged=0.9, window=0.2}}', "--set", "output.snapshots=2")
        out, _ = self.run_convect("layer.toml", "--output", "whole", *settles)
        self.assertRegex(out, r"(?m)^  .*, 400 steps, or until its Nusselt numbers settle$")
        self.assertIn("ended before its time, as the averages of its Nusselt numbers have a standard error of 0.9 at most", out)
        last = int(physics_of(self.path / "whole" / "series.csv")[-1][0])
        self.assertLess(last, 400)
        self.assertRegex(out, rf"(?m)^RESULT .* steps={last} .*end=converged ")
        self.run_convect("layer.toml", "--output", "run", *settles)
        os.remove(self.run_folder / "run.json")
        self.run_convect("--restart", str(self.checkpoints()[0]))
        self.assert_same(self.run_folder, self.path / "whole")
        _, err = self.run_convect("--restart", "run", code=USAGE)
        self.assertIn(f"the run has reached its end: step {last}", err)
        out, _ = self.run_convect("--restart", "run", "--set", "time.until.converged=1e-9", "--set", f"steps={last + 20}")
        self.assertRegex(out, rf"(?m)^RESULT .* steps={last + 20} .*end=steps ")

    def test_a_full_disk_takes_no_checkpoint_away(self):
        whole = self.whole("--set", "output.snapshots=0")
        self.run_convect("layer.toml", "--output", "run", "--set", "steps=20", "--set", "output.snapshots=0")
        kept = {path.name: path.read_bytes() for path in self.checkpoints()}
        size = len(kept["step-0000000020.h5"])
        out, err = self.run_convect("--restart", "run", "--set", "steps=40", limit=size // 2)
        said = err.splitlines()
        self.assertEqual(len(said), 4, err)
        for line in said:
            self.assertRegex(line, r"^bankfull: cannot write run/checkpoint/step-\d+.h5: File too large; the run continues, and its last "
                             r"checkpoint is run/checkpoint/step-0000000020.h5$")
        self.assertEqual({path.name: path.read_bytes() for path in self.checkpoints()}, kept)
        self.run_convect("--restart", "run", "--set", "steps=60")
        self.assert_same(self.run_folder, whole)

    def test_a_full_file_system_ends_no_run_for_good(self):
        # A disk of our own, in a namespace of our own: not every machine lets its users have that.
        private = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-ec"]
        disk = self.path / "disk"
        disk.mkdir()
        mount = 'mount -t tmpfs -o size=6m none "$DISK"'
        environment = clean_environment(DISK=str(disk), CONVECT=f"{BINARY} convect --device cpu --threads 1 --ceiling none --quiet")
        if shutil.which("unshare") is None or subprocess.run([*private, mount], env=environment, capture_output=True).returncode != 0:
            self.skipTest("this user may mount no file system")
        whole = self.whole("--set", "output.snapshots=0")
        script = mount + """
            fill() { head -c "$(( ($(df --output=avail -k "$DISK" | tail -1) - $1) * 1024 ))" /dev/zero > "$DISK/$2"; }
            cp layer.toml "$DISK"; mkdir said; said=$PWD/said; home=$PWD; cd "$DISK"
            $CONVECT layer.toml --output run --set steps=20 --set output.snapshots=0 > "$said/out"
            sha256sum run/checkpoint/* > "$said/sums"
            fill 100 filler
            $CONVECT --restart run --set steps=40 > "$said/out" 2> "$said/no-checkpoint"
            sha256sum --check --quiet "$said/sums"
            fill 0 more
            $CONVECT --restart run --set steps=1000 > "$said/out" 2> "$said/no-row" && exit 1
            sha256sum --check --quiet "$said/sums"
            rm filler more
            $CONVECT --restart run --set steps=60 > "$said/out"
            cp -r run "$home/run"
            """
        done = subprocess.run([*private, script], cwd=self.path, env=environment, capture_output=True, text=True, timeout=HANGING)
        self.assertEqual(done.returncode, OK, done.stdout + done.stderr)
        last = "last checkpoint is run/checkpoint/step-0000000020.h5"
        said = {name: (self.path / "said" / name).read_text().splitlines() for name in ("no-checkpoint", "no-row")}
        self.assertEqual(len(said["no-checkpoint"]), 4, said)
        for line in said["no-checkpoint"]:
            self.assertRegex(line, rf"cannot write run/checkpoint/step-\d+.h5: No space left on device; the run continues, and its {last}$")
        self.assertRegex(said["no-row"][-1], rf"cannot write run/(series|probes/point).csv: No space left on device; .* are in run, and its {last}$")
        self.assert_same(self.run_folder, whole)


    def test_a_full_file_system_that_sets_no_room_aside(self):
        # As NFS before version 4.2, and others: what there is no room for is found out when it is written.
        private = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-ec"]
        disk = self.path / "disk"
        disk.mkdir()
        environment = clean_environment()
        mount = f'mount -t tmpfs -o size=$SIZE none "{disk}"'
        if shutil.which("unshare") is None or subprocess.run([*private, mount], env={**environment, "SIZE": "1m"}, capture_output=True).returncode != 0:
            self.skipTest("this user may mount no file system")
        if not without_room_set_aside(probe=True):
            self.skipTest("calls of the system cannot be refused here")
        script = f"""{mount}; cp layer.toml "{disk}"; cd "{disk}"
            {BINARY} convect layer.toml --device cpu --threads 2 --ceiling none --quiet --output run {{fields}} && code=0 || code=$?
            cp -r run ..; exit $code""".replace("{fields}", "--set fields.every=4 --set output.snapshots=0")
        for size in ("380k", "440k", "500k"):
            done = subprocess.run([*private, script], cwd=self.path, env={**environment, "SIZE": size}, capture_output=True, text=True,
                                  timeout=HANGING, preexec_fn=without_room_set_aside)
            self.assertIn(done.returncode, (OK, FAILURE), done.stderr)  # there may be no room for its rows either
            said = done.stderr.splitlines()
            for line in said:
                self.assertRegex(line, "^bankfull: cannot write .*: No space left on device; ")
            self.assertRegex(done.stderr, "the run continues without the fields of step")
            for file in [*self.checkpoints(), *self.run_folder.glob("fields/*")]:
                self.assertTrue(file.name.endswith(".h5"), file)
                if h5py is not None:
                    with h5py.File(file) as whole:
                        whole.visititems(lambda name, item: item[()] if isinstance(item, h5py.Dataset) else None)
            shutil.rmtree(self.run_folder)

    def test_what_all_processes_took_is_told(self):
        def figures():
            return json.loads((self.run_folder / "run.json").read_text())["measurements"][0]["figures"]

        began = time.monotonic()
        self.run_convect("layer.toml", "--output", "run", "--set", "steps=20")
        first = figures()
        self.assertEqual(first["processes"]["value"], 1)
        self.assertGreater(first["run_seconds"]["value"], 0)
        self.run_convect("--restart", "run", "--set", "steps=40")
        second = figures()
        self.assertEqual(second["processes"]["value"], 2)
        self.assertGreater(second["run_seconds"]["value"], first["run_seconds"]["value"])
        self.assertLess(second["run_seconds"]["value"], time.monotonic() - began)
        data = (self.run_folder / "report-data.js").read_text()
        progress = json.loads(data[data.index("(") + 1:data.rindex(")")])["progress"]
        self.assertGreater(progress["seconds_before"], 0)
        self.assertLessEqual(progress["seconds_before"], first["run_seconds"]["value"])


class Killed(Runs):
    def runs_killed_at_random(self, kills, seed, steps):
        case = ["layer.toml", "--set", f"steps={steps}", "--set", f"output.snapshots={steps // 15}"]
        whole = self.whole(*case[1:])
        began = time.monotonic()
        self.run_convect(*case, "--output", "once")
        duration = time.monotonic() - began
        dice = random.Random(seed)
        done = 0
        while done < kills:
            shutil.rmtree(self.run_folder, ignore_errors=True)
            ended = False
            while not ended:
                saved = any(path.suffix == ".h5" for path in self.checkpoints())
                process = self.start(*(["--restart", "run"] if saved else [*case, "--output", "run", "--overwrite"]))
                try:
                    process.wait(timeout=dice.uniform(0.0, duration) if done < kills else HANGING)
                except subprocess.TimeoutExpired:
                    process.kill()
                    done += 1
                out, err = process.communicate()
                self.assertIn(process.returncode, (OK, -signal.SIGKILL), out + err)
                # It may be killed as it ends, with all written.
                ended = process.returncode == OK or (self.run_folder / "run.json").exists()
            # Then its lock is left, which the next start would know as that of a process that is no more.
            (self.run_folder / "bankfull.lock").unlink(missing_ok=True)
            self.assert_same(self.run_folder, whole)

    def test_continues_after_a_kill_at_any_moment(self):
        self.runs_killed_at_random(6, 1, steps=150)

    def test_continues_after_many_kills_at_any_moment(self):
        self.runs_killed_at_random(200, 2, steps=300)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *UNITTEST_ARGUMENTS])
