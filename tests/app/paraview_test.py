#!/usr/bin/env python3
"""ParaView opens what runs of `bankfull convect` write, and renders contours of it.

Usage: paraview_test.py BANKFULL_BINARY (hdf5 | none) [-- arguments of unittest]

Skipped where pvbatch, or the X server that Debian's needs, is not there: packages paraview, xvfb and xauth.
"""

import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from script_arguments import HANGING, OWN_ARGUMENTS, UNITTEST_ARGUMENTS

BINARY = os.path.realpath(OWN_ARGUMENTS[0])
HAS_HDF5 = OWN_ARGUMENTS[1] == "hdf5"
CONTOUR = pathlib.Path(__file__).resolve().parent / "paraview_contour.py"

LAYER = """\
[domain]
lower = [-1, 0, 0]
upper = [1, 1, 2]
cells = [12, 6, 8]
stretching = [0, 0, {stretching}]

[physics]
rayleigh = 1e4
prandtl = 0.71
scaling = "free-fall"

[boundaries]
x = "periodic"
y = "periodic"
z.lower = {{ velocity = "no-slip", temperature = 0.5 }}
z.upper = {{ velocity = "no-slip", temperature = -0.5 }}

[initial]
temperature = "(1 - z)/2 + x/1000"

[time]
dt = 0.005
steps = 12

[fields]
every = 5
format = "{format}"
centred = true
"""


@unittest.skipUnless(shutil.which("pvbatch") and shutil.which("xvfb-run"), "pvbatch or xvfb-run is not there")
class Contours(unittest.TestCase):
    def open_in_paraview(self, folder, index):
        picture = folder / "contour.png"
        for _ in range(3):  # Xvfb is not always up when xvfb-run thinks so
            done = subprocess.run(["xvfb-run", "-a", "pvbatch", str(CONTOUR), str(index), "temperature", "0.0", str(picture)],
                                  capture_output=True, text=True, timeout=HANGING, cwd=folder)
            if "bad X server connection" not in done.stderr:
                break
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertTrue(picture.read_bytes().startswith(b"\x89PNG"))
        return json.loads(done.stdout.splitlines()[-1])

    def check(self, stretching, file_format):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "layer.toml").write_text(LAYER.format(stretching=stretching, format=file_format))
            subprocess.run([BINARY, "convect", "layer.toml", "--device", "cpu", "--threads", "1", "--ceiling", "none", "--quiet", "--output", "run"],
                           cwd=folder, check=True, capture_output=True, timeout=HANGING)
            found = self.open_in_paraview(folder, folder / "run" / ("fields.xdmf" if file_format == "hdf5" else "fields.pvd"))
            with (folder / "run" / "fields.csv").open() as lines:
                times = [float(row["time"]) for row in csv.DictReader(lines)]
            with (folder / "run" / "series.csv").open() as lines:
                last = list(csv.DictReader(lines))[-1]
        self.assertEqual(found["times"], times)
        self.assertEqual(len(times), 4)
        self.assertEqual(found["bounds"], [-1, 1, 0, 1, 0, 2])
        self.assertEqual(found["cells"], 12 * 6 * 8)
        velocities = {"u", "v", "w"}
        self.assertEqual(set(found["ranges"]), {"temperature", *velocities, *(["velocity"] if file_format == "hdf5" else [])})
        if file_format == "hdf5":
            self.assertEqual(found["velocity_ranges"], [found["ranges"][name] for name in sorted(velocities)])
        for end, column in zip(found["ranges"]["temperature"], ("temperature_least", "temperature_most")):
            self.assertAlmostEqual(end, float(last[column]), places=12)
        self.assertGreater(found["contour_points"], 0)
        # The middle of the layer, where it is cold and hot above each other: x, y, z are not interchanged.
        self.assertLess(max(abs(z - 1) for z in found["contour_bounds"][4:]), 0.1)

    @unittest.skipUnless(HAS_HDF5, "the program is without HDF5")
    def test_uniform_xdmf(self):
        self.check(0, "hdf5")

    @unittest.skipUnless(HAS_HDF5, "the program is without HDF5")
    def test_stretched_xdmf(self):
        self.check(1.2, "hdf5")

    def test_uniform_vtk(self):
        self.check(0, "vtk")

    def test_stretched_vtk(self):
        self.check(1.2, "vtk")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *UNITTEST_ARGUMENTS])
