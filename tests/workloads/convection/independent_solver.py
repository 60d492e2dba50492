#!/usr/bin/env python3
"""A second solver of the equations that `bankfull convect` integrates, in NumPy: to be read, and to be stepped beside the program.

Usage: independent_solver.py CASE.toml        prints the series of the run, a row a step, without what depends on the machine

The equations, for a velocity u, a pressure p and scalars T (bankfull/workloads/convection/README.md):

    du/dt = -div(u u) + nu lap u - grad p + sum of (g alpha) T - 2 Omega x u + f,    div u = 0,
    dT/dt = -div(u T) + kappa lap T + q,

f and q a field times a function of time each. What walls prescribe may have a part that varies with time, too.

In space: finite volumes of second order on the staggered grid of F. H. Harlow and J. E. Welch, Phys. Fluids 8 (1965) 2182. Scalars
and pressure are at the centres of the cells, velocity a at the centres of their lower faces across axis a. What flows through a side
of a volume is centred, and a velocity is carried by the volume-weighted mean of the flow, so that the sums conserve what the equations
do: R. W. C. P. Verstappen and A. E. P. Veldman, J. Comput. Phys. 187 (2003) 343.

In time: each stage finds u* = u + gamma G(u) + zeta G_before and takes from it the gradient that leaves no divergence
(A. J. Chorin, Math. Comp. 22 (1968) 745):

    lap q = div u*,    u = u* - grad q.

Where the case asks for implicit diffusion along some axes b, G is without it and a stage of length tau = gamma + zeta solves

    prod_b (1 - tau/2 nu d2/db2) (u* - u) = gamma G(u) + zeta G_before + tau (nu sum_b d2u/db2 - grad p),

Crank and Nicolson's rule (Proc. Camb. Phil. Soc. 43 (1947) 50) with its matrix factored. Each factor has the walls across its axis, which
prescribe by how much they change within the stage; their order counts where walls meet, and the mean of all orders is taken. The projection then finds what the pressure lacks: p += (q - tau/2 nu sum_b d2q/db2) / tau (J. Kim and P. Moin, J. Comput. Phys. 59 (1985)
308; D. L. Brown, R. Cortez and M. L. Minion, J. Comput. Phys. 168 (2001) 464). It begins with the one that the first tendencies need.

Scalars with bounded advection: of the fluxes of a stage, gamma F(T) + zeta F_before, so much goes beyond upwind ones for tau as leaves
each cell between the old values in and around it and on its walls (S. T. Zalesak, J. Comput. Phys. 31 (1979) 335).

Nothing here is taken from the program: operators are differences and means of whole arrays, the pressure comes from the eigenvectors
of the operator along each axis. What the two share is the discretisation that is documented, so they agree to rounding.
"""

import csv
import itertools
import math
import re
import sys
import tomllib

import numpy as np

AXES = (0, 1, 2)  # x, y, z
LOWER, UPPER = SIDES = (0, 1)
STEP = np.eye(3, dtype=int)  # STEP[a]: to the next cell along a


class Axis:
    """The cells along one axis. Arrays of faces have one element more than those of cells: face n lies below cell n."""

    def __init__(self, number, lower, upper, cells, stretching, periodic):
        places = np.linspace(-1, 1, cells + 1)  # of faces, from wall to wall
        if stretching:
            places = np.tanh(stretching * places) / np.tanh(stretching)
        self.number, self.cells, self.periodic, self.stretched = number, cells, periodic, stretching != 0
        self.lower, self.upper, self.length = lower, upper, upper - lower
        self.faces = (lower + upper) / 2 + places * self.length / 2
        self.centres = (self.faces[1:] + self.faces[:-1]) / 2
        self.widths = np.diff(self.faces)
        # Beyond a periodic end lies the cell of the other end, beyond a wall the mirror image of the first.
        self.widths_around = np.pad(self.widths, 1, "wrap" if periodic else "edge")
        below, above = self.widths_around[:-1], self.widths_around[1:]
        self.narrower = np.minimum(below, above)[:-1]  # of the two cells beside each lower face
        self.distances = (below + above) / 2  # of the centres on both sides of each face
        self.shares = below / (below + above)  # of the cell below a face, in the volume of both
        self.centres_around = np.concatenate(
            ([self.centres[0] - self.distances[0]], self.centres, [self.centres[-1] + self.distances[-1]]))

    def along(self, values):
        """One value per cell, or face, as an array that broadcasts over the box."""
        return np.reshape(values, [-1 if a == self.number else 1 for a in AXES])

    def second_difference(self):
        """Of a value at the centres whose difference through walls is zero: eigenvalues, and the matrices to eigenvectors and back.

        With D the differences across faces, d their distances and w the widths, it is -W^-1 D^T d^-1 D. That is no symmetric matrix,
        but W^1/2 (...) W^-1/2 is. The last eigenvalue is that of a constant, zero.
        """
        difference = np.zeros((self.cells, self.cells))
        for face in range(0 if self.periodic else 1, self.cells):
            difference[face, face] += 1
            difference[face, face - 1] -= 1  # -1: the last cell
        root = np.sqrt(self.widths)
        half = difference / np.sqrt(self.distances[:-1, None]) / root
        values, vectors = np.linalg.eigh(-half.T @ half)
        return values, vectors.T * root, vectors / root[:, None]


class Poisson:
    """Solves sum over the axes of d2p/dx2 = f for the p without mean."""

    def __init__(self, axes):
        values, self.to_modes, self.from_modes = zip(*(axis.second_difference() for axis in axes))
        self.eigenvalues = sum(axis.along(found) for axis, found in zip(axes, values))
        self.eigenvalues[-1, -1, -1] = np.inf  # the constant, which no gradient shows

    def solve(self, right_side):
        return transformed(transformed(right_side, self.to_modes) / self.eigenvalues, self.from_modes)


def transformed(values, matrices):
    """A matrix along each axis."""
    for a, matrix in enumerate(matrices):
        values = np.moveaxis(np.tensordot(matrix, values, axes=(1, a)), 0, a)
    return values


class Wall:
    """What a field is at one end of one axis: its value there is `value`, less `length` times its gradient out of the fluid; or that
    gradient is `gradient`."""

    def __init__(self, value=None, gradient=None, length=0, varying=lambda time: 0):
        self.value, self.gradient, self.length, self.varying = value, gradient, length, varying

    def beyond(self, inside, distance, time):
        """The value as far beyond the wall as `inside` is within, where `varying` adds to what is prescribed."""
        if self.value is None:
            return inside + (self.gradient + self.varying(time)) * distance
        # (beyond + inside) / 2 = value - length (beyond - inside) / distance
        part = self.length / distance
        return (self.value + self.varying(time) + (part - 0.5) * inside) / (part + 0.5)


class Flow:
    """The fields of a case and what happens to them. Fields 0, 1, 2 are the velocity, scalars follow.

    A field has one layer of cells around those of the box. Element n + 1 along an axis is that of cell n, for a velocity across the
    axis that of its lower face.
    """

    def __init__(self, case):
        self.case = case
        self.axes = case.axes
        self.shape = [axis.cells for axis in self.axes]
        self.parts = math.prod(axis.along(axis.widths / axis.length) for axis in self.axes)  # of the box, the cells' volumes
        self.poisson = Poisson(self.axes)
        self.walls = [self.walls_of(field) for field in range(3 + len(case.scalars))]
        self.sources = [self.sampled(field, formula) for field, formula in enumerate(case.sources)]
        self.time = 0.0  # of the fields
        self.fields = []
        for field, formula in enumerate(case.initial):
            values = np.zeros([n + 2 for n in self.shape])
            values[1:-1, 1:-1, 1:-1] = self.sampled(field, formula) + self.noise(field)
            self.fields.append(values)
        self.before = [np.zeros(self.shape) for _ in self.fields]  # tendencies of an earlier stage
        self.fluxes_before = {}  # of bounded scalars in that stage, by field, axis and side
        self.corrected = [0.0 for _ in self.case.scalars]  # what keeps bounds has added to the mean of (T - reference)^2 / 2
        self.corrected_at = {}  # the same by the time of each row
        self.references = [self.reference(3 + s) for s in range(len(case.scalars))]
        self.largest_rate = 0.0  # of advection, since the last step began
        self.moments = []  # of the last rows: time, energies, and what changes them
        self.fastest = 0.0  # of all velocities before a projection: what rounding errors of velocities are in proportion to
        self.pressure = np.zeros(self.shape)  # where diffusion is implicit: else projections find all of it
        self.project()
        if any(case.implicit):
            self.pressure = self.poisson.solve(self.divergence_of_rates())

    # Places, walls and ghost cells

    def sampled(self, field, formula):
        lines = [axis.faces[:-1] if a == field else axis.centres for a, axis in enumerate(self.axes)]
        return np.array([formula(*place) for place in itertools.product(*lines)]).reshape(self.shape)

    def noise(self, field):
        """Random numbers in [-1, 1) times an amplitude, for a velocity: those of SplitMix64 for the number of the place."""
        amplitude, seed = self.case.noise
        if amplitude == 0 or field > 2:
            return np.zeros(self.shape)
        nx, ny, nz = self.shape
        numbers = [split_mix_64(seed, ((field * nz + k) * ny + j) * nx + i) for i, j, k in np.ndindex(nx, ny, nz)]
        return amplitude * np.reshape([(number >> 40) * 2.0**-23 - 1 for number in numbers], self.shape)

    def walls_of(self, field):
        """The field's [axis][side]; None where the axis is periodic, and through a wall, where a velocity is zero."""
        return [[None if axis.periodic or axis.number == field else self.wall_of(field, axis, side) for side in SIDES]
                for axis in self.axes]

    def wall_of(self, field, axis, side):
        if field < 3:
            motion = self.case.motions[axis.number][side]
            if motion is None:
                return Wall(gradient=0.0)
            return Wall(motion["velocity"][field], length=motion["slip_length"], varying=time_formula_of(motion["varying"][field]))
        scalar = self.case.scalars[field - 3]
        wall = scalar.walls[axis.number][side]
        varying = time_formula_of(wall.get("varying", 0))
        if "flux" in wall:
            return Wall(gradient=wall["flux"] / scalar.diffusivity, varying=lambda time: varying(time) / scalar.diffusivity)
        value = np.full((1, 1, 1), wall["surroundings" if "transfer" in wall else "value"])
        length = scalar.diffusivity / wall["transfer"] if "transfer" in wall else 0
        for other, slope in zip(self.axes, wall["slope"]):
            here = [(other.lower, other.upper)[side]] if other is axis else other.centres_around
            value = value + slope * other.along(here)
        return Wall(value=np.take(value, 0, axis=axis.number), length=length, varying=varying)

    def reference(self, field):
        """The least value on walls of fixed values and in the middle of 8 x 8 x 8 parts of the box, at the start."""
        formula = self.case.initial[field]
        lines = [axis.lower + (np.arange(8) + 0.5) / 8 * axis.length for axis in self.axes]
        found = [formula(*place) for place in itertools.product(*lines)]
        for axis, walls in zip(self.axes, self.case.scalars[field - 3].walls):
            for side, wall in enumerate(walls or ()):
                if "value" in wall:
                    value = wall["value"] + time_formula_of(wall.get("varying", 0))(0)
                    ends = [[(a.lower, a.upper)[side]] if a is axis else (a.lower, a.upper) for a in self.axes]
                    found += [value + np.dot(wall["slope"], corner) for corner in itertools.product(*ends)]
        return min(found)

    def fill_ghosts(self):
        """Of what lies beyond two walls, in corners, nothing is read; nor is a velocity's own ghost below a wall: it stays NaN."""
        for field, values in enumerate(self.fields):
            for axis in self.axes:
                line = np.moveaxis(values, axis.number, 0)
                lower, upper = self.walls[field][axis.number]
                if axis.periodic:
                    line[0], line[-1] = line[-2], line[1]
                elif axis.number == field:
                    line[0], line[1], line[-1] = np.nan, 0, 0
                else:
                    line[0] = lower.beyond(line[1], axis.distances[0], self.time)
                    line[-1] = upper.beyond(line[-2], axis.distances[-1], self.time)

    def at(self, field, steps=(0, 0, 0)):
        """A field in all cells, or so many steps away from them."""
        return self.fields[field][tuple(slice(1 + step, 1 + step + n) for step, n in zip(steps, self.shape))]

    # Terms of the equations

    def beside(self, a, field, steps=(0, 0, 0)):
        """What lies at the lower sides of cells across a, from the two cells' values, weighted by their volumes."""
        share = self.axes[a].along(self.axes[a].shares[:-1])
        return share * self.at(field, steps - STEP[a]) + (1 - share) * self.at(field, steps)

    def explicit(self, diffusivity, b):
        """What of it is in the tendencies."""
        return 0 if self.case.implicit[b] else diffusivity

    def velocity_flux(self, a, b, side):
        """u_b u_a - nu du_a/dx_b, through one side across b of the volumes around the velocities a.

        These go from centre to centre along a: their sides across a are in the middle of cells, those across b at edges.
        """
        below, above = self.at(a, (side - 1) * STEP[b]), self.at(a, side * STEP[b])
        axis = self.axes[b]
        if a == b:
            flow = (below + above) / 2
            distance = axis.widths_around[side:][:axis.cells]
        else:
            flow = self.beside(a, b, side * STEP[b])
            distance = axis.distances[side:][:axis.cells]
        return flow * (below + above) / 2 - self.explicit(self.case.viscosity, b) * (above - below) / axis.along(distance)

    def scalar_flux(self, field, b, side):
        """u_b T - kappa dT/dx_b, through one side across b of the cells."""
        below, above = self.at(field, (side - 1) * STEP[b]), self.at(field, side * STEP[b])
        distance = self.axes[b].along(self.axes[b].distances[side:][:self.axes[b].cells])
        diffusivity = self.explicit(self.diffusivity(field), b)
        return self.at(b, side * STEP[b]) * (below + above) / 2 - diffusivity * (above - below) / distance

    def transport(self, field):
        """Minus the divergence of the fluxes."""
        flux = self.velocity_flux if field < 3 else self.scalar_flux
        total = 0
        for axis in self.axes:
            width = axis.distances[:-1] if axis.number == field else axis.widths
            total = total + (flux(field, axis.number, LOWER) - flux(field, axis.number, UPPER)) / axis.along(width)
        return total

    def scalar_on_face(self, a, field):
        """As the flux has it, so that buoyancy does the work that the flow loses in potential energy: not weighted."""
        return (self.at(field, -STEP[a]) + self.at(field)) / 2

    def buoyancy(self, a):
        return sum(scalar.buoyancy[a] * self.scalar_on_face(a, 3 + s) for s, scalar in enumerate(self.case.scalars))

    def rotation(self, a):
        """-2 Omega x u along a. Of the four velocities around, weighted by volume, so that it does no work."""
        def around(b):
            return (self.beside(a, b) + self.beside(a, b, STEP[b])) / 2

        b, c = (a + 1) % 3, (a + 2) % 3
        return -2 * (self.case.rotation[b] * around(c) - self.case.rotation[c] * around(b))

    def tendency(self, field):
        """G: the right side of the equation, but for the pressure."""
        forces = self.buoyancy(field) + self.rotation(field) if field < 3 else 0
        return self.transport(field) + forces + self.source(field)

    def source(self, field):
        """What acts on a field now: a force, or a source."""
        return self.case.source_factors[field](self.time) * self.sources[field]

    # Bounded scalars

    def upwind_flux(self, field, b, side):
        """As scalar_flux, of the value where the flow comes from."""
        flow = self.at(b, side * STEP[b])
        below, above = self.at(field, (side - 1) * STEP[b]), self.at(field, side * STEP[b])
        distance = self.axes[b].along(self.axes[b].distances[side:][:self.axes[b].cells])
        return np.where(flow > 0, flow * below, flow * above) - self.diffusivity(field) * (above - below) / distance

    def neighbour(self, field, b, side):
        """The value that cells exchange with through a side: that of the cell beside, or on the wall."""
        found = self.at(field, (2 * side - 1) * STEP[b]).copy()
        if not self.axes[b].periodic:
            values, here = np.moveaxis(found, b, 0), np.moveaxis(self.at(field), b, 0)
            values[-side] = (values[-side] + here[-side]) / 2
        return found

    def correction(self, field, gamma, zeta, keeps):
        """What is added to a bounded scalar after a stage of centred fluxes: what these went too far."""
        places = [(axis.number, side) for axis in self.axes for side in SIDES]
        widths = [axis.along(axis.widths) for axis in self.axes]
        sign = {LOWER: 1, UPPER: -1}  # of a flux upwards, in what flows into a cell
        # Only what exceeds the reference: both fluxes carry a constant alike, but not where the velocities are those of two stages.
        common = {(b, side): self.references[field - 3] * self.at(b, side * STEP[b]) for b, side in places}
        fluxes = {(b, side): self.scalar_flux(field, b, side) - common[b, side] for b, side in places}
        low = {(b, side): self.upwind_flux(field, b, side) - common[b, side] for b, side in places}
        before = self.fluxes_before.get(field, dict.fromkeys(places, 0.0))
        beyond = {place: gamma * fluxes[place] + (zeta * before[place] if zeta else 0) - (gamma + zeta) * low[place] for place in places}
        if keeps:
            self.fluxes_before[field] = fluxes
        value = self.at(field) + (gamma + zeta) * sum(sign[side] * low[b, side] / widths[b] for b, side in places)
        around = [self.at(field), *(self.neighbour(field, b, side) for b, side in places)]

        def part(room, direction):
            """Of all that flows in (1) or out (-1) of cells."""
            room = np.maximum(0, room)
            flowing = sum(np.maximum(0, direction * sign[side] * beyond[b, side]) / widths[b] for b, side in places)
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.where(flowing > room, room / flowing, 1.0)

        rise, fall = part(np.max(around, axis=0) - value, 1), part(value - np.min(around, axis=0), -1)
        total = 0
        for b, side in places:
            axis, flux = self.axes[b], beyond[b, side]
            inward = sign[side] * flux > 0
            other_rise, other_fall = (np.roll(room, 1 - 2 * side, b) for room in (rise, fall))
            if not axis.periodic:  # beyond a wall there is room for anything
                for room in (other_rise, other_fall):
                    np.moveaxis(room, b, 0)[-side] = 1
            part_of_face = np.where(inward, np.minimum(rise, other_fall), np.minimum(fall, other_rise))
            total = total - sign[side] * (1 - part_of_face) * flux / widths[b]
        return total

    # Implicit diffusion

    def diffusivity(self, field):
        return self.case.viscosity if field < 3 else self.case.scalars[field - 3].diffusivity

    def spacings(self, field, b):
        """Distances to the neighbours below and above along b, and the length of what belongs to an element."""
        axis = self.axes[b]
        if field == b:
            return axis.widths_around[:-2], axis.widths, axis.distances[:-1]
        return axis.distances[:-1], axis.distances[1:], axis.widths

    def implicit_diffusion(self, field):
        """nu times the sum of the second differences along the implicit axes."""
        total = 0
        for b in AXES:
            if self.case.implicit[b]:
                below, above, length = map(self.axes[b].along, self.spacings(field, b))
                here = self.at(field)
                total = total + ((self.at(field, STEP[b]) - here) / above - (here - self.at(field, -STEP[b])) / below) / length
        return self.diffusivity(field) * total

    def second_difference(self, field, b):
        """The matrix of d2/db2 of a field's change, to which walls contribute nothing; field None: of a potential."""
        below, above, length = self.spacings(field, b)
        n = self.axes[b].cells
        walls = [Wall(gradient=0.0)] * 2 if field is None else self.walls[field][b]
        around = np.eye(n + 2)[:, 1:-1]  # of unit changes: what they are in all cells, ghosts included
        if field == b:
            around[1] = 0
        else:
            for wall, ghost, inside, distance in zip(walls, (0, -1), (1, -2), (below[0], above[-1])):
                change = np.ravel(wall.beyond(1.0, distance, 0.0) - wall.beyond(0.0, distance, 0.0))[0]
                around[ghost] = change * around[inside]
        return ((around[2:] - around[1:-1]) / above[:, None] - (around[1:-1] - around[:-2]) / below[:, None]) / length[:, None]

    def divergence_of_rates(self):
        """Of the rates of change of the velocities without pressure, which are zero on walls."""
        total = 0
        for a, axis in enumerate(self.axes):
            rate = np.moveaxis(self.tendency(a) + self.implicit_diffusion(a), a, 0)
            if not axis.periodic:
                rate[0] = 0
            last = rate[:1] if axis.periodic else 0 * rate[:1]
            total = total + np.moveaxis(np.diff(np.concatenate((rate, last)), axis=0), 0, a) / axis.along(axis.widths)
        return total

    def pressure_gradient(self, a):
        axis = self.axes[a]
        return (self.pressure - np.roll(self.pressure, 1, a)) / axis.along(axis.distances[:-1])

    def solved(self, field, tau, right_side, end):
        """The change of a field in a stage that goes on until `end`."""
        orders = list(itertools.permutations(b for b in AXES if self.case.implicit[b]))
        total = 0
        for order in orders:
            side = right_side
            for b in order:
                side = self.solved_along(b, field, tau, side + tau / 2 * self.diffusivity(field) * self.second_difference_of_walls(field, b, end))
            total = total + side
        return total / len(orders)

    def solved_along(self, b, field, tau, right_side):
        if field < 3 and not self.axes[field].periodic:
            np.moveaxis(right_side, field, 0)[0] = 0  # on the wall
        cells = self.axes[b].cells
        matrix = np.eye(cells) - tau / 2 * self.diffusivity(field) * self.second_difference(field, b)
        line = np.moveaxis(right_side, b, 0)
        first = 1 if field == b else 0  # the wall below a velocity is no unknown
        solved = np.zeros_like(line)
        flat = line[first:].reshape(cells - first, line[0].size)
        solved[first:] = np.linalg.solve(matrix[first:, first:], flat).reshape(line[first:].shape)
        return np.moveaxis(solved, 0, b)

    def second_difference_of_walls(self, field, b, end):
        """d2/db2 of what walls alone change a field's ghosts by from now until `end`."""
        found = np.zeros(self.shape)
        if field != b:
            below, above, length = self.spacings(field, b)
            cells = np.moveaxis(found, b, 0)
            for wall, n, distance in zip(self.walls[field][b], (0, -1), (below[0], above[-1])):
                change = wall.beyond(0.0, distance, end) - wall.beyond(0.0, distance, self.time)
                cells[n] += np.ravel(change)[0] / (distance * length[n])
        return found

    def correct_pressure(self, potential, tau, duration):
        """By the potential of a projection after a stage of length tau, which acts over a duration."""
        change = potential
        for b, axis in enumerate(self.axes):
            if self.case.implicit[b]:
                matrix = self.second_difference(None, b)
                bent = np.moveaxis(np.tensordot(matrix, potential, axes=(1, b)), 0, b)
                change = change - tau / 2 * self.case.viscosity * bent
        self.pressure = self.pressure + change / duration

    def divergence(self):
        return sum((self.at(a, STEP[a]) - self.at(a)) / axis.along(axis.widths) for a, axis in enumerate(self.axes))

    # Steps

    def project(self):
        self.fill_ghosts()
        self.fastest = max(self.fastest, *(np.max(np.abs(self.at(a))) for a in AXES))
        potential = self.poisson.solve(self.divergence())
        for a, axis in enumerate(self.axes):  # through walls it changes nothing: fill_ghosts has zero there
            self.at(a)[...] -= (potential - np.roll(potential, 1, a)) / axis.along(axis.distances[:-1])
        self.fill_ghosts()
        self.largest_rate = max(self.largest_rate, self.advective_rate())
        return potential

    def stages(self, dt, dt_before):
        """(gamma, zeta, whether G becomes G_before, the part of the step that is done then) of the stages of a step.

        Runge-Kutta: A. A. Wray's of third order, in P. R. Spalart, R. D. Moser, M. M. Rogers, J. Comput. Phys. 96 (1991) 297. Else
        Adams-Bashforth of second order, for which a line through G and G_before is integrated, and for the first step Heun's method.
        """
        if self.case.scheme == "runge-kutta":
            return ((8 / 15 * dt, 0, True, 8 / 15), (5 / 12 * dt, -17 / 60 * dt, True, 2 / 3), (3 / 4 * dt, -5 / 12 * dt, True, 1))
        if dt_before is None:
            return ((dt, 0, True, 1), (dt / 2, -dt / 2, False, 1))
        ratio = dt / dt_before
        return (((1 + ratio / 2) * dt, -ratio / 2 * dt, True, 1),)

    def step(self, dt, dt_before):
        begin = self.time
        for gamma, zeta, keeps, part in self.stages(dt, dt_before):
            end = begin + part * dt
            tendencies = [self.tendency(field) for field in range(len(self.fields))]
            changes = [gamma * now + (zeta * before if zeta else 0) for now, before in zip(tendencies, self.before)]
            tau = gamma + zeta
            if any(self.case.implicit):
                for field, change in enumerate(changes):
                    if tau:
                        change = change + tau * self.implicit_diffusion(field)
                        change = change - (tau * self.pressure_gradient(field) if field < 3 else 0)
                    changes[field] = self.solved(field, tau, change, end)
            corrections = {3 + s: self.correction(3 + s, gamma, zeta, keeps) for s, scalar in enumerate(self.case.scalars) if scalar.bounded}
            for field, change in enumerate(changes):
                correction = corrections.get(field, 0)
                mean = self.at(field) + (change + correction) / 2
                self.at(field)[...] += change + correction
                if field in corrections:
                    self.corrected[field - 3] += np.sum(self.parts * (mean - self.references[field - 3]) * correction)
            if keeps:
                self.before = tendencies
            self.time = end
            potential = self.project()
            if any(self.case.implicit):
                self.correct_pressure(potential, tau, tau if tau else dt)

    # The contents of a row of the series

    def advective_rate(self):
        """The Courant number over dt: the largest |u|/h + |v|/h + |w|/h on the lower faces of cells, h of the narrower cell beside."""
        return np.max(sum(np.abs(self.at(a)) / axis.along(axis.narrower) for a, axis in enumerate(self.axes)))

    def kinetic_energy(self):
        """Mean over the box of |u|^2 / 2, each cell with the mean of its faces' squares."""
        return sum(np.sum(self.parts * (self.at(a)**2 + self.at(a, STEP[a])**2) / 4) for a in AXES)

    def volumes(self, field):
        """Of what belongs to a field's elements, from centre to centre along a velocity, over the box's. Velocities on walls have none."""
        found = math.prod(axis.along((axis.distances[:-1] if axis.number == field else axis.widths) / axis.length) for axis in self.axes)
        if field < 3 and not self.axes[field].periodic:
            np.moveaxis(found, field, 0)[0] = 0
        return found

    def mean_product(self, field, other):
        """Mean over the box of a field times what is given at its elements."""
        return np.sum(self.volumes(field) * self.at(field) * other)

    def diffused(self, field, b, diffusivity):
        """What diffusion along b takes from half the square of a field, and what walls give.

        To the power per volume of a conductor: conductance times the square of the difference, from centre to centre and, over half the
        distance and difference to the ghost, from the last centre to the wall.
        """
        axis = self.axes[b]
        areas = diffusivity * self.volumes(field) / axis.along(axis.widths)
        here = np.moveaxis(self.at(field), b, 0)
        areas, below, above = (np.moveaxis(part, b, 0) for part in (areas, self.at(field, -STEP[b]), self.at(field, STEP[b])))
        squares = areas * (here - below)**2
        taken = sum(np.sum(square) / distance for square, distance in zip(squares[0 if axis.periodic else 1:],
                                                                          axis.distances[0 if axis.periodic else 1:]))
        given = 0.0
        for side, ghost, distance in () if axis.periodic else ((0, below[0], axis.distances[0]), (-1, above[-1], axis.distances[-1])):
            wall = (ghost + here[side]) / 2
            inflow = areas[side] * (wall - here[side]) / (distance / 2)
            taken += np.sum(inflow * (wall - here[side]))
            given += np.sum(inflow * wall)
        return np.array([taken, given])

    def energy_budget(self):
        """Dissipation of the mean of |u|^2 / 2, work of buoyancy, of walls and of forces."""
        viscosity = self.case.viscosity
        dissipation, walls = sum(self.diffused(a, b, viscosity) for a in AXES for b in AXES if a != b)
        for a, axis in enumerate(self.axes):
            dissipation += viscosity * np.sum(self.parts * ((self.at(a, STEP[a]) - self.at(a)) / axis.along(axis.widths))**2)
        buoyancy, forces = (sum(self.mean_product(a, part(a)) for a in AXES) for part in (self.buoyancy, self.source))
        return dissipation, buoyancy, walls, forces

    def variance_budget(self, field):
        """Dissipation of the mean of T^2 / 2, production by walls and by the source."""
        dissipation, walls = sum(self.diffused(field, b, self.case.scalars[field - 3].diffusivity) for b in AXES)
        return dissipation, walls, self.mean_product(field, self.source(field))

    def conducted(self, s=0):
        """(axis, what conduction alone would carry) for the walls of fixed values of a scalar that differ most; None where none do."""
        found = []
        for axis in self.axes if self.case.scalars else ():
            scalar = self.case.scalars[s]
            lower, upper = scalar.walls[axis.number] or ({}, {})
            if "value" not in lower or "value" not in upper:
                continue
            means = [wall["value"] + sum(slope * (end if other is axis else (other.lower + other.upper) / 2)
                                         for other, slope in zip(self.axes, wall["slope"]))
                     for wall, end in ((lower, axis.lower), (upper, axis.upper))]
            found.append((means[0] - means[1], axis, scalar.diffusivity * (means[0] - means[1]) / axis.length))
        most = max(found, key=lambda path: abs(path[0]), default=(0,))
        return most[1:] if most[0] else None

    def nusselt(self):
        """At the lower and the upper wall, by the gradient there, and in the volume, by what the flow carries."""
        path = self.conducted()
        if path is None:
            return None, None, None
        axis, heat = path
        a = axis.number
        areas = np.moveaxis(self.parts / axis.along(axis.widths) * axis.length, a, 0)[0]  # parts of a wall
        values = np.moveaxis(self.at(3), a, 0)
        below, above = (np.moveaxis(self.at(3, sign * STEP[a]), a, 0) for sign in (-1, 1))
        diffusivity = self.case.scalars[0].diffusivity
        lower = np.sum(areas * diffusivity * (below[0] - values[0])) / axis.distances[0]
        upper = np.sum(areas * diffusivity * (above[-1] - values[-1])) / axis.distances[-1]
        volumes = self.parts * axis.along(axis.distances[:-1] / axis.widths)
        return lower / heat, -upper / heat, 1 + np.sum(volumes * self.at(a) * self.scalar_on_face(a, 3)) / heat

    def nusselt_of_dissipations(self, of_velocity, of_temperature):
        """From the dissipation of temperature, and from that of velocity where buoyancy along the path is all that drives it."""
        path = self.conducted()
        if path is None:
            return None, None
        axis, heat = path
        first, *others = self.case.scalars
        across = [first.buoyancy[a] for a in AXES if a != axis.number]
        driven = any(across) or self.case.is_forced or any(any(other.buoyancy) for other in others) or any(
            motion is not None and (any(motion["velocity"]) or any(motion["varying"]) or motion["slip_length"] > 0)
            for end in self.case.motions for motion in end or ())
        buoyancy = first.buoyancy[axis.number]
        kinetic = None if driven or buoyancy == 0 else 1 + of_velocity / (buoyancy * heat)
        return of_temperature * first.diffusivity / heat**2, kinetic

    def flux_axis(self, s):
        """From wall to wall: those of fixed values that differ most, or else the last axis neither of whose walls is insulating."""
        path = self.conducted(s)
        if path is not None:
            return path[0]
        both = [axis for axis in self.axes if not axis.periodic and all(
            "value" in wall or "transfer" in wall or wall.get("flux", 0) != 0 or wall.get("varying") for wall in self.case.scalars[s].walls[axis.number])]
        return both[-1] if both else None

    def passage(self, s):
        """Fluxes through the walls and in the volume, the difference between the walls, and the fluxes over what conduction alone would carry."""
        axis = self.flux_axis(s)
        if axis is None:
            return [None] * 7
        a, diffusivity = axis.number, self.case.scalars[s].diffusivity
        areas = np.moveaxis(self.parts / axis.along(axis.widths) * axis.length, a, 0)[0]
        values = np.moveaxis(self.at(3 + s), a, 0)
        below, above = (np.moveaxis(self.at(3 + s, sign * STEP[a]), a, 0) for sign in (-1, 1))
        lower = np.sum(areas * diffusivity * (below[0] - values[0])) / axis.distances[0]
        upper = np.sum(areas * diffusivity * (values[-1] - above[-1])) / axis.distances[-1]
        difference = np.sum(areas * (below[0] + values[0])) / 2 - np.sum(areas * (values[-1] + above[-1])) / 2
        conducted = diffusivity * difference / axis.length
        volumes = self.parts * axis.along(axis.distances[:-1] / axis.widths)
        fluxes = [lower, upper, conducted + np.sum(volumes * self.at(a) * self.scalar_on_face(a, 3 + s))]
        return [*fluxes, difference, *(flux / conducted if conducted else None for flux in fluxes)]

    def reynolds(self, energy):
        """By the root of the mean square velocity and the length along the path of heat, or else along the largest buoyancy, or z."""
        path = self.conducted()
        along, most = self.axes[2], 0
        for scalar in self.case.scalars:
            for axis in reversed(self.axes):
                if abs(scalar.buoyancy[axis.number]) > most:
                    along, most = axis, abs(scalar.buoyancy[axis.number])
        along = path[0] if path else along
        return math.sqrt(2 * energy) * along.length / self.case.viscosity if self.case.viscosity else None

    def time_scheme(self, time, kept, rates):
        """What the steps added to `kept` over the last two, by time, beside the mean of `rates`: of the parabola through three of them."""
        self.moments = [*self.moments, (time, np.array(kept), np.array(rates))][-3:]
        if len(self.moments) < 3:
            return [None] * len(kept)
        times, kept, rates = zip(*self.moments)
        one, two = np.diff(times)
        weights = np.array([2 - two / one, (one + two)**2 / (one * two), 2 - one / two]) / 6
        return (kept[2] - kept[0]) / (times[2] - times[0]) - weights @ np.array(rates)

    def numerical_dissipation(self, s):
        """What keeps a scalar within its bounds has taken from the mean of T^2 / 2 over the last two steps, by time."""
        if len(self.moments) < 3:
            return None
        (first, *_), _, (last, *_) = self.moments
        return (self.corrected_at[first][s] - self.corrected_at[last][s]) / (last - first)

    def row(self, step, time, dt, limit, rate):
        row = {"step": step, "time": time, "dt": dt, "dt_limit": limit, "courant": dt * rate}
        energy, (dissipation, *works) = self.kinetic_energy(), self.energy_budget()
        squares = [np.sum(self.parts * self.at(3 + s)**2) for s in range(len(self.case.scalars))]
        variances = [self.variance_budget(3 + s) for s in range(len(self.case.scalars))]
        self.corrected_at[time] = list(self.corrected)
        explained = [square / 2 - corrected for square, corrected in zip(squares, self.corrected)]
        scheme, *schemes = self.time_scheme(time, [energy, *explained],
                                            [sum(works) - dissipation, *(walls + source - taken for taken, walls, source in variances)])
        row.update(zip(("nusselt_lower", "nusselt_upper", "nusselt_volume"), self.nusselt()))
        row.update(zip(("nusselt_thermal", "nusselt_kinetic"),
                       self.nusselt_of_dissipations(dissipation, variances[0][0] if variances else None)))
        row.update(reynolds=self.reynolds(energy), kinetic_energy=energy, dissipation=dissipation)
        row.update(zip(("buoyancy_work", "wall_work", "force_work"), works), time_scheme_work=scheme)
        row["divergence"] = np.max(np.abs(self.divergence()))
        row.update((f"max_{name}", np.max(np.abs(self.at(a)))) for a, name in enumerate("uvw"))
        for s, scalar in enumerate(self.case.scalars):
            values = self.at(3 + s)
            row[f"{scalar.name}_mean"] = np.sum(self.parts * values)
            row[f"{scalar.name}_least"], row[f"{scalar.name}_most"] = np.min(values), np.max(values)
            row[f"{scalar.name}_mean_square"] = squares[s]
            names = ("dissipation", "wall_production", "source_production", "time_scheme_production")
            row.update(zip((f"{scalar.name}_{name}" for name in names), (*variances[s], schemes[s])))
            if scalar.bounded:
                row[f"{scalar.name}_numerical_dissipation"] = self.numerical_dissipation(s)
            names = ("flux_lower", "flux_upper", "flux_volume", "difference", "sherwood_lower", "sherwood_upper", "sherwood_volume")
            row.update(zip((f"{scalar.name}_{name}" for name in names), self.passage(s)))
        return row

    def series(self):
        """The rows of a whole run, one per step."""
        step, time, dt_before = 0, 0.0, None
        yield self.row(step, time, self.case.dt, "end" if self.case.end <= self.case.dt * (1 + 1e-6) else "given", self.largest_rate)
        while step < self.case.steps and time < self.case.end:
            dt = self.case.dt
            last = self.case.end - time <= dt * (1 + 1e-6)  # which takes what rounding has left too
            dt = self.case.end - time if last else dt
            rate, self.largest_rate = self.largest_rate, 0  # of the stages of the step before
            self.step(dt, dt_before)
            step, time, dt_before = step + 1, self.case.end if last else time + dt, dt
            yield self.row(step, time, dt, "end" if last else "given", rate)


def split_mix_64(seed, n):
    """Number n of the sequence: G. L. Steele, D. Lea, C. H. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014."""
    bits = 2**64 - 1
    z = (seed + (n + 1) * 0x9E3779B97F4A7C15) & bits
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & bits
    z = (z ^ z >> 27) * 0x94D049BB133111EB & bits
    return z ^ z >> 31


class Scalar:
    def __init__(self, name, diffusivity, buoyancy, walls, bounded):
        self.name, self.diffusivity, self.buoyancy, self.walls, self.bounded = name, diffusivity, buoyancy, walls, bounded


class Case:
    """What a case file says (docs/convection.md), of the keys that matter here. Mistakes are not looked for: the program does."""

    def __init__(self, path):
        with open(path, "rb") as file:
            given = tomllib.load(file)
        domain, initial, forcing = given["domain"], given.get("initial", {}), given.get("forcing", {})
        ends = [sides_of(given["boundaries"][name]) for name in "xyz"]
        self.axes = [Axis(*of_axis) for of_axis in zip(AXES, domain.get("lower", [0, 0, 0]), domain["upper"], domain["cells"],
                                                       domain.get("stretching", [0, 0, 0]), [end is None for end in ends])]
        self.motions = [end and [motion_of(wall["velocity"]) for wall in end] for end in ends]

        def walls_of(name):
            return [end and [scalar_wall_of(wall[name]) for wall in end] for end in ends]

        physics = given["physics"]
        up = direction_of(physics.get("up", "z+"))
        self.rotation = physics.get("rotation", [0, 0, 0])
        self.viscosity, temperature = properties_of(physics, up, self.axes, walls_of)
        listed = [(scalar["name"], scalar["diffusivity"], scalar.get("buoyancy", 0)) for scalar in given.get("scalar", [])]
        sections = [physics] * len(temperature) + given.get("scalar", [])
        self.scalars = [Scalar(name, diffusivity, [buoyancy * part for part in up], walls_of(name), section.get("advection") == "bounded")
                        for (name, diffusivity, buoyancy), section in zip(temperature + listed, sections)]

        def formulas_of(section, of_velocity):
            names = [scalar.name for scalar in self.scalars]
            return [formula_of(text) for text in [*section.get(of_velocity, [0, 0, 0]), *(section.get(name, 0) for name in names)]]

        self.is_forced = any(forcing.get("acceleration", ()))
        self.initial = formulas_of(initial, "velocity")
        given_sources = [*forcing.get("acceleration", [0, 0, 0]), *(forcing.get(scalar.name, 0) for scalar in self.scalars)]
        parts = [source if isinstance(source, dict) else {"formula": source} for source in given_sources]
        self.sources = [formula_of(part.get("formula", 1)) for part in parts]
        self.source_factors = [time_formula_of(part.get("factor", 1)) for part in parts]
        self.noise = initial.get("noise", 0), initial.get("seed", 1)
        time = given["time"]
        if "dt" not in time:
            raise ValueError("give time.dt: this solver does not choose its steps")
        implicit = time.get("implicit_diffusion", "none")
        self.implicit = [not axis.periodic and (implicit == "walls" or implicit == "stretched" and axis.stretched) for axis in self.axes]
        self.dt, self.scheme = time["dt"], time.get("scheme", "adams-bashforth")
        self.steps, self.end = time.get("steps", math.inf), time.get("end", math.inf)


def sides_of(boundary):
    """The walls at the ends of an axis, or None if it is periodic."""
    if boundary == "periodic":
        return None
    sides = [boundary.get(side, boundary) for side in ("lower", "upper")]
    return None if sides[0] == "periodic" else sides


def motion_of(velocity):
    """The velocity of a wall and its slip length, or None of one without friction."""
    if velocity == "free-slip":
        return None
    given = velocity if isinstance(velocity, dict) else {} if velocity == "no-slip" else {"velocity": velocity}
    return {"velocity": [0, 0, 0], "slip_length": 0, "varying": [0, 0, 0], **given}


def scalar_wall_of(given):
    if given == "insulating":
        return {"flux": 0}
    if not isinstance(given, dict):
        return {"value": given, "slope": [0, 0, 0]}
    return given if "flux" in given else {"slope": [0, 0, 0], **given}


def direction_of(up):
    if isinstance(up, str):
        up = STEP["xyz".index(up[0])] * (1 if up[1] == "+" else -1)
    return np.array(up) / math.hypot(*up)


def properties_of(physics, up, axes, walls_of):
    """Viscosity, and [(name, diffusivity, buoyancy)] of a temperature if there is one."""
    if "rayleigh" in physics:
        values = [wall["value"] for end in walls_of("temperature") for wall in end or () if not any(wall.get("slope", [1]))]
        heights = [axis.length for axis in axes if abs(up[axis.number]) == 1]
        length = physics.get("length", heights[0] if heights else None)
        difference = physics.get("temperature_difference", max(values) - min(values) if values else None)
        Ra, Pr = physics["rayleigh"], physics["prandtl"]
        viscosity = {"diffusive": Pr, "viscous": 1.0, "free-fall": math.sqrt(Pr * length**3 / Ra)}[physics["scaling"]]
        diffusivity = viscosity / Pr
        return viscosity, [("temperature", diffusivity, Ra * viscosity * diffusivity / (difference * length**3))]
    viscosity = 1 / physics["reynolds"] if "reynolds" in physics else physics["viscosity"]
    if "diffusivity" not in physics:
        return viscosity, []
    return viscosity, [("temperature", physics["diffusivity"], physics["gravity"] * physics["expansion"])]


FUNCTIONS = {**{name: getattr(math, name) for name in
                ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log10", "sqrt", "pi", "e")},
             "ln": math.log, "abs": abs, "min": min, "max": max, "sign": lambda x: (x > 0) - (x < 0)}


def formula_of(given):
    """The function of x, y, z that a formula or a number of a case file is."""
    code = compile(python_of(str(given).replace("^", "**")), str(given), "eval")
    return lambda x, y, z: float(eval(code, {"__builtins__": {}}, {**FUNCTIONS, "x": x, "y": y, "z": z}))


def time_formula_of(given):
    """The function of t."""
    code = compile(python_of(str(given).replace("^", "**")), str(given), "eval")
    return lambda time: float(eval(code, {"__builtins__": {}}, {**FUNCTIONS, "t": time}))


def python_of(formula):
    """With every c ? a : b as Python writes it. Brackets stand as {number} until all within them is done."""
    kept = []
    while found := re.search(r"\(([^()]*)\)", formula):
        kept.append(", ".join(chosen(argument) for argument in found[1].split(",")))
        formula = f"{formula[:found.start()]}{{{len(kept) - 1}}}{formula[found.end():]}"
    formula = chosen(formula)
    while "{" in formula:
        formula = re.sub(r"{(\d+)}", lambda found: f"({kept[int(found[1])]})", formula)
    return formula.strip()


def chosen(formula):
    """c ? a : b, without brackets, as (a if c else b)."""
    condition, question, choices = formula.partition("?")
    if not question:
        return formula
    level, at = 0, 0
    while level or choices[at] != ":":
        level += {"?": 1, ":": -1}.get(choices[at], 0)
        at += 1
    return f"({chosen(choices[:at])} if {condition} else {chosen(choices[at + 1:])})"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        case = Case(sys.argv[1])
    except (OSError, ValueError) as error:
        sys.exit(f"{sys.argv[1]}: {error}")
    rows = Flow(case).series()
    first = next(rows)
    writer = csv.DictWriter(sys.stdout, first)
    writer.writeheader()
    for row in itertools.chain([first], rows):
        writer.writerow(row)


if __name__ == "__main__":
    main()
