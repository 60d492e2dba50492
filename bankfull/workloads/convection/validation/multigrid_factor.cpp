#include "bankfull/build_config.hpp"
#include "bankfull/core/exec/stream.hpp"
#include "bankfull/numerics/poisson/multigrid.hpp"
#include "bankfull/numerics/random/counter.hpp"
#include "bankfull/workloads/convection/validation/setting.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <vector>

namespace bankfull::convection {
namespace {

/// Cycles before and after which the residual is looked at: from rounding and the start alike far.
constexpr int first_look = 2;
constexpr int last_look = 6;

/// A cube between walls along i, periodic along j and k.
poisson::Domain cube(std::int64_t cells) {
  poisson::Axis walls;
  walls.widths.assign(static_cast<std::size_t>(cells), 1.0 / static_cast<double>(cells));
  poisson::Axis periodic = walls;
  periodic.periodic = true;
  return {walls, periodic, periodic};
}

/// After a solve from nothing for a right side of random numbers, whose rows
/// copy(slots of a row, values) puts in place.
template <class Copy>
poisson::Outcome solved(poisson::Solver<double>& solver, const Extents& n, const Copy& copy) {
  const poisson::CellSlots<double> slots = solver.right_side();
  std::vector<double> row(static_cast<std::size_t>(n.nk));
  std::uint64_t number = 0;
  for (std::int64_t i = 0; i < n.ni; ++i) {
    for (std::int64_t j = 0; j < n.nj; ++j) {
      std::generate(row.begin(), row.end(), [&] { return random_symmetric(1, number++); });
      copy(&slots(i, j, 0), row);
    }
  }
  solver.forget();
  solver.solve();
  return solver.outcome();
}

/// A template, so that builds without CUDA leave its solver out.
template <class Real>
poisson::Outcome solved_on_gpu(const poisson::Domain& domain, const poisson::Stopping& stopping,
                               Device device) {
  const Stream stream(device);
  const auto solver = poisson::make_cuda_multigrid<Real>(domain, stopping, stream);
  return solved(*solver, domain.extents(), [&](double* row, const std::vector<double>& values) {
    copy_bytes(row, values.data(), values.size() * sizeof(double), stream);
    stream.synchronize();
  });
}

poisson::Outcome after_cycles(const ValidationSetting& setting, std::int64_t cells, int cycles) {
  constexpr double unreachable = 1e-300;
  const poisson::Stopping stopping{.tolerance = unreachable, .max_cycles = cycles};
  const poisson::Domain domain = cube(cells);
  if constexpr (build::cuda) {
    if (setting.device().is_cuda()) {
      return solved_on_gpu<double>(domain, stopping, setting.device());
    }
  }
  const auto solver = poisson::make_cpu_multigrid<double>(domain, stopping, setting.threads());
  return solved(*solver, domain.extents(), [](double* row, const std::vector<double>& values) {
    std::copy(values.begin(), values.end(), row);
  });
}

}  // namespace

void check_multigrid_factors(const ValidationSetting& setting, std::vector<Check>& checks) {
  const std::vector<std::int64_t> sizes = setting.full()
                                              ? std::vector<std::int64_t>{32, 64, 128, 256}
                                              : std::vector<std::int64_t>{32, 64, 128};
  constexpr double bound = 0.12;
  for (const std::int64_t cells : sizes) {
    const poisson::Outcome early = after_cycles(setting, cells, first_look);
    const poisson::Outcome late = after_cycles(setting, cells, last_look);
    const double factor =
        std::pow(late.residual / early.residual, 1.0 / (late.cycles - early.cycles));
    checks.push_back(
        {.name = fmt::format("multigrid, {}^3: residual after a V-cycle over before", cells),
         .value = factor,
         .tolerance = bound,
         .source = "bound of 0.12 for isotropic cells, whatever the size"});
  }
}

}  // namespace bankfull::convection
