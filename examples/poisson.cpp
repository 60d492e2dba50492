// Solves a Poisson equation by multigrid and compares the solution with the exact one.

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/numerics/poisson/multigrid.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <numbers>
#include <vector>

namespace {

using namespace bankfull;

poisson::Axis walls(std::int64_t cells) {
  const double width = 1.0 / static_cast<double>(cells);
  return {std::vector<double>(static_cast<std::size_t>(cells), width), false};
}

/// cos(pi x) between walls, x in [0, 1], at the centre of cell i.
double exact(std::int64_t i, std::int64_t cells) {
  return std::cos(std::numbers::pi * (static_cast<double>(i) + 0.5) / static_cast<double>(cells));
}

/// The largest difference between the solution and the exact one.
double largest_error(std::int64_t cells) {
  const poisson::Domain domain{walls(cells), walls(cells), walls(cells)};
  const auto solver =
      poisson::make_cpu_multigrid<double>(domain, {.tolerance = 1e-8}, Team::default_threads());
  const auto for_cells = [&](const auto& body) {
    for (std::int64_t i = 0; i < cells; ++i) {
      for (std::int64_t j = 0; j < cells; ++j) {
        for (std::int64_t k = 0; k < cells; ++k) {
          body(i, j, k);
        }
      }
    }
  };
  const auto f = solver->right_side();
  for_cells([&](auto i, auto j, auto k) {
    f(i, j, k) = -std::numbers::pi * std::numbers::pi * exact(i, cells);
  });
  solver->forget();  // there is no better start than zero
  solver->solve();
  const poisson::Outcome outcome = solver->outcome();
  std::cout << cells << "^3 cells: " << outcome.cycles << " cycles, residual " << outcome.residual
            << (outcome.converged ? "" : ", not converged") << '\n';
  const auto p = solver->solution();
  double largest = 0.0;
  for_cells([&](auto i, auto j, auto k) {
    largest = std::max(largest, std::abs(p(i, j, k) - exact(i, cells)));
  });
  return largest;
}

}  // namespace

int main() {
  try {
    const double coarse = largest_error(16);
    const double fine = largest_error(32);
    std::cout << "largest errors " << coarse << " and " << fine << ": order "
              << std::log2(coarse / fine) << '\n';
    // The discretisation is of second order.
    return std::abs(std::log2(coarse / fine) - 2.0) < 0.1 ? 0 : 1;
  } catch (const UsageError& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
