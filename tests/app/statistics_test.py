#!/usr/bin/env python3
"""Profiles, their errors and `until.converged` of `bankfull convect`, formed anew from the fields and rows of every step.

Usage: statistics_test.py BANKFULL_BINARY [-- arguments of unittest]
"""

import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

try:
    import h5py
except ImportError:
    h5py = None

from script_arguments import HANGING, OWN_ARGUMENTS, UNITTEST_ARGUMENTS

BINARY = os.path.realpath(OWN_ARGUMENTS[0])

# Steps of many lengths, and so samples of many weights; walls across one axis, and thin cells at them.
LAYER = """\
[domain]
lower = [-1, 0, 0]
upper = [1, 1.5, 1]
cells = [8, 6, 10]
stretching = [0, 0, 1.3]

[physics]
rayleigh = 1e5
prandtl = 0.71
scaling = "free-fall"

[[scalar]]
name = "salt"
diffusivity = 0.01
buoyancy = -0.1

[boundaries]
x = "periodic"
y = "periodic"
z.lower = { velocity = [0.2, 0.1, 0], temperature = 300.5, salt = 0 }
z.upper = { velocity = "free-slip", temperature = 299.5, salt = { flux = 0.01 } }

[initial]
temperature = "300.5 - z"
velocity = ["0.3*sin(pi*x)*cos(pi*z)", "0.2*cos(pi*x)", "-0.3*cos(pi*x)*sin(pi*z)"]
noise = 5e-2

[time]
cfl = 0.5
steps = 90

[output]
series_every = 1
snapshots = 0

[fields]
every = 1

[[statistics]]
name = "all"
profiles = ["x", "y", "z"]
every = 1

[[statistics]]
name = "late"
profiles = ["z"]
from = FROM
until = UNTIL
every = 3
"""
AXES = "xyz"
VELOCITIES = "uvw"
SCALARS = ("temperature", "salt")
OFFSETS = {"temperature": 300}  # taken off first, or powers of it leave few digits to their differences
MOST_BATCHES = 32
LEAST_BATCHES = 10
ROUNDING = 1e-13


class Grid:
    """Arrays have the order (z, y, x); u lies on the lower faces across x, and so on. Walls across z."""

    def __init__(self, file):
        self.faces = [file[f"grid/{axis}_faces"][()] for axis in AXES]
        self.centres = [file[f"grid/{axis}_centres"][()] for axis in AXES]
        self.widths = [np.diff(faces) for faces in self.faces]

    def distances(self, axis):
        """Between the centres on both sides of lower faces: that of a wall belongs to nothing."""
        width = self.widths[axis]
        between = 0.5 * (np.roll(width, 1) + width)
        if AXES[axis] == "z":
            between[0] = 0
        return between

    def before(self, values, axis):
        """Of the cell below; below the lower wall there is none."""
        shifted = np.roll(values, 1, axis=2 - axis)
        if AXES[axis] == "z":
            shifted[0] = 0
        return shifted

    def to_faces(self, values, axis):
        return 0.5 * (self.before(values, axis) + values)

    def plane_means(self, values, across, on_faces=()):
        """For each plane across an axis. Along the others each value has the length that belongs to it."""
        for axis in range(3):
            if axis != across:
                part = self.distances(axis) if axis in on_faces else self.widths[axis]
                shape = [1, 1, 1]
                shape[2 - axis] = -1
                values = (values * (part / self.widths[axis].sum()).reshape(shape)).sum(axis=2 - axis, keepdims=True)
        return values.reshape(-1)


class Sample:
    """Means over the planes across an axis of all powers and products that profiles are made of."""

    def __init__(self, grid, fields, across):
        p = across
        velocity = [fields[name] for name in VELOCITIES]
        mean = grid.plane_means
        self.means = {}
        for axis in range(3):
            on = () if axis == p else (axis,)
            for power in (1, 2, 3):
                self.means[VELOCITIES[axis], power] = mean(velocity[axis]**power, p, on)
        for a, b in ((0, 1), (0, 2), (1, 2)):
            product = grid.to_faces(velocity[a], b) * grid.to_faces(velocity[b], a)
            self.means[VELOCITIES[a] + VELOCITIES[b]] = mean(product, p, [axis for axis in (a, b) if axis != p])
        for name in SCALARS:
            for power in (1, 2, 3):
                self.means[name, power] = mean(fields[name]**power, p)
            for axis in range(3):
                carried = velocity[axis] * grid.to_faces(fields[name], axis)
                self.means[name, VELOCITIES[axis]] = mean(carried, p, () if axis == p else (axis,))

    def vector(self):
        return np.concatenate([*self.means.values()])


def columns_of(grid, means, across, kappa, nu):
    """The columns of both files of a profile, by averages; of faces without the walls."""
    p = across
    walls = AXES[p] == "z"
    centres, faces = {}, {}

    def central(name):
        first, second, third = (means[name, power] for power in (1, 2, 3))
        return {"mean": first, "variance": second - first**2, "third_moment": third - 3 * first * second + 2 * first**3}

    def below(values):
        return np.roll(values, 1)

    def of_faces(values):
        return values[1:] if walls else np.append(values, values[0])

    distance = grid.distances(p)
    distance[distance == 0] = 1  # of the wall, which is not looked at
    for axis in range(3):
        for kind, values in central(VELOCITIES[axis]).items():
            if axis == p:
                faces[f"{VELOCITIES[axis]}_{kind}"] = of_faces(values)
            else:
                centres[f"{VELOCITIES[axis]}_{kind}"] = values
    for axis in range(3):
        if axis == p:
            continue
        pair = "".join(sorted(VELOCITIES[axis] + VELOCITIES[p]))
        mean = means[VELOCITIES[axis], 1]
        faces[f"{pair}_stress"] = of_faces(means[pair] - means[VELOCITIES[p], 1] * 0.5 * (below(mean) + mean))
        faces[f"{VELOCITIES[axis]}_viscous_flux"] = of_faces(-nu * (mean - below(mean)) / distance)
    first, second = (VELOCITIES[axis] for axis in range(3) if axis != p)
    centres[f"{first}{second}_stress"] = means[first + second] - means[first, 1] * means[second, 1]
    for name in SCALARS:
        mean = means[name, 1]
        centres.update({f"{name}_{kind}": values for kind, values in central(name).items()})
        centres[f"{name}_mean"] = mean + OFFSETS.get(name, 0)
        for axis in range(3):
            if axis != p:
                centres[f"{name}_turbulent_flux_{AXES[axis]}"] = means[name, VELOCITIES[axis]] - means[VELOCITIES[axis], 1] * mean
        carried = means[name, VELOCITIES[p]]
        diffusive = -kappa[name] * (mean - below(mean)) / distance
        faces[f"{name}_turbulent_flux"] = of_faces(carried - means[VELOCITIES[p], 1] * 0.5 * (below(mean) + mean))
        faces[f"{name}_diffusive_flux"] = of_faces(diffusive)
        faces[f"{name}_flux"] = of_faces(carried + OFFSETS.get(name, 0) * means[VELOCITIES[p], 1] + diffusive)
    return centres, faces


def batches_of(count):
    """Which samples are in each batch, and how many of the batches are whole."""
    size = 1
    while -(-count // size) > MOST_BATCHES:
        size *= 2
    return [range(begin, min(begin + size, count)) for begin in range(0, count, size)], count // size


def table_of(path):
    with path.open() as lines:
        rows = csv.reader(line for line in lines if not line.startswith("#"))
        names = next(rows)
        values = [[float(cell) if cell else np.nan for cell in row] for row in rows]
    return dict(zip(names, np.array(values).T))


def mean_of_lines(times, values, begin, end):
    """Of what lies on straight lines between its values, from one time to another."""
    inner = (times > begin) & (times < end)
    t = np.concatenate([[begin], times[inner], [end]])
    v = np.stack([np.interp(t, times, column) for column in values])
    return ((v[:, 1:] + v[:, :-1]) * np.diff(t)).sum(axis=1) / (2 * (end - begin))


def standard_error(times, values):
    """That of the averages over the second half: the largest of 8, 16 and 32 batches, as a fraction of the largest average."""
    begin, end = 0.5 * times[-1], times[-1]
    within = int((times > begin).sum())
    mean = mean_of_lines(times, values, begin, end)
    errors = []
    for count in (8, 16, 32):
        if within >= 2 * count:
            edges = np.linspace(begin, end, count + 1)
            batches = np.stack([mean_of_lines(times, values, *edge) for edge in zip(edges[:-1], edges[1:])])
            errors.append(np.sqrt(((batches - mean)**2).sum(axis=0) / (count * (count - 1))).max())
    return max(errors) / np.abs(mean).max() if errors else None


class Runs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def run_convect(self, *arguments):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("BANKFULL_")}
        done = subprocess.run([BINARY, "convect", "--device", "cpu", "--threads", "1", "--ceiling", "none", *arguments], cwd=self.path,
                              env=clean, capture_output=True, text=True, timeout=HANGING, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout


@unittest.skipIf(h5py is None, "needs h5py")
class Profiles(Runs):
    FROM, UNTIL, EVERY = 0.7, 2.1, 3

    def setUp(self):
        super().setUp()
        (self.path / "layer.toml").write_text(LAYER.replace("FROM", str(self.FROM)).replace("UNTIL", str(self.UNTIL)))

    def read_fields(self, folder):
        self.steps, self.times, self.fields = [], [], []
        for path in sorted((folder / "fields").glob("*.h5")):
            with h5py.File(path) as file:
                self.grid = Grid(file)
                self.steps.append(int(file.attrs["step"]))
                self.times.append(float(file.attrs["time"]))
                self.fields.append({name: file[f"fields/{name}"][()] - OFFSETS.get(name, 0) for name in (*VELOCITIES, *SCALARS)})
        self.assertEqual(self.steps, list(range(len(self.steps))))
        self.assertGreater(np.ptp(np.diff(self.times)) / np.mean(np.diff(self.times)), 0.1, "steps of one length only")

    def assert_profiles(self, folder, window, across, chosen, begin):
        """All columns but the dissipations, which have a test of their own, are those of the fields at these steps."""
        samples = [Sample(self.grid, self.fields[n], across) for n in chosen]
        weights = np.diff([begin, *(self.times[n] for n in chosen)])
        vectors = np.stack([sample.vector() for sample in samples])
        kappa = {"temperature": (1e5 * 0.71)**-0.5, "salt": 0.01}
        nu = (0.71 / 1e5)**0.5

        def columns(numbers):
            average = np.average(vectors[numbers], axis=0, weights=weights[numbers])
            edges = np.cumsum([values.size for values in samples[0].means.values()])[:-1]
            return columns_of(self.grid, dict(zip(samples[0].means, np.split(average, edges))), across, kappa, nu)

        everything = np.arange(len(chosen))
        batches, whole = batches_of(len(chosen))
        without = [columns(np.setdiff1d(everything, batch)) for batch in batches[:whole]]
        axis = AXES[across]
        for part, ending in enumerate(("", "-faces")):
            path = folder / "profiles" / f"{window}-{axis}{ending}.csv"
            self.assertIn(f" {len(chosen)} samples; errors by {whole} batches\n", path.read_text())
            written = table_of(path)
            expected = columns(everything)[part]
            unknown = {name for name in written if not name.endswith("_error")} - {*expected, axis, "width"}
            self.assertTrue(all(name.endswith("dissipation") for name in unknown), unknown)
            looked_at = slice(1, -1) if ending and axis == "z" else slice(None)
            np.testing.assert_allclose(written[axis], (self.grid.faces if ending else self.grid.centres)[across], rtol=1e-15, atol=1e-15)
            for name, values in expected.items():
                with self.subTest(window=window, axis=axis, column=name):
                    if looked_at != slice(None):
                        values = values[:len(written[name]) - 2]
                    np.testing.assert_allclose(written[name][looked_at], values, rtol=1e-12, atol=ROUNDING)
                    if (axis, name) != ("z", "w_mean"):  # which is 0 where nothing passes walls
                        self.assertGreater(np.abs(values).max(), 1e4 * ROUNDING, "nothing is compared")
                    if whole < LEAST_BATCHES:
                        self.assertTrue(np.isnan(written[f"{name}_error"]).all())
                        continue
                    left_out = np.stack([tables[part][name][:len(values)] for tables in without])
                    error = np.sqrt((whole - 1) / whole * ((left_out - left_out.mean(axis=0))**2).sum(axis=0))
                    np.testing.assert_allclose(written[f"{name}_error"][looked_at], error, rtol=1e-9, atol=1e-12)

    def test_all_columns_from_the_fields_of_every_step(self):
        self.run_convect("layer.toml", "--output", "run")
        folder = self.path / "run"
        self.read_fields(folder)
        for across in range(3):
            self.assert_profiles(folder, "all", across, range(1, len(self.steps)), 0.0)
        chosen = [n for n in self.steps if n > 0 and n % self.EVERY == 0 and self.FROM < self.times[n] <= self.UNTIL]
        self.assertGreater(len(chosen), 3)
        self.assert_profiles(folder, "late", 2, chosen, self.FROM)


class Convergence(Runs):
    def test_a_run_ends_once_the_error_is_below_its_bound(self):
        bound, window = 0.02, 1.0
        text = LAYER[:LAYER.index("[fields]")].replace("300.5", "0.5").replace("299.5", "-0.5").replace("steps = 90", "steps = 3000")
        (self.path / "layer.toml").write_text(text.replace("cfl = 0.5", f"cfl = 0.5\nuntil = {{ converged = {bound}, window = {window} }}"))
        out = self.run_convect("layer.toml", "--output", "run")
        self.assertRegex(out, "(?m)^RESULT .* end=converged ")
        with (self.path / "run" / "series.csv").open() as lines:
            rows = list(csv.DictReader(lines))
        names = [f"nusselt_{name}" for name in ("lower", "upper", "volume", "thermal", "kinetic")]
        times = np.array([float(row["time"]) for row in rows])
        values = np.array([[float(row[name] or 0) for row in rows] for name in names])
        used = [n for n, name in enumerate(names) if any(row[name] for row in rows)]
        values = values[used]
        figures = json.loads((self.path / "run" / "run.json").read_text())["measurements"][0]["figures"]
        mean = mean_of_lines(times, values, 0.5 * times[-1], times[-1])
        for name, value in zip((names[n] for n in used), mean):
            self.assertAlmostEqual(figures[f"{name}_average"]["value"] / value, 1, 10, name)
        self.assertAlmostEqual(figures["nusselt_error"]["value"] / standard_error(times, values), 1, 8)
        # Two more steps follow the decision.
        last = len(times) - 1
        decided = last - 2
        errors = {}
        for step in range(32, decided + 1):
            if 0.5 * times[step] >= window:
                errors[step] = standard_error(times[:step + 1], values[:, :step + 1])
        self.assertLessEqual(errors[decided], bound)
        # In long runs not every step is judged.
        earlier = [step for step, error in errors.items() if error is not None and error <= bound and step < decided - 0.02 * decided]
        self.assertEqual(earlier, [])
        self.assertGreater(len(errors), 50, "it ended before there was anything to wait for")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *UNITTEST_ARGUMENTS])
