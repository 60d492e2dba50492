#include "jacobi/smoother.hpp"

#include "bankfull/core/exec/for_each.hpp"

#include "jacobi/plan.hpp"
#include "jacobi/sweep.hpp"
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numbers>

namespace bankfull::jacobi {
namespace {

/// The angle per cell of a sine with its zeros in the ghost cells at -1 and n.
double angle(std::int64_t n) { return std::numbers::pi / static_cast<double>(n + 1); }

/// By which one sweep multiplies the wave.
double damping(const Problem& problem) {
  const Extents& n = problem.cells;
  const double sum = std::cos(angle(n.ni)) + std::cos(angle(n.nj)) + std::cos(angle(n.nk));
  return 1.0 - problem.omega * (1.0 - sum / 3.0);
}

}  // namespace

Smoother::Smoother(const Problem& problem)
    : problem_(problem),
      team_(problem.threads),
      fields_(Layout(problem.cells, 1, sizeof(double)), field_count, Device::cpu()) {
  rewind();
}

std::string Smoother::name() const {
  const Extents& n = problem_.cells;
  return fmt::format("jacobi {}x{}x{}", n.ni, n.nj, n.nk);
}

double Smoother::wave(std::int64_t i, std::int64_t j, std::int64_t k) const {
  const Extents& n = problem_.cells;
  const auto factor = [](std::int64_t index, std::int64_t count) {
    return index < 0 || index >= count ? 0.0
                                       : std::sin(angle(count) * static_cast<double>(index + 1));
  };
  return factor(i, n.ni) * factor(j, n.nj) * factor(k, n.nk);
}

void Smoother::rewind() {
  // The team that sweeps touches the memory first.
  current_ = 0;
  for_each(team_, grown(box_of(problem_.cells), 1), [&](auto i, auto j, auto k) {
    fields_[0](i, j, k) = wave(i, j, k);
    fields_[1](i, j, k) = 0.0;
    fields_[source](i, j, k) = 0.0;
  });
}

void Smoother::run() {
  for (int n = 0; n < problem_.sweeps; ++n) {
    sweep(team_, fields_, current_, problem_.omega);
    current_ = 1 - current_;
  }
}

Work Smoother::work() const {
  return {.traffic = problem_.sweeps * sweep_traffic(problem_.cells),
          .model = "3 words per cell and sweep: u and f read, u written",
          .working_set_bytes = static_cast<double>(field_bytes(problem_))};
}

std::vector<Check> Smoother::checks() {
  const auto u = fields_[current_];
  const double expected = std::pow(damping(problem_), problem_.sweeps);
  const double error = reduce_sum(team_, box_of(problem_.cells),
                                  [&](auto i, auto j, auto k) {
                                    return std::abs(u(i, j, k) - expected * wave(i, j, k));
                                  }) /
                       static_cast<double>(problem_.cells.count());
  constexpr double rounding = std::numeric_limits<double>::epsilon();
  return {{.name = name() + ": mean error of the damped wave",
           .value = error,
           .tolerance = 4.0 * rounding * problem_.sweeps,
           .source = "eigenvalues of the 7-point Laplacian"}};
}

std::vector<Figure> Smoother::parameters() const {
  return {{.name = "cells", .value = problem_.cells.count()},
          {.name = "sweeps", .value = std::int64_t{problem_.sweeps}},
          {.name = "omega", .value = problem_.omega},
          {.name = "threads", .value = std::int64_t{problem_.threads}}};
}

}  // namespace bankfull::jacobi
