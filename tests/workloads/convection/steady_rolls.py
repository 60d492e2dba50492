#!/usr/bin/env python3
"""The steady rolls of a layer heated from below, between no-slip plates: spectral, by Newton's method. Where the Nusselt
numbers of `convect --validate-parts layers` come from.

    steady_rolls.py POINTS_ACROSS POINTS_HIGH RAYLEIGH...      steady_rolls.py 32 33 5000 10000 20000 50000

Streamfunction psi (u = psi_z, w = -psi_x) and departure theta of the temperature from conduction, over one pair of rolls:

    lap lap psi - Ra theta_x = (u . grad) lap psi / Pr        psi = psi_z = 0 at the plates
    lap theta                = u . grad theta - w             theta = 0

lengths in heights of the layer, velocities in kappa over it. Fourier collocation along x, Chebyshev along z (L. N.
Trefethen, Spectral Methods in MATLAB, 2000). The rolls may drift along x with speed c, which comes out as zero and is the
unknown beside a condition that fixes their place. The first Rayleigh number begins from a guess, each other one from the
rolls of the one before; from 5000 on the guess is good enough.
"""

import sys

import numpy as np

PRANDTL = 0.71
WAVE_NUMBER = 3.117


def chebyshev(points):
    """The matrix of d/dz on the points -1/2 to 1/2, from the last one down, and the points."""
    n = np.arange(points)
    x = np.cos(np.pi * n / (points - 1))
    c = np.where((n == 0) | (n == points - 1), 2.0, 1.0) * (-1.0) ** n
    differences = x[:, None] - x[None, :] + np.eye(points)
    matrix = np.outer(c, 1.0 / c) / differences
    matrix -= np.diag(matrix.sum(axis=1))
    return 2.0 * matrix, 0.5 * x


def fourier(points, length):
    """The matrices of d/dx and of d2/dx2 on points of a period."""
    k = 2.0 * np.pi / length * np.fft.fftfreq(points, 1.0 / points)
    first = np.where(np.arange(points) * 2 == points, 0.0, k)  # the highest wave has no slope at the points
    waves = np.fft.fft(np.eye(points), axis=0)
    return (np.fft.ifft(1j * first[:, None] * waves, axis=0).real, np.fft.ifft(-(k**2)[:, None] * waves, axis=0).real)


class Rolls:
    def __init__(self, points_across, points_high):
        length = 2.0 * np.pi / WAVE_NUMBER
        dz, z = chebyshev(points_high)
        dx, dxx = fourier(points_across, length)
        self.shape = (points_across, points_high)
        self.x = np.kron(dx, np.eye(points_high))
        self.z = np.kron(np.eye(points_across), dz)
        self.lap = np.kron(dxx, np.eye(points_high)) + np.kron(np.eye(points_across), dz @ dz)
        self.bilaplacian = self.lap @ self.lap
        column = np.arange(points_across)[:, None] * points_high
        self.plates = (column + [0, points_high - 1]).ravel()
        self.beside = (column + [1, points_high - 2]).ravel()
        across = WAVE_NUMBER * np.repeat(np.arange(points_across) * length / points_across, points_high)
        up = np.tile(z, points_across)
        self.psi = -5.0 * np.cos(np.pi * up) ** 2 * np.sin(across)
        self.theta = 0.25 * np.cos(np.pi * up) * np.cos(across)
        self.speed = 0.0

    def solve(self, rayleigh, most=60):
        """The rolls at this Rayleigh number; ArithmeticError if Newton's method finds none."""
        place = self.x @ self.theta
        for _ in range(most):
            size = np.abs(self.psi).max()
            if size < 1e-3:
                break
            change = self.newton_step(rayleigh, place)
            n = self.psi.size
            largest = np.abs(change[:n]).max()
            change *= min(1.0, 3.0 * max(1.0, size) / largest)
            self.psi += change[:n]
            self.theta += change[n : 2 * n]
            self.speed += change[2 * n]
            if largest < 1e-9 * size:
                return self
        raise ArithmeticError(f"no rolls were found at Ra {rayleigh}")

    def newton_step(self, rayleigh, place):
        n = self.psi.size
        u, w, vorticity = self.z @ self.psi - self.speed, -(self.x @ self.psi), self.lap @ self.psi
        vorticity_x, vorticity_z = self.x @ vorticity, self.z @ vorticity
        theta_x, temperature_z = self.x @ self.theta, self.z @ self.theta - 1.0
        carried = u[:, None] * self.x + w[:, None] * self.z
        residual = np.concatenate([
            self.bilaplacian @ self.psi - rayleigh * theta_x - (u * vorticity_x + w * vorticity_z) / PRANDTL,
            self.lap @ self.theta - u * theta_x - w * temperature_z,
            [place @ self.theta],
        ])
        matrix = np.zeros((2 * n + 1, 2 * n + 1))
        matrix[:n, :n] = self.bilaplacian - (
            carried @ self.lap + vorticity_x[:, None] * self.z - vorticity_z[:, None] * self.x) / PRANDTL
        matrix[:n, n : 2 * n] = -rayleigh * self.x
        matrix[n : 2 * n, :n] = temperature_z[:, None] * self.x - theta_x[:, None] * self.z
        matrix[n : 2 * n, n : 2 * n] = self.lap - carried
        matrix[:n, 2 * n] = vorticity_x / PRANDTL
        matrix[n : 2 * n, 2 * n] = theta_x
        matrix[2 * n, n : 2 * n] = place
        self.set_walls(matrix, residual)
        scale = 1.0 / np.abs(matrix).max(axis=1)
        return np.linalg.solve(matrix * scale[:, None], -residual * scale)

    def set_walls(self, matrix, residual):
        n = self.psi.size
        for first, field in ((0, self.psi), (n, self.theta)):
            rows = first + self.plates
            matrix[rows] = 0.0
            matrix[rows, rows] = 1.0
            residual[rows] = field[self.plates]
        matrix[self.beside] = 0.0
        matrix[self.beside, :n] = self.z[self.plates]
        residual[self.beside] = self.z[self.plates] @ self.psi

    def nusselt(self):
        slopes = (self.z @ self.theta).reshape(self.shape)
        return 1.0 - slopes[:, 0].mean()


def main(arguments):
    if len(arguments) < 3:
        sys.exit(__doc__)
    rolls = Rolls(int(arguments[0]), int(arguments[1]))
    for rayleigh in arguments[2:]:
        print(f"Ra {rayleigh}: Nusselt number {rolls.solve(float(rayleigh)).nusselt():.9f}")


if __name__ == "__main__":
    main(sys.argv[1:])
