#!/usr/bin/env python3
"""Steps `bankfull convect` beside the solver of independent_solver.py: 50 small random cases, every quantity of every step.

Usage: independent_solver_test.py BANKFULL_BINARY [-- arguments of unittest]
"""

import csv
import itertools
import json
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "app"))

from independent_solver import AXES, Case, Flow, STEP, Wall
from script_arguments import HANGING, OWN_ARGUMENTS, UNITTEST_ARGUMENTS

BINARY = os.path.realpath(OWN_ARGUMENTS[0])

ALLOWED = 1e-12  # of a quantity's size, which sizes() states
# Columns that the mathematics does not determine, or that the solver does not form: how the grid resolves the flow has tests of its own.
OF_THE_MACHINE = {"cycles", "ns_per_cell_step"}
NOT_FORMED = re.compile(r"resolution|cell_")

CASES = 50
MOTIONS = ("no-slip", "free-slip", "moving", "slipping")
ENDS = [None, *itertools.product(MOTIONS, MOTIONS)]  # of an axis; None: it is periodic

# Every term at once; the stretched axes and their walls distinguish weighted means from others.
EVERYTHING = """\
[domain]
lower = [-0.3, 0.1, 0.2]
upper = [0.9, 1.0, 1.6]
cells = [5, 7, 6]
stretching = [0, 1.4, 0.8]

[physics]
viscosity = 0.03
diffusivity = 0.02
gravity = 2
expansion = 0.7
up = [0.3, 0.8, -0.4]
rotation = [0.5, -0.8, 0.7]

[[scalar]]
name = "salt"
diffusivity = 0.01
buoyancy = -0.6

[boundaries]
x = "periodic"
y.lower = { velocity = "no-slip", temperature = { value = 1, slope = [0, 0.3, 0.5] }, salt = { flux = 0.02 } }
y.upper = { velocity = { velocity = [0.4, 0, -0.3], slip_length = 0.1, varying = [0, 0, "sin(30*t)"] }, temperature = 0.2, salt = "insulating" }
z.lower = { velocity = "free-slip", temperature = { transfer = 0.3, surroundings = 0.6, slope = [0, 0.4, 0] }, salt = 0.5 }
z.upper = { velocity = "free-slip", temperature = "insulating", salt = { value = 0.5, varying = "0.4*cos(20*t)" } }

[initial]
velocity = ["sin(5*x + y)", "cos(3*y - z)", "x > 0.2 ? 0.5 : sin(4*z + x)"]
temperature = "exp(-y) + 0.2*cos(4*x)*z"
salt = "tanh(2*z - 1)"
noise = 0.1

[forcing]
acceleration = ["sin(3*y)", 0.3, "cos(x)"]
salt = { formula = "0.4*(z - y)", factor = "1 - 9*t" }

[time]
dt = 0.01
steps = 6

[solver]
divergence = 1e-16

[output]
series_every = 1
snapshots = 0
"""


def decks():
    """One list of CASES for each choice, shuffled, so that everything comes as often as it should, beside all the rest."""
    chance = random.Random(1965)
    counts = {"schemes": ["adams-bashforth", "runge-kutta"] * 25,
              # auto is the direct solver, where the program has one. Multigrid goes down to rounding errors too if it is told to.
              "pressures": ["auto", "multigrid"] * 25,
              "schedules": ["tuned"] * 44 + ["reference"] * 6,
              # Cases of one scalar without rotation and sources have loops of their own in the program.
              "scalars": ["usual"] * 14 + [0, 1, 2, 3] * 9,
              "stretched": [0] * 17 + [1] * 13 + [2] * 10 + [3] * 10,  # so many axes, of those between walls
              "implicit": ["none"] * 16 + ["stretched"] * 17 + ["walls"] * 17}
    return [chance.sample(ENDS * 3, CASES) for _ in AXES], {name: chance.sample(of_each, CASES) for name, of_each in counts.items()}


ENDS_OF_AXES, CHOICES = decks()


def warm(sections, name, by):
    """Adds a constant to a scalar wherever a case prescribes it: the program stores what is far from zero less a value of its own."""
    walls = [part for ends in sections["boundaries"].values() if ends != "periodic"
             for part in ([ends] if "velocity" in ends else ends.values())]
    for wall in walls:
        if isinstance(wall[name], dict):
            wall[name].update((key, round(wall[name][key] + by, 3)) for key in ("value", "surroundings") if key in wall[name])
        elif wall[name] != "insulating":
            wall[name] = round(wall[name] + by, 3)
    if by != 0:
        sections["initial"][name] = f"{by} + {sections['initial'][name]}"


class Drawn:
    """Case `number` as the sections of its file, but for the length of a step."""

    def __init__(self, number):
        self.chance = random.Random(2003 + number)
        self.choices = {name: deck[number] for name, deck in CHOICES.items()}
        self.ends = [deck[number] for deck in ENDS_OF_AXES]
        bounded = random.Random(1979 + number)  # not together with implicit diffusion
        self.bounded = [self.choices["implicit"] == "none" and bounded.random() < 0.6 for _ in range(3)]
        far = random.Random(1742 + number)
        self.warmer = [far.choice((0, 0, 300, -40)) for _ in range(3)]
        self.is_usual = self.choices["scalars"] == "usual"
        names = ["temperature", "salt", "dye"]
        if not self.is_usual and self.chance.random() < 0.4:
            names = ["salt", "dye", "age"]
        self.names = names[:1 if self.is_usual else self.choices["scalars"]]

    def amount(self, low, high):
        return round(self.chance.uniform(low, high), 3)

    def power(self, low, high):
        return float(f"{10**self.chance.uniform(low, high):.3g}")

    def vector(self, low, high):
        return [self.amount(low, high) for _ in AXES]

    def perhaps(self, likely):
        return self.chance.random() < likely

    def formula(self):
        a, b, c, k, m, n = (self.amount(*range_of) for range_of in ((-1, 1), (-1, 1), (-0.5, 0.5), (2, 9), (-6, 6), (-3, 3)))
        return self.chance.choice((f"{a}*sin({k}*x + {m}*y) + {b}*cos({n}*z)*exp(-x^2)",
                                   f"{a}*tanh({m}*x + {k}*y*z) - {b}*abs(sin({n} + {k}*z + y))",
                                   f"(sin({k}*x*y + z) > {c} ? {a} : {b}) + {c}*y*z"))

    def wall(self, axis, kind):
        motion = [0 if a == axis else self.amount(-1, 1) for a in AXES] if kind in ("moving", "slipping") else kind
        if kind == "slipping":
            motion = {"velocity": motion, "slip_length": self.power(-2, 1)}
            if self.perhaps(0.5):
                motion["varying"] = [0 if a == axis else self.time_formula() for a in AXES]
        return {"velocity": motion, **{name: self.scalar_wall() for name in self.names}}

    def scalar_wall(self):
        wall = self.chance.choice((self.amount(-1, 1), {"value": self.amount(-1, 1), "slope": self.vector(-1, 1)},
                                   {"flux": self.amount(-0.2, 0.2)}, "insulating",
                                   {"surroundings": self.amount(-1, 1), "transfer": self.power(-2, 1), "slope": self.vector(-1, 1)}))
        if isinstance(wall, dict) and self.perhaps(0.4):
            wall["varying"] = self.time_formula()
        return wall

    def time_formula(self):
        a, b, c = self.amount(-1, 1), self.amount(-3, 3), self.power(0, 2)
        return self.chance.choice((f"{a}*sin({c}*t + {b})", f"{a}*exp(-{c}*t) - {b}*t^2", f"{c}*t > 0.1 ? {a} : {b}*t"))

    def boundary(self, axis):
        if self.ends[axis] is None:
            return "periodic"
        lower, upper = self.ends[axis]
        if lower == upper and self.perhaps(0.3):
            return self.wall(axis, lower)
        return {"lower": self.wall(axis, lower), "upper": self.wall(axis, upper)}

    def max_stretching(self, axis, stretched):
        """Of what multigrid serves: one axis by any amount, others by little."""
        return 0.6 if self.choices["pressures"] == "multigrid" and axis != stretched[0] else 2.5

    def domain(self):
        lower = self.vector(-1, 1)
        walled = [a for a in AXES if self.ends[a]]
        stretched = self.chance.sample(walled, min(len(walled), self.choices["stretched"]))
        return {"lower": lower, "upper": [round(low + self.amount(0.4, 2.5), 3) for low in lower],
                "cells": [self.chance.randint(1, 9) for _ in AXES],
                "stretching": [self.amount(0.3, self.max_stretching(a, stretched)) if a in stretched else 0 for a in AXES]}

    def physics(self):
        if "temperature" in self.names and self.perhaps(0.4):
            found = {"rayleigh": self.power(1, 4), "prandtl": self.power(-1, 1), "length": self.amount(0.5, 2),
                     "temperature_difference": self.amount(0.5, 2), "scaling": self.chance.choice(("diffusive", "viscous", "free-fall"))}
        else:
            found = self.chance.choice(({"viscosity": 0}, {"viscosity": self.power(-4, -1)}, {"reynolds": self.power(1, 4)}))
            if "temperature" in self.names:
                found.update(diffusivity=self.power(-5, 0), gravity=self.amount(0, 3), expansion=self.amount(-1, 1))
        found["up"] = self.chance.choice((self.vector(-1, 1), self.vector(-1, 1), self.chance.choice("xyz") + self.chance.choice("+-")))
        if not self.is_usual and self.perhaps(0.7):
            found["rotation"] = [self.chance.choice((0, self.amount(-2, 2))) for _ in AXES]
        return found

    def source(self):
        """A formula of places, perhaps with one of time, or that alone."""
        return self.chance.choice((self.formula(), {"formula": self.formula(), "factor": self.time_formula()},
                                   {"factor": self.time_formula()}))

    def forcing(self):
        if self.is_usual or self.perhaps(0.3):
            return {}
        return {"acceleration": [self.chance.choice((0, self.source())) for _ in AXES],
                **{name: self.source() for name in self.names if self.perhaps(0.6)}}

    def sections(self):
        found = {
            "domain": self.domain(),
            "physics": self.physics(),
            "scalar": [{"name": name, "diffusivity": self.power(-5, 0), "buoyancy": self.chance.choice((0, self.amount(-1, 1)))}
                       for name in self.names if name != "temperature"],
            "boundaries": {name: self.boundary(axis) for axis, name in enumerate("xyz")},
            "initial": {"velocity": [self.formula() for _ in AXES], **{name: self.formula() for name in self.names},
                        "noise": self.chance.choice((0, self.amount(0, 0.5))), "seed": self.chance.randint(0, 99)},
            "forcing": self.forcing(),
            "time": {"scheme": self.choices["schemes"], "implicit_diffusion": self.choices["implicit"], "steps": self.chance.randint(4, 12)},
            "solver": {"pressure": self.choices["pressures"], "schedule": self.choices["schedules"], "divergence": 1e-16},
            "output": {"series_every": 1, "snapshots": 0},
        }
        carriers = [*([found["physics"]] if "temperature" in self.names else []), *found["scalar"]]
        for section, bounded in zip(carriers, self.bounded):
            section["advection"] = "bounded" if bounded else "centred"
        for name, by in zip(self.names, self.warmer):
            warm(found, name, by)
        if not any(self.implicit_axes(found)):
            found["time"]["implicit_diffusion"] = "none"  # what no axis can have is refused
        return found

    @staticmethod
    def implicit_axes(sections):
        kind = sections["time"]["implicit_diffusion"]
        return [sections["boundaries"][name] != "periodic" and (kind == "walls" or kind == "stretched" and stretching != 0)
                for name, stretching in zip("xyz", sections["domain"]["stretching"])]


def toml_of(value):
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml_of(part)}" for key, part in value.items()) + " }"
    return "[" + ", ".join(map(toml_of, value)) + "]" if isinstance(value, list) else json.dumps(value)


def text_of(sections):
    lines = []
    for name, section in sections.items():
        for part in section if isinstance(section, list) else [section]:
            lines += [f"[[{name}]]" if isinstance(section, list) else f"[{name}]"]
            lines += [*(f"{key} = {toml_of(value)}" for key, value in part.items()), ""]
    return "\n".join(lines)


def stable_step(flow):
    """A quarter of what a flow allows at its start (docs/convection.md): by its Courant number, by what its forces do to that within
    four steps, and by the fastest decay that diffusion on the narrowest cells has along axes where it is explicit. Beside that it is short enough for waves that nothing
    damps to grow by less than a hundredth in the few steps of a case."""
    case = flow.case
    courant, decay = {"adams-bashforth": (0.8, 1.0), "runge-kutta": (1.7, 2.51)}[case.scheme]
    narrowest = [np.min(axis.widths) for axis in flow.axes]
    pushed = sum(np.nanmax(np.abs(flow.tendency(a)), initial=0) / width for a, width in enumerate(narrowest))
    diffusivity = max([case.viscosity, *(scalar.diffusivity for scalar in case.scalars)])
    diffused = sum(4 * diffusivity / width**2 for width, implicit in zip(narrowest, case.implicit) if not implicit)
    stratified = math.sqrt(sum(np.max(np.abs(scalar.buoyancy)) * np.ptp(flow.at(3 + s)) for s, scalar in enumerate(case.scalars))
                           / min(narrowest))
    waves = flow.advective_rate() + 2 * math.hypot(*case.rotation) + stratified
    return float(f"{0.25 / max(flow.advective_rate() / courant, math.sqrt(4 * pushed / courant), diffused / decay, 3 * waves, 0.1):.3g}")


def sizes(flow, rows):
    """What deviations are measured by: rounding errors of a quantity are in proportion to this.

    Of velocities: the fastest of the run before the projection, which takes away a gradient of that size. Of rates u / h: this over
    the narrowest cells. Of scalars and their means: the largest value of the run. Of Nusselt numbers: heat that differences of this
    size would conduct through the cell at the wall, or that would be carried by such velocities, over what is conducted. Of terms of
    budgets: what diffusion with such gradients, of scalars also those at walls, buoyancy and forces could do. Of what is left of a budget: these, and the changes of
    energy and variance over a step.
    """
    speed = flow.fastest
    rate = sum(speed / np.min(axis.widths) for axis in flow.axes)
    dt = max(row["dt"] for row in rows)
    found = {"step": 1, "time": rows[-1]["time"], "dt": dt, "kinetic_energy": speed**2, "divergence": rate,
             "courant": dt * rate, "max_u": speed, "max_v": speed, "max_w": speed}
    shortest = min(row["dt"] for row in rows[1:])
    conductance = sum(1 / np.min(axis.widths)**2 for axis in flow.axes)
    found["dissipation"] = found["wall_work"] = flow.case.viscosity * conductance * speed**2
    sources = [np.max(np.abs(source)) * max(abs(factor(row["time"])) for row in rows)
               for source, factor in zip(flow.sources, flow.case.source_factors)]
    found["force_work"] = speed * sum(sources[:3])
    found["buoyancy_work"] = 0
    for s, scalar in enumerate(flow.case.scalars):
        largest = max(abs(row[f"{scalar.name}_{end}"]) for row in rows for end in ("least", "most"))
        found.update((f"{scalar.name}_{what}", largest) for what in ("mean", "least", "most"))
        found[f"{scalar.name}_mean_square"] = largest**2
        beside_walls = max(largest, np.max(np.abs(flow.fields[3 + s])))  # a flux into what hardly conducts comes from far beyond
        taken = scalar.diffusivity * conductance * beside_walls**2
        source = largest * sources[3 + s]
        found.update({f"{scalar.name}_dissipation": taken, f"{scalar.name}_wall_production": taken,
                      f"{scalar.name}_source_production": source,
                      f"{scalar.name}_time_scheme_production": largest**2 / shortest + 2 * taken + source,
                      f"{scalar.name}_numerical_dissipation": largest**2 / shortest})
        found.update(sizes_of_passage(flow, rows, s, beside_walls, speed))
        found["buoyancy_work"] += speed * largest * np.max(np.abs(scalar.buoyancy))
    found["reynolds"] = speed * max(axis.length for axis in flow.axes) / (flow.case.viscosity or 1)
    found["time_scheme_work"] = speed**2 / shortest + sum(found[name] for name in
                                                          ("dissipation", "wall_work", "force_work", "buoyancy_work"))
    found.update(dict.fromkeys(("nusselt_lower", "nusselt_upper", "nusselt_volume", "nusselt_thermal", "nusselt_kinetic"), 1))
    if flow.conducted():
        axis, heat = flow.conducted()
        scalar = flow.case.scalars[0]
        value = found[f"{scalar.name}_most"] + abs(heat) * axis.length / scalar.diffusivity
        found["nusselt_lower"] = found["nusselt_upper"] = scalar.diffusivity * value / np.min(axis.widths) / abs(heat)
        found["nusselt_volume"] = 1 + speed * value / abs(heat)
        found["nusselt_thermal"] = found[f"{scalar.name}_dissipation"] * scalar.diffusivity / heat**2
        found["nusselt_kinetic"] = 1 + found["dissipation"] / abs(scalar.buoyancy[axis.number] * heat or 1)
    return found


def sizes_of_passage(flow, rows, s, value, speed):
    """Of what passes of a scalar from wall to wall. A quotient has the rounding of a difference that may be small."""
    scalar, axis = flow.case.scalars[s], flow.flux_axis(s)
    if axis is None:
        return {}
    flux = scalar.diffusivity * value / np.min(axis.widths) + speed * value
    differences = [abs(row[f"{scalar.name}_difference"]) for row in rows]
    least = min((one for one in differences if one), default=value)
    quotient = flux * axis.length / (scalar.diffusivity * least) * (1 + value / least)
    return {f"{scalar.name}_{name}": size for names, size in (
        (("flux_lower", "flux_upper", "flux_volume"), flux), (("difference",), value),
        (("sherwood_lower", "sherwood_upper", "sherwood_volume"), quotient)) for name in names}


def deviation(ours, theirs):
    """The difference of two numbers; None, where one is missing, differs from all of them, and NaN even from itself."""
    if ours is None or theirs is None:
        return 0 if ours is theirs else math.inf
    return abs(ours - theirs) if math.isfinite(ours - theirs) else math.inf


def deviations(flow, rows, theirs):
    """{column: the largest difference between our rows and theirs, over its size}; of the divergence, from zero."""
    size = sizes(flow, rows)
    found = {}
    for name in rows[0]:
        if isinstance(rows[0][name], str):
            found[name] = 0 if all(row[name] == other[name] for row, other in zip(rows, theirs)) else math.inf
            continue
        pairs = [(row[name], float(other[name]) if other[name] else None) for row, other in zip(rows, theirs)]
        if name == "divergence":
            pairs = [(value, 0) for pair in pairs for value in pair]
        most = max(deviation(*pair) for pair in pairs)
        found[name] = most / size[name] if most else 0
    return found


class BesideTheProgram(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)

    def series_of_the_program(self, case):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("BANKFULL_")}
        result = subprocess.run([BINARY, "convect", case, "--device", "cpu", "--threads", "2", "--ceiling", "none", "--quiet",
                                 "--output", self.path / "run", "--overwrite"],
                                capture_output=True, text=True, timeout=HANGING, env=clean)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        with (self.path / "run" / "series.csv").open() as lines:
            return list(csv.DictReader(lines))

    def compared(self, case):
        """Deviations of a case; what the program records, except its speed, is what the solver finds."""
        flow = Flow(Case(case))
        rows, theirs = list(flow.series()), self.series_of_the_program(case)
        self.assertEqual(len(rows), len(theirs))
        self.assertEqual(list(rows[0]), [name for name in theirs[0] if name not in OF_THE_MACHINE and not NOT_FORMED.search(name)])
        return deviations(flow, rows, theirs)

    def draw(self, number):
        """The file of a drawn case, which gets its step here."""
        sections = Drawn(number).sections()
        time = sections["time"]
        case = self.path / "case.toml"
        case.write_text(text_of({**sections, "time": {**time, "dt": 1}}))
        time["dt"] = stable_step(Flow(Case(case)))
        if time["steps"] % 2:  # the last step is a shorter one
            time["end"] = (time.pop("steps") - 0.4) * time["dt"]
        case.write_text(text_of(sections))
        return case

    def agree(self, first):
        for number in range(first, first + 10):
            with self.subTest(case=number):
                case = self.draw(number)
                found = self.compared(case)
                self.assertLessEqual(max(found.values()), ALLOWED, f"{found}\n{case.read_text()}")

    def test_cases_0_to_9(self):
        self.agree(0)

    def test_cases_10_to_19(self):
        self.agree(10)

    def test_cases_20_to_29(self):
        self.agree(20)

    def test_cases_30_to_39(self):
        self.agree(30)

    def test_cases_40_to_49(self):
        self.agree(40)

    def test_finds_what_is_done_otherwise(self):
        """Were one term of one side missing, or were it centred or stepped in another way, the comparison would show it."""
        nothing = mock.Mock(return_value=0.0)
        tendency, beyond, diffused, mean_product, passage = Flow.tendency, Wall.beyond, Flow.diffused, Flow.mean_product, Flow.passage
        self.detects(EVERYTHING, (
            (Flow, "rotation", nothing),
            (Flow, "buoyancy", nothing),
            (Flow, "noise", nothing),
            (Flow, "tendency", lambda flow, field: tendency(flow, field) - flow.sources[field]),
            (Flow, "source", lambda flow, field: flow.case.source_factors[field](0) * flow.sources[field]),
            (Flow, "scalar_on_face", Flow.beside),
            (Flow, "diffused", lambda flow, field, b, diffusivity: 1.001 * diffused(flow, field, b, diffusivity)),
            (Flow, "reynolds", lambda flow, energy: 1.001 * math.sqrt(energy)),
            (Flow, "passage", lambda flow, s: [1.001 * one if one else one for one in passage(flow, s)]),
            (Flow, "mean_product", lambda flow, field, other: 1.001 * mean_product(flow, field, other)),
            (Flow, "beside", lambda flow, a, field, steps=(0, 0, 0): (flow.at(field, steps - STEP[a]) + flow.at(field, steps)) / 2),
            (Flow, "stages", lambda flow, dt, before: ((dt, 0, True, 1),) if before is None else ((1.5 * dt, -0.5 * dt, True, 1),)),
            (Wall, "beyond", lambda wall, inside, distance, time: inside),
            (Wall, "beyond", lambda wall, inside, distance, time: beyond(wall, inside, distance, 0)),
        ))

    def test_finds_what_implicit_diffusion_does_otherwise(self):
        difference, correct = Flow.second_difference, Flow.correct_pressure
        for kind in ("stretched", "walls"):
            for scheme in ("adams-bashforth", "runge-kutta"):
                self.detects(EVERYTHING.replace("dt = 0.01", f'dt = 0.01\nscheme = "{scheme}"\nimplicit_diffusion = "{kind}"'), (
                    (Flow, "pressure_gradient", mock.Mock(return_value=0.0)),
                    (Flow, "divergence_of_rates", lambda flow: 0 * flow.divergence()),
                    (Flow, "second_difference", lambda flow, field, b: 2 * difference(flow, field, b)),
                    (Flow, "correct_pressure", lambda flow, potential, tau, duration: correct(flow, potential, -9 * tau, duration)),
                    (Flow, "diffusivity", lambda flow, field: flow.case.viscosity),
                    (Flow, "implicit_diffusion", mock.Mock(return_value=0.0)),
                    (Flow, "second_difference_of_walls", mock.Mock(return_value=0.0)),
                ))

    def test_finds_what_keeps_bounds_otherwise(self):
        neighbour, upwind, correction = Flow.neighbour, Flow.upwind_flux, Flow.correction
        # Patches, in a flow that is fast along walls, one of which is a little colder than they are.
        bounded = re.sub(r'(temperature|salt) = "(exp|tanh).*"', r'\1 = "sin(9*x)*cos(8*y) > 0.2*z ? 1 : -0.5"', EVERYTHING)
        bounded = re.sub(r"(diffusivity) = 0.0\d", r'\1 = 1e-4\nadvection = "bounded"', bounded)
        bounded = bounded.replace("temperature = 0.2", "temperature = -0.51").replace("steps = 6", "steps = 12")
        for scheme in ("adams-bashforth", "runge-kutta"):
            self.detects(bounded.replace("dt = 0.01", f'dt = 0.01\nscheme = "{scheme}"'), (
                (Flow, "correction", mock.Mock(return_value=0.0)),
                (Flow, "correction", lambda flow, field, gamma, zeta, keeps: 1.001 * correction(flow, field, gamma, zeta, keeps)),
                (Flow, "correction", lambda flow, field, gamma, zeta, keeps: correction(flow, field, gamma + zeta, 0, keeps)),
                (Flow, "neighbour", lambda flow, field, b, side: flow.at(field, (2 * side - 1) * STEP[b])),
                (Flow, "neighbour", lambda flow, field, b, side: 1.001 * neighbour(flow, field, b, side)),
                (Flow, "upwind_flux", lambda flow, field, b, side: 1.001 * upwind(flow, field, b, side)),
                (Flow, "numerical_dissipation", lambda flow, s: 0.0 if len(flow.moments) == 3 else None),
            ))

    def detects(self, text, others):
        """Compares a case with itself, and with what the solver makes of it with other functions."""
        case = self.path / "case.toml"
        case.write_text(text)
        theirs = self.series_of_the_program(case)

        def compare():
            flow = Flow(Case(case))
            return max(deviations(flow, list(flow.series()), theirs).values())

        self.assertLess(compare(), ALLOWED)
        for owner, name, other in others:
            with self.subTest(otherwise=name), mock.patch.object(owner, name, other):
                self.assertGreater(compare(), 1e4 * ALLOWED)


class Draws(unittest.TestCase):
    def test_leave_nothing_out(self):
        found = set()
        for number in range(CASES):
            drawn = Drawn(number)
            sections = drawn.sections()
            found.update((axis, ends) for axis, ends in enumerate(drawn.ends))
            stretched = [axis for axis in AXES if sections["domain"]["stretching"][axis]]
            found.update(("stretched", axis) for axis in stretched)
            found.add(("stretched together", len(stretched), drawn.choices["pressures"]))
            found.update(("cells", axis, cells) for axis, cells in enumerate(sections["domain"]["cells"]))
            found.update(sections["physics"].keys() | sections["forcing"].keys())
            found.add(("scalars", len(drawn.names)))
            found.update(("warmer", by) for by in drawn.warmer[:len(drawn.names)])
            found.add(tuple(drawn.choices[name] for name in ("schemes", "pressures", "scalars")))
            if any(drawn.bounded[:len(drawn.names)]):
                found.update(("bounded", drawn.choices[name]) for name in ("schemes", "schedules", "pressures", "scalars"))
            if any(Drawn.implicit_axes(sections)):
                found.update(("implicit", drawn.choices["schemes"], drawn.choices[name]) for name in ("implicit", "schedules", "pressures"))
        self.assertEqual([], sorted(map(str, {
            *itertools.product(AXES, ENDS),
            *itertools.product(["stretched"], AXES),
            *itertools.product(["stretched together"], range(4), ["auto", "multigrid"]),
            *itertools.product(["cells"], AXES, range(1, 10)),
            *itertools.product(["scalars"], range(4)),
            *itertools.product(["warmer"], [0, 300, -40]),
            *itertools.product(["adams-bashforth", "runge-kutta"], ["auto", "multigrid"], ["usual", 2, 3]),
            *itertools.product(["implicit"], ["adams-bashforth", "runge-kutta"], ["stretched", "walls", "tuned", "auto", "multigrid"]),
            *itertools.product(["bounded"], ["adams-bashforth", "runge-kutta", "tuned", "auto", "multigrid", "usual", 1, 2, 3]),
            "rayleigh", "viscosity", "reynolds", "rotation", "acceleration", "temperature", "salt"} - found)))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *UNITTEST_ARGUMENTS])
