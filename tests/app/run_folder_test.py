#!/usr/bin/env python3
"""Reads runs of `bankfull convect` with the package of tools/python.

Usage: run_folder_test.py BANKFULL_BINARY ROOT_OF_SOURCES [-- arguments of unittest]
"""

import csv
import importlib.util
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy

from convect_runs import BINARY, clean_environment
from script_arguments import HANGING, OWN_ARGUMENTS, UNITTEST_ARGUMENTS

SOURCES = pathlib.Path(OWN_ARGUMENTS[1]).resolve()
PACKAGE = SOURCES / "tools" / "python"
sys.path.insert(0, str(PACKAGE))
sys.dont_write_bytecode = True

import bankfull  # noqa: E402

try:
    import h5py
except ImportError:
    h5py = None

LAYER = """\
[domain]
upper = [2, 1, 1]
cells = [16, 8, 8]

[physics]
rayleigh = 1e4
prandtl = 0.71
scaling = "free-fall"

[boundaries]
x = "periodic"
y = "periodic"
z.lower = { velocity = "no-slip", temperature = 0.5 }
z.upper = { velocity = "no-slip", temperature = -0.5 }

[initial]
temperature = "0.5 - z"
noise = 1e-2

[time]
cfl = 0.3
steps = 12

[output]
series_every = 3
snapshots = 3

[statistics]
every = 2

[[spectrum]]
name = "low"
along = "x"
at = [0.1, 0.3]
every = 2

[[spectrum]]
name = "box"
along = "y"
every = 4

[[probe]]
name = "point"
at = [0.3, 0.4, 1]
every = 4

[[probe]]
name = "line"
from = [0.5, 0.25, 0]
to = [0.5, 0.25, 1]
points = 3
fields = ["temperature"]
every = 6
"""


class RunFolder(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = pathlib.Path(folder.name)
        (cls.root / "layer.toml").write_text(LAYER)
        subprocess.run([BINARY, "convect", "layer.toml", "--device", "cpu", "--threads", "1", "--ceiling", "none", "--quiet", "--output", "run"],
                       cwd=cls.root, env=clean_environment(), check=True, timeout=HANGING, stdout=subprocess.DEVNULL)
        cls.path = cls.root / "run"

    def copy(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return pathlib.Path(shutil.copytree(self.path, pathlib.Path(folder.name) / "run"))

    def test_the_series_by_its_columns(self):
        series = bankfull.Run(self.path).series
        with (self.path / "series.csv").open() as lines:
            rows = list(csv.DictReader(lines))
        self.assertEqual(list(series), list(rows[0]))
        self.assertEqual(len(series), 5)
        numpy.testing.assert_array_equal(series["step"], [0, 3, 6, 9, 12])
        numpy.testing.assert_array_equal(series["nusselt_volume"], [float(row["nusselt_volume"]) for row in rows])
        self.assertEqual(list(series["dt_limit"]), [row["dt_limit"] for row in rows])
        self.assertTrue(math.isnan(series["time_scheme_work"][0]), "an empty cell")
        self.assertIn("max_u", series)
        with self.assertRaisesRegex(KeyError, "series.csv has no column 'nusselt'; it has step, time"):
            series["nusselt"]

    def test_a_row_that_is_being_written_is_left_out(self):
        path = self.copy()
        text = (path / "series.csv").read_text()
        run = bankfull.Run(path)
        for cut in range(2, 40):
            (path / "series.csv").write_text(text[:-cut])
            run.refresh()
            self.assertEqual(len(run.series), 4, cut)
        (path / "series.csv").write_text(text)
        self.assertEqual(len(run.series), 4, "it was read already")
        run.refresh()
        self.assertEqual(len(run.series), 5)

    def test_the_result_and_its_figures(self):
        run = bankfull.Run(self.path)
        self.assertTrue(run.has_ended)
        self.assertEqual(run.result, json.loads((self.path / "run.json").read_text()))
        self.assertEqual(run.figures["steps"], 12)
        self.assertEqual(run.figures["nusselt_volume"], run.series["nusselt_volume"][-1])
        self.assertEqual(run.figures["end"], "steps")
        self.assertIn("cells = ", run.case_text)

    def test_a_running_run_has_no_result(self):
        path = self.copy()
        (path / "run.json").unlink()
        run = bankfull.Run(path)
        self.assertFalse(run.has_ended)
        with self.assertRaisesRegex(bankfull.RunFolderError, "the run is still in progress, or has failed"):
            run.figures
        self.assertEqual(len(run.series), 5)

    def test_pictures(self):
        run = bankfull.Run(self.path)
        self.assertEqual(len(run.pictures), 3)
        self.assertTrue(all(picture.path.is_file() for picture in run.pictures))
        last = run.pictures[-1]
        self.assertEqual((last.field, last.normal, last.at), ("temperature", "y", 0.5))
        self.assertEqual(last.time, run.series["time"][-1])
        self.assertLess(last.least, last.most)
        with self.assertRaisesRegex(bankfull.RunFolderError, "temperature-y-0002.h5"):
            last.data()
        path = self.copy()
        (path / "slices.csv").unlink()
        self.assertEqual(bankfull.Run(path).pictures, [])

    def test_profiles_that_the_run_has_written(self):
        profile = bankfull.Run(self.path).profiles["z"]
        numpy.testing.assert_allclose(profile["z"], (numpy.arange(8) + 0.5) / 8, rtol=0, atol=1e-15)
        self.assertTrue(numpy.isnan(profile["temperature_mean_error"]).all(), "of too few batches")
        self.assertIn("temperature_turbulent_flux_x", profile)
        self.assertRegex(profile.comments[0], r"^averages over planes across z and over times 0 to .*; 6 samples")

    def test_points_and_lines(self):
        run = bankfull.Run(self.path)
        self.assertEqual(sorted(run.probes), ["line", "point"])
        point = run.probes["point"]
        numpy.testing.assert_array_equal(point.steps, [0, 4, 8, 12])
        self.assertEqual(point.times[-1], run.series["time"][-1])
        numpy.testing.assert_array_equal(point.points, [[0.3, 0.4, 1.0]])
        self.assertEqual(point.names, ["u", "v", "w", "temperature"])
        self.assertEqual(point["u"].shape, (4, 1))
        numpy.testing.assert_allclose(point["temperature"], -0.5, rtol=0, atol=1e-14)
        numpy.testing.assert_array_equal(point["w"], 0.0)
        line = run.probes["line"]
        numpy.testing.assert_array_equal(line.steps, [0, 6, 12])
        numpy.testing.assert_array_equal(line.points, [[0.5, 0.25, 0.0], [0.5, 0.25, 0.5], [0.5, 0.25, 1.0]])
        numpy.testing.assert_allclose(line["temperature"][0], [0.5, 0.0, -0.5], rtol=0, atol=1e-14)
        with self.assertRaisesRegex(KeyError, "line.csv has no field 'u'; it has temperature"):
            line["u"]

    def test_a_time_of_a_line_that_is_being_written_is_left_out(self):
        path = self.copy()
        file = path / "probes" / "line.csv"
        text = file.read_text()
        file.write_text(text[:text.rstrip().rfind("\n") + 1])
        self.assertEqual(bankfull.Run(path).probes["line"]["temperature"].shape, (2, 3))

    def test_spectra_have_the_variances_of_the_profiles(self):
        run = bankfull.Run(self.path)
        low, profile = run.spectra["low"], run.profiles["z"]
        numpy.testing.assert_array_equal(low["mode"], [*range(9)] * 2)
        numpy.testing.assert_allclose(low["wavenumber"][1], math.pi, rtol=1e-15)
        for place, plane in ((0.1, 0), (0.3, 2)):
            for name in ("u", "v", "temperature"):
                numpy.testing.assert_allclose(low[name][low["z"] == place].sum(), profile[f"{name}_variance"][plane], rtol=1e-7, atol=1e-14)
        self.assertEqual(len(run.spectra["box"]), 5)
        self.assertNotIn("z", run.spectra["box"])

    def test_profiles(self):
        path = self.copy()
        shutil.rmtree(path / "profiles")
        self.assertEqual(bankfull.Run(path).profiles, {})
        (path / "profiles").mkdir()
        (path / "profiles" / "temperature-z.csv").write_text("z,mean,variance\n0.25,0.5,0.01\n0.75,-0.5,\n")
        profile = bankfull.Run(path).profiles["temperature-z"]
        numpy.testing.assert_array_equal(profile["z"], [0.25, 0.75])
        numpy.testing.assert_array_equal(profile["variance"], [0.01, math.nan])

    @unittest.skipIf(h5py is None, "no h5py")
    def test_fields_with_coordinates(self):
        path = self.copy()
        self.assertEqual(bankfull.Run(path).fields, [])
        (path / "fields").mkdir()
        values = numpy.arange(24.0).reshape(4, 3, 2)
        for number in (2, 10):
            with h5py.File(path / "fields" / f"flow-{number:06}.h5", "w") as file:
                file.attrs["time"] = 0.5 * number
                file.attrs["step"] = number
                for axis, count in zip("xyz", (2, 3, 4)):
                    faces = numpy.linspace(0, 1, count + 1) ** 2
                    file[f"grid/{axis}_faces"] = faces
                    file[f"grid/{axis}_centres"] = 0.5 * (faces[1:] + faces[:-1])
                for name in ("u", "temperature"):
                    file[f"fields/{name}"] = values + number
                file["centred/u"] = values - number
        first, last = bankfull.Run(path).fields
        self.assertEqual((first.time, last.time, last.step), (1.0, 5.0, 10))
        self.assertEqual(sorted(last.names), ["temperature", "u"])
        numpy.testing.assert_array_equal(last["temperature"], values + 10)
        numpy.testing.assert_array_equal(first.centred("u"), values - 2)
        x, y, z = first.coordinates("u")
        numpy.testing.assert_array_equal(x, first.faces()[0][:-1])
        numpy.testing.assert_array_equal(y, first.centres()[1])
        self.assertEqual(last["u"].shape, (len(z), len(y), len(x)))
        with self.assertRaisesRegex(KeyError, "no field 'salt'"):
            first["salt"]
        (path / "fields" / "flow-000011.h5").write_text("no HDF5")
        with self.assertRaisesRegex(bankfull.RunFolderError, "cannot read .*flow-000011.h5"):
            bankfull.Run(path).fields

    def test_what_is_no_run(self):
        for path, why in ((self.root, "No such file"), (self.root / "none", "No such file")):
            with self.assertRaisesRegex(bankfull.RunFolderError, f"is not the folder of a run: .*{why}"):
                bankfull.Run(path)
        path = self.copy()
        (path / "case.toml").write_text("[domain]\n")
        with self.assertRaisesRegex(bankfull.RunFolderError, "not one that bankfull has written"):
            bankfull.Run(path)

    @unittest.skipIf(importlib.util.find_spec("matplotlib") is None, "no matplotlib")
    def test_the_example_draws_a_run(self):
        path = self.copy()
        picture = path.parent / "drawn.png"
        example = SOURCES / "examples" / "python" / "plot_run.py"
        done = subprocess.run([sys.executable, "-B", str(example), str(path), str(picture)], env={**os.environ, "PYTHONPATH": str(PACKAGE)},
                              capture_output=True, text=True, timeout=HANGING)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, f"wrote {picture}\n")
        self.assertEqual(picture.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *UNITTEST_ARGUMENTS])
