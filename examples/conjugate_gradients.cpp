// Solves div(b grad x) = f, whose coefficient b varies, by conjugate gradients on ranks. A cycle of
// multigrid, as if b were 1, is the preconditioner. It is not symmetric, so beta is that of
// flexible conjugate gradients (Y. Notay, SIAM J. Sci. Comput. 22 (2000) 1444-1460).

#include <bankfull/numerics.hpp>

#include <cmath>
#include <iostream>
#include <numbers>

namespace {

using namespace bankfull;

constexpr std::int64_t n = 48;  // cells along each axis of a unit cube between walls
constexpr double width = 1.0 / n;

/// div(b grad x) with b = 1 + sin(pi s) / 2, s being the place along each axis in turn.
struct Operator {
  FieldView<const double> x;
  FieldView<double> result;
  Box block;

  /// b / width^2 on a face of the whole grid; nothing flows through walls.
  static double coefficient(std::int64_t face) {
    const double b = 1.0 + 0.5 * std::sin(std::numbers::pi * static_cast<double>(face) * width);
    return face == 0 || face == n ? 0.0 : b / (width * width);
  }

  void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    const auto flow = [&](std::int64_t face, double neighbour) {
      return coefficient(face) * (neighbour - x(i, j, k));
    };
    result(i, j, k) = flow(block.i0 + i, x(i - 1, j, k)) + flow(block.i0 + i + 1, x(i + 1, j, k)) +
                      flow(block.j0 + j, x(i, j - 1, k)) + flow(block.j0 + j + 1, x(i, j + 1, k)) +
                      flow(block.k0 + k, x(i, j, k - 1)) + flow(block.k0 + k + 1, x(i, j, k + 1));
  }
};

double wave(std::int64_t cell) {  // at its centre, along each axis
  return std::cos(std::numbers::pi * (static_cast<double>(cell) + 0.5) * width);
}

ExitCode solve(const Communicator& ranks, const Team& team) {
  const poisson::Axis walls{std::vector<double>(n, width)};
  const poisson::Domain domain{walls, walls, walls};
  constexpr auto by = poisson::Method::multigrid;
  const auto grid = poisson::make_grid(ranks, domain, Device::cpu(), by);
  poisson::FieldSolver<double> cycle(domain, grid, team, {.tolerance = 0.0, .max_cycles = 1}, by);
  GridFields<double> fields(grid, 6, team);
  const auto x = fields[0], r = fields[1], p = fields[2], q = fields[3];
  const auto z = fields[4], r0 = fields[5];
  const auto each = [&](auto body) { for_each(team, grid.interior(), body); };
  const auto dot = [&](auto a, auto b) {
    const auto term = [=](auto i, auto j, auto k) { return a(i, j, k) * b(i, j, k); };
    return ranks.sum(reduce_sum(team, grid.interior(), term));
  };
  const auto apply_to_p = [&](FieldView<double> result) {
    fields.exchange_halo({2});
    each(Operator{p, result, grid.block()});
  };
  const auto exact = [block = grid.block()](auto i, auto j, auto k) {
    return wave(block.i0 + i) * wave(block.j0 + j) * wave(block.k0 + k);
  };
  // The right side of a known solution, without a mean, is the residual of x = 0.
  each([=](auto i, auto j, auto k) { p(i, j, k) = exact(i, j, k); });
  apply_to_p(r);
  each([=](auto i, auto j, auto k) { p(i, j, k) = 0.0; });
  double zr = 1.0;
  int iterations = 0;
  for (; iterations < 30 && std::sqrt(dot(r, r)) > 1e-8; ++iterations) {
    cycle.forget();
    cycle.solve(r, z);
    const double beta = (dot(z, r) - dot(z, r0)) / zr;
    zr = dot(z, r);
    each([=](auto i, auto j, auto k) { p(i, j, k) = z(i, j, k) + beta * p(i, j, k); });
    apply_to_p(q);
    const double alpha = zr / dot(p, q);
    each([=](auto i, auto j, auto k) {
      x(i, j, k) += alpha * p(i, j, k);
      r0(i, j, k) = r(i, j, k);
      r(i, j, k) -= alpha * q(i, j, k);
    });
  }
  const double mean = dot(x, [](auto, auto, auto) { return 1.0; }) / (n * n * n);
  each([=](auto i, auto j, auto k) { q(i, j, k) = x(i, j, k) - mean - exact(i, j, k); });
  const double error = std::sqrt(dot(q, q) / (n * n * n));
  ranks.on_root([&] { std::cout << iterations << " iterations, error " << error << '\n'; });
  return error < 1e-9 ? ExitCode::ok : ExitCode::verification_failed;
}

}  // namespace

int main() {
  return run_on_ranks([](const Communicator& ranks) {
    return on_device(ranks, {}, [&](const Team& team) { return solve(ranks, team); });
  });
}
