#!/usr/bin/env python3
"""Fields that runs of `bankfull convect` write while they compute.

Usage: fields_test.py BANKFULL_BINARY (hdf5 | none) [-- arguments of unittest]
"""

import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest
import xml.etree.ElementTree as xml

import numpy as np

try:
    import h5py
except ImportError:  # then files of HDF5 are not looked into
    h5py = None

import convect_runs
from convect_runs import BINARY, FAILURE, INTERRUPTED, OK, USAGE, rows_of
from script_arguments import HANGING, OWN_ARGUMENTS, UNITTEST_ARGUMENTS

HAS_HDF5 = OWN_ARGUMENTS[1] == "hdf5"

# Stored in another order than files have: most cells of a plane along y, planes across x.
LAYER = """\
[domain]
lower = [-1, 0, 0]
upper = [1, 1, 1]
cells = [6, 10, 8]
stretching = [1.2, 0, 0]

[physics]
rayleigh = 1e4
prandtl = 0.71
scaling = "free-fall"
up = "x+"

[[scalar]]
name = "salt"
diffusivity = 0.01

[boundaries]
y = "periodic"
x.lower = { velocity = "no-slip", temperature = 0.5, salt = 0 }
x.upper = { velocity = "no-slip", temperature = -0.5, salt = 1 }
z.lower = { velocity = "free-slip", temperature = "insulating", salt = "insulating" }
z.upper = { velocity = "no-slip", temperature = "insulating", salt = "insulating" }

[initial]
temperature = "-x/2"
velocity = ["sin(pi*x)*cos(pi*z)", "0.3*cos(2*pi*y)", "-cos(pi*x)*sin(pi*z)"]
noise = 1e-2

[time]
dt = 0.005
steps = 40

[solver]
pressure = "multigrid"
divergence = 1e-6

[output]
series_every = 5
snapshots = 0
"""
VORTICES = """\
[domain]
upper = [6.283185307179586, 1, 6.283185307179586]
cells = [64, 1, 64]

[physics]
viscosity = 0.05

[boundaries]
x = "periodic"
y = "periodic"
z = "periodic"

[initial]
velocity = ["sin(x)*cos(z)", 0, "-cos(x)*sin(z)"]

[time]
dt = 0.02
steps = 4

[output]
snapshots = 0

[fields]
every = 1
write = ["pressure"]
"""
FIELDS = {"fields.every": "10", "fields.centred": "true"}
UNIFORM = {"domain.stretching": "[0,0,0]"}
VELOCITIES = ("u", "v", "w")
AXES = "xyz"


def settings(*dictionaries, **single):
    all_of_them = {}
    for one in (*dictionaries, single):
        all_of_them.update(one)
    return [word for key, value in all_of_them.items() for word in ("--set", f"{key}={value}")]


def vtk_arrays(path):
    """The arrays of a .vti or .vtr by their names, and its root."""
    data = path.read_bytes()
    head, _, raw = data.partition(b'<AppendedData encoding="raw">\n_')
    root = xml.fromstring(head + b"</VTKFile>")
    arrays = {}
    for item in root.iter("DataArray"):
        offset = int(item.get("offset"))
        count = int.from_bytes(raw[offset:offset + 8], "little")
        dtype = {"Float32": "<f4", "Float64": "<f8"}[item.get("type")]
        arrays[item.get("Name")] = np.frombuffer(raw[offset + 8:offset + 8 + count], dtype=dtype)
    return root, arrays


class Runs(convect_runs.Runs):
    case = LAYER

    def run_layer(self, name, *dictionaries, **how):
        said = self.run_convect("layer.toml", "--output", name, *settings(*dictionaries), **how)
        return self.path / name, said

    def files(self, folder):
        return sorted(path.name for path in (folder / "fields").glob("*"))

    def assert_index_is_whole(self, folder):
        """All that the index names is there, as the list has it."""
        listed = rows_of(folder / "fields.csv")
        self.assertEqual(self.files(folder), [pathlib.Path(row["file"]).name for row in listed])
        root = xml.parse(folder / "fields.xdmf").getroot()
        grids = root.findall("./Domain/Grid/Grid")
        self.assertEqual([grid.find("Time").get("Value") for grid in grids], [row["time"] for row in listed])
        for grid, row in zip(grids, listed):
            for item in grid.iter("DataItem"):
                if item.get("Format") == "HDF":
                    self.assertEqual(item.text.split(":")[0], row["file"])


class Cadence(Runs):
    def listed(self, folder, key="step"):
        return [row[key] for row in rows_of(folder / "fields.csv")]

    def test_steps_and_the_end(self):
        folder, (out, _) = self.run_layer("run", FIELDS, {"time.steps": 25}, {"fields.format": "vtk"})
        self.assertEqual(self.listed(folder), ["0", "10", "20", "25"])
        self.assertEqual(self.files(folder), [f"flow-{n:06}.vtr" for n in range(4)])
        self.assertIn(", 4 files in fields/", out)

    def test_time_of_the_flow(self):
        # Multiples of 0.05 are not those of 0.005 to the last bit.
        folder, _ = self.run_layer("run", {"fields.time": 0.05, "fields.format": "vtk"})
        self.assertEqual(self.listed(folder), ["0", "10", "20", "30", "40"])

    def test_the_clock_on_the_wall(self):
        folder, _ = self.run_layer("run", {"fields.wall": 1e-9, "fields.format": "vtk", "time.steps": 7})
        steps = [int(step) for step in self.listed(folder)]  # several may go by between two looks at the clock
        self.assertEqual((steps[0], steps[-1]), (0, 7))
        self.assertGreater(len(steps), 2)
        self.assertEqual(steps, sorted(set(steps)))

    def test_no_fields_no_files(self):
        folder, _ = self.run_layer("run")
        self.assertEqual([path.name for path in folder.glob("fields*")], [])

    def test_they_change_nothing_of_the_run(self):
        def series(folder):
            rows = rows_of(folder / "series.csv")
            return [{key: value for key, value in row.items() if key != "ns_per_cell_step"} for row in rows]

        plain, _ = self.run_layer("plain")
        often, _ = self.run_layer("often", {"fields.every": 1, "fields.format": "vtk"})
        self.assertEqual(series(often), series(plain))

    def test_a_signal_leaves_whole_files(self):
        process = self.start("layer.toml", "--output", "run", *settings({"fields.every": 3, "fields.format": "vtk", "time.steps": 10**8}))
        while len(list((self.path / "run").glob("fields/*.vtr"))) < 3:
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=HANGING)
        self.assertEqual(process.returncode, INTERRUPTED)
        folder = self.path / "run"
        self.assertEqual(self.files(folder), [pathlib.Path(row["file"]).name for row in rows_of(folder / "fields.csv")])

    def test_overwritten_with_the_run(self):
        folder, _ = self.run_layer("run", FIELDS, {"fields.format": "vtk"})
        (folder / "fields" / "flow-000009.vtr.part-aBcDeF").write_text("killed")
        self.run_convect("layer.toml", "--output", "run", "--overwrite")
        self.assertEqual([path.name for path in folder.glob("fields*")], [])


class Vtk(Runs):
    def test_uniform_and_stretched(self):
        stretched, _ = self.run_layer("stretched", FIELDS, {"fields.format": "vtk"})
        uniform, _ = self.run_layer("uniform", FIELDS, {"fields.format": "vtk"}, UNIFORM, {"fields.precision": "fp32"})
        root, arrays = vtk_arrays(stretched / "fields" / "flow-000004.vtr")
        self.assertEqual(root.find("RectilinearGrid").get("WholeExtent"), "0 6 0 10 0 8")
        self.assertEqual({name: len(array) for name, array in arrays.items()},
                         {"x": 7, "y": 11, "z": 9, "u": 480, "v": 480, "w": 480, "temperature": 480, "salt": 480})
        self.assertEqual((arrays["x"][0], arrays["x"][-1]), (-1, 1))
        root, arrays = vtk_arrays(uniform / "fields" / "flow-000000.vti")
        self.assertEqual(root.find("ImageData").get("Origin"), "-1 0 0")
        self.assertEqual(arrays["temperature"].dtype, np.float32)
        x = -1 + (np.arange(6) + 0.5) / 3
        np.testing.assert_allclose(arrays["temperature"].reshape(8, 10, 6), np.broadcast_to(-x / 2, (8, 10, 6)), atol=1e-6)
        collection = xml.parse(uniform / "fields.pvd").getroot().findall("./Collection/DataSet")
        self.assertEqual([one.get("file") for one in collection], [f"fields/flow-{n:06}.vti" for n in range(5)])
        self.assertEqual([one.get("timestep") for one in collection], [row["time"] for row in rows_of(uniform / "fields.csv")])


@unittest.skipIf(h5py is None or not HAS_HDF5, "neither without python3-h5py nor without HDF5")
class Hdf5(Runs):
    def read(self, path):
        arrays = {}
        with h5py.File(path) as file:
            file.visititems(lambda name, item: arrays.update({name: item[()]}) if isinstance(item, h5py.Dataset) else None)
            return arrays, dict(file.attrs)

    def check_against_the_checkpoint(self, folder, single=False):
        """The last fields are what the run saved of its flow at the same step, bit for bit."""
        arrays, attributes = self.read(folder / "fields" / "flow-000004.h5")
        with h5py.File(folder / "checkpoint" / "step-0000000040.h5") as checkpoint:
            self.assertEqual(attributes["step"], 40)
            self.assertEqual(attributes["time"], checkpoint["time"][0])
            for name in (*VELOCITIES, "temperature", "salt"):
                # Planes across x, then rows along the longer of the other axes; files have z, y, x.
                saved = checkpoint["state/flow"][name][()]
                saved = saved.transpose(1, 2, 0) if saved.shape == (6, 8, 10) else saved.transpose(0, 2, 1)
                self.assertEqual(saved.shape, (8, 10, 6))
                self.assertEqual(arrays[f"fields/{name}"].dtype, np.float32 if single else np.float64)
                self.assertTrue(np.array_equal(arrays[f"fields/{name}"], saved.astype(np.float32) if single else saved), name)
        return arrays, attributes

    def test_what_the_solver_has(self):
        folder, _ = self.run_layer("run", FIELDS, {"checkpoint.every": 40})
        arrays, attributes = self.check_against_the_checkpoint(folder)
        self.assertEqual(attributes["units"], b"free-fall scaling")
        self.assertEqual(attributes["case"], b"layer")
        self.assertTrue(attributes["revision"])
        for axis, cells in zip(AXES, (6, 10, 8)):
            faces = arrays[f"grid/{axis}_faces"]
            self.assertEqual(len(faces), cells + 1)
            np.testing.assert_array_equal(arrays[f"grid/{axis}_centres"], 0.5 * (faces[1:] + faces[:-1]))
        for name, axis, periodic in (("u", 2, False), ("v", 1, True), ("w", 0, False)):
            faces = arrays[f"fields/{name}"]
            upper = np.roll(faces, -1, axis)
            if not periodic:
                upper[tuple(-1 if n == axis else slice(None) for n in range(3))] = 0
            np.testing.assert_array_equal(arrays[f"centred/{name}"], 0.5 * (faces + upper))
        self.assert_index_is_whole(folder)

    def test_other_precision_and_compression(self):
        folder, _ = self.run_layer("run", FIELDS, {"checkpoint.every": 40, "fields.precision": "fp32", "fields.compression": 6})
        self.check_against_the_checkpoint(folder, single=True)
        with h5py.File(folder / "fields" / "flow-000004.h5") as file:
            temperature = file["fields/temperature"]
            self.assertEqual((temperature.compression, temperature.compression_opts, temperature.shuffle), ("gzip", 6, True))

    def test_runs_of_fp32_write_fp32(self):
        folder, _ = self.run_layer("run", FIELDS, UNIFORM, {"checkpoint.every": 40, "precision": "fp32", "solver": "direct"})
        self.check_against_the_checkpoint(folder, single=True)

    def test_chosen_fields(self):
        folder, _ = self.run_layer("run", {"fields.every": 40, "fields.write": '["salt","w"]'})
        arrays, _ = self.read(folder / "fields" / "flow-000001.h5")
        self.assertEqual({name for name in arrays if not name.startswith("grid/")}, {"fields/w", "fields/salt"})
        names = {one.get("Name") for one in xml.parse(folder / "fields.xdmf").getroot().iter("Attribute")}
        self.assertEqual(names, {"salt"})

    def test_a_run_in_two_pieces(self):
        cadences = ({"fields.every": 10}, {"fields.time": 0.035})
        for number, cadence in enumerate(cadences):
            common = {**cadence, "fields.centred": "true", "fields.compression": 1, "checkpoint.every": 7}
            whole, _ = self.run_layer(f"whole-{number}", common)
            run, _ = self.run_layer(f"run-{number}", common, {"time.steps": 25})
            self.run_convect("--restart", run.name, *settings({"time.steps": 40}))
            self.assertEqual(self.files(run), self.files(whole))
            for name in self.files(whole):
                self.assertEqual((run / "fields" / name).read_bytes(), (whole / "fields" / name).read_bytes(), name)
            for name in ("fields.csv", "fields.xdmf"):
                self.assertEqual((run / name).read_text(), (whole / name).read_text())

    def test_slices_as_data(self):
        common = {"output.data": "true", "output.snapshots": 3, "output.slice": '[{fields=["temperature","w"],normal="x",at=0}]', "fields.every": 40,
                  "fields.centred": "true", "checkpoint.every": 7}
        whole, _ = self.run_layer("whole", common)
        names = sorted(path.name for path in (whole / "slices").glob("*.h5"))
        self.assertEqual(names, sorted(f"{field}-x-000{number}.h5" for field in ("temperature", "w") for number in range(3)))
        with h5py.File(whole / "slices" / "w-x-0002.h5") as one, h5py.File(whole / "fields" / "flow-000001.h5") as fields:
            self.assertEqual((one.attrs["field"], one.attrs["normal"], one.attrs["at"]), (b"w", b"x", 0))
            self.assertEqual(one.attrs["time"], fields.attrs["time"])
            x = fields["grid/x_centres"][()]
            self.assertTrue(np.array_equal(one["y"], fields["grid/y_centres"]))
            self.assertTrue(np.array_equal(one["z"], fields["grid/z_centres"]))
            expected = [np.interp(0, x, line) for line in fields["centred/w"][()].reshape(-1, x.size)]
            self.assertLess(np.abs(one["values"][()].ravel() - expected).max(), 1e-15)
        written = {path.name: path.read_bytes() for path in (whole / "slices").iterdir()}
        (whole / "slices" / "w-x-0001.h5.part-aBcDeF").write_text("killed")
        self.run_convect("--restart", str(min(whole.glob("checkpoint/*"))))
        self.assertEqual({path.name: path.read_bytes() for path in (whole / "slices").iterdir()}, written)
        self.run_convect("layer.toml", "--output", "whole", "--overwrite")
        self.assertEqual(list(whole.glob("slices/*")), [])

    def test_files_stay_alike(self):
        self.run_layer("run", FIELDS, {"checkpoint.every": 7, "time.steps": 10})
        for setting in ({"fields.write": '["u"]'}, {"fields.precision": "fp32"}, {"fields.centred": "false"}, {"fields.format": "vtk"}):
            _, err = self.run_convect("--restart", "run", *settings(setting, {"time.steps": 20}), code=USAGE)
            self.assertIn("the files of its fields are alike", err)
        self.run_convect("--restart", "run", *settings({"fields.every": 3, "fields.compression": 2, "time.steps": 20}))
        self.assert_index_is_whole(self.path / "run")

    def test_fields_may_begin_late(self):
        self.run_layer("run", {"checkpoint.every": 7, "time.steps": 10})
        self.run_convect("--restart", "run", *settings(FIELDS, {"time.steps": 30}))
        self.assertEqual([row["step"] for row in rows_of(self.path / "run" / "fields.csv")], ["10", "20", "30"])
        self.assert_index_is_whole(self.path / "run")

    def test_fields_may_pause(self):
        self.run_layer("run", FIELDS, {"checkpoint.every": 7, "time.steps": 25})
        folder = self.path / "run"
        self.run_convect("--restart", "run", *settings({"fields.every": 0, "time.steps": 30}))
        kept = ["0", "10", "20"]
        self.assertEqual([row["step"] for row in rows_of(folder / "fields.csv")], kept)
        self.assert_index_is_whole(folder)
        self.run_convect("--restart", "run", *settings({"time.steps": 35}))
        self.assertEqual([row["step"] for row in rows_of(folder / "fields.csv")], kept)
        self.assert_index_is_whole(folder)
        self.run_convect("--restart", "run", *settings({"fields.every": 10, "time.steps": 42}))
        self.assertEqual([row["step"] for row in rows_of(folder / "fields.csv")], [*kept, "35", "40", "42"])
        self.assert_index_is_whole(folder)

    def test_the_pressure_of_a_known_flow(self):
        # Taylor's vortices: the pressure is known up to a constant, and is that of the middle of the last step.
        (self.path / "vortices.toml").write_text(VORTICES)
        viscosity, dt = 0.05, 0.02
        for scheme, solver in (("adams-bashforth", "direct"), ("adams-bashforth", "multigrid"), ("runge-kutta", "direct")):
            self.run_convect("vortices.toml", "--overwrite", "--output", "run", *settings({"solver": solver, "time.scheme": f'"{scheme}"'}))
            back = dt / 2 if scheme == "adams-bashforth" else dt / 6
            for number in range(5):
                arrays, attributes = self.read(self.path / "run" / "fields" / f"flow-{number:06}.h5")
                self.assertEqual(set(arrays) - {f"grid/{axis}_{place}" for axis in AXES for place in ("faces", "centres")}, {"fields/pressure"})
                x, z = arrays["grid/x_centres"], arrays["grid/z_centres"]
                time_of_pressure = attributes["time"] - (back if number > 0 else 0)
                expected = (np.cos(2 * x)[None, :] + np.cos(2 * z)[:, None]) / 4 * np.exp(-4 * viscosity * time_of_pressure)
                found = arrays["fields/pressure"][:, 0, :]
                self.assertLess(np.abs(found - found.mean() - expected).max(), 0.0013)
                # What is left is of second order in space, and the same at all times.
                self.assertAlmostEqual(np.abs(found - found.mean()).max() / np.abs(expected).max(), 0.9976, delta=3e-4)
        with h5py.File(self.path / "run" / "fields" / "flow-000000.h5") as file:
            self.assertEqual(file["fields/pressure"].attrs["units"], b"length^2 / time^2")

    def test_the_pressure_of_a_run_in_two_pieces(self):
        write = '["u","temperature","pressure"]'
        for stop in (1, 25):
            common = {"fields.every": 1, "fields.write": write, "checkpoint.every": 7, "solver": "direct", "domain.stretching": "[0,0,0]"}
            whole, _ = self.run_layer(f"whole-{stop}", common)
            run, _ = self.run_layer(f"run-{stop}", common, {"time.steps": stop})
            self.run_convect("--restart", run.name, *settings({"time.steps": 40}))
            for name in self.files(whole):
                self.assertEqual((run / "fields" / name).read_bytes(), (whole / "fields" / name).read_bytes(), name)
        names = {one.get("Name") for one in xml.parse(whole / "fields.xdmf").getroot().iter("Attribute")}
        self.assertEqual(names, {"temperature", "pressure"})

    def test_a_restart_names_fields_that_are_gone(self):
        run, _ = self.run_layer("run", FIELDS, {"checkpoint.every": 10, "time.steps": 20})
        (run / "fields" / "flow-000001.h5").unlink()
        _, err = self.run_convect("--restart", "run", *settings({"time.steps": 30}))
        gone = "listed in fields.csv but missing; the run continues without"
        self.assertEqual(err, f"bankfull: run/fields/flow-000001.h5 is {gone} it\n")
        (run / "fields" / "flow-000000.h5").unlink()
        _, err = self.run_convect("--restart", "run", *settings({"time.steps": 40}))
        self.assertEqual(err, f"bankfull: run/fields/flow-000000.h5 and 1 more are {gone} them\n")

    def test_a_full_disk_leaves_out_fields(self):
        larger = {**FIELDS, "cells": "[10,40,40]", "time.dt": 0.002}  # files of fields are larger than all others
        whole, _ = self.run_layer("whole", larger)
        size = (whole / "fields" / "flow-000004.h5").stat().st_size
        folder, (_, err) = self.run_layer("run", larger, limit=size // 2, code=FAILURE)
        *said, why = err.splitlines()
        self.assertEqual(len(said), 5, err)
        self.assertIn("cannot write run/fields/flow-000000.h5: File too large", why)
        for step, line in zip(range(0, 50, 10), said):
            self.assertEqual(line, f"bankfull: cannot write run/fields/flow-{step // 10:06}.h5: File too large; the run continues without the "
                                   f"fields of step {step}")
        self.assertEqual(self.files(folder), [])
        self.assertTrue((folder / "run.json").exists())
        self.assert_index_is_whole(folder)

    def test_a_disk_that_fills_up(self):
        # A disk of our own, in a namespace of our own: not every machine lets its users have that.
        private = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-ec"]
        (self.path / "disk").mkdir()
        mount = "mount -t tmpfs -o size=3m none disk; "
        if shutil.which("unshare") is None or subprocess.run([*private, mount], cwd=self.path, capture_output=True).returncode != 0:
            self.skipTest("this user may mount no file system")
        words = " ".join(f"'{word}'" for word in settings(FIELDS, {"fields.every": 2, "checkpoint.every": 5, "time.steps": 100}))
        done = subprocess.run([*private, f"{mount} {BINARY} convect layer.toml --device cpu --threads 1 --ceiling none --quiet --output disk/run "
                               f"{words} && code=0 || code=$?; cp -r disk/run run; exit $code"], cwd=self.path, capture_output=True, text=True, timeout=HANGING)
        self.assertEqual(done.returncode, FAILURE, done.stdout + done.stderr)
        self.assertRegex(done.stderr, r"cannot write disk/run/fields/flow-\d+.h5: No space left on device; the run continues without")
        self.assert_index_is_whole(self.path / "run")
        for name in self.files(self.path / "run"):
            self.assertIn("fields/u", self.read(self.path / "run" / "fields" / name)[0])
        last = sorted((self.path / "run" / "checkpoint").glob("*.h5"))[-1]
        with h5py.File(last) as checkpoint:
            self.assertIn("state/flow/u", checkpoint)

    def test_the_index_while_it_runs(self):
        process = self.start("layer.toml", "--output", "run", *settings(FIELDS, {"fields.every": 1, "time.steps": 10**8}))
        index = self.path / "run" / "fields.xdmf"
        while not index.exists():
            time.sleep(0.001)
        counts = set()
        while len(counts) < 10:
            root = xml.parse(index).getroot()
            grids = root.findall("./Domain/Grid/Grid")
            counts.add(len(grids))
            for item in root.iter("DataItem"):
                if item.get("Format") == "HDF":
                    self.assertTrue((self.path / "run" / item.text.split(":")[0]).exists())
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=HANGING)
        self.assert_index_is_whole(self.path / "run")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *UNITTEST_ARGUMENTS])
