#pragma once

#include "bankfull/core/base/exact_sum.hpp"
#include "bankfull/core/field/field_set.hpp"
#include "bankfull/workloads/convection/cpu/bounded_rows.hpp"
#include "bankfull/workloads/convection/cpu/flow.hpp"
#include "bankfull/workloads/convection/flow_halo.hpp"
#include "bankfull/workloads/convection/plan.hpp"
#include "bankfull/workloads/convection/stability.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

namespace bankfull::convection {

/// Corrects bounded scalars that `advance` has taken through a stage by centred fluxes, in three
/// passes each: A and the fluxes to keep, limiter ratios, the correction; empty if there are none.
template <class Real>
class CpuBounded {
 public:
  CpuBounded(const Plan& plan, const FlowOnCpu<Real>& flow, FlowHalo<Real>& halo)
      : flow_(flow),
        halo_(halo),
        ranks_(plan.ranks()),
        n_(flow.n),
        scalars_(bounded_scalars(plan.problem())),
        corrected_variance_(plan.problem().scalars.size(), 0.0) {
    if (scalars_.empty()) {
      return;
    }
    const std::array<std::vector<double>, 3> diffusion =
        diffusive_exchange(plan.problem(), flow_.grid);
    for (const int axis : storage_axes) {
      const auto n = static_cast<std::size_t>(axis);
      diffusion_[n].assign(diffusion[n].begin() + flow.first[n], diffusion[n].end());
    }
    const int kept = 3 * static_cast<int>(scalars_.size());
    kept_ = std::make_unique<FieldSet<Real>>(flow_.layout, kept, Device::cpu());
    fluxes_ = std::make_unique<FieldSet<Real>>(flow_.layout, 3, Device::cpu());
    limiter_ratios_ = std::make_unique<FieldSet<Real>>(flow_.layout, 2, Device::cpu());
    fill(*fluxes_, Real(0));
    fill(*limiter_ratios_, Real(1));  // beyond walls, for good
    restart();
  }

  [[nodiscard]] bool any() const { return !scalars_.empty(); }

  /// Forgets fluxes and sums.
  void restart() {
    if (any()) {
      fill(*kept_, Real(0));
      std::fill(corrected_variance_.begin(), corrected_variance_.end(), 0.0);
    }
  }

  /// See Diagnosis::OfScalar.
  [[nodiscard]] double corrected_variance(int scalar) const {
    return corrected_variance_[static_cast<std::size_t>(scalar)];
  }

  void set_corrected_variance(int scalar, double value) {
    corrected_variance_[static_cast<std::size_t>(scalar)] = value;
  }

  /// The centred flux of the stage before, see Kept::flux.
  [[nodiscard]] FieldView<Real> kept_flux(int number) const { return (*kept_)[number]; }

  /// The flow that a stage started from, and what it has become.
  void correct(const FieldSet<Real>& from, FieldSet<Real>& to, const StageFactors<Real>& stage) {
    for (std::size_t n = 0; n < scalars_.size(); ++n) {
      each_row([&](std::int64_t i, std::int64_t j) {
        const BoundedRow<Real> row = row_of(n, from, to, stage, i, j);
        flow_.with_cells_along_rows([&](const auto& along) {
          find_antidiffusion_rows(row, along, i == n_.ni - 1, j == n_.nj - 1);
        });
      });
      each_row([&](std::int64_t i, std::int64_t j) {
        const BoundedRow<Real> row = row_of(n, from, to, stage, i, j);
        flow_.with_cells_along_rows(
            [&](const auto& along) { find_limiter_ratios_row(row, along); });
        close(i, j);
      });
      halo_.exchange_limiter_ratios(*limiter_ratios_);
      corrected_variance_[static_cast<std::size_t>(scalars_[n])] +=
          sum_of_rows([&](std::int64_t i, std::int64_t j) {
            const BoundedRow<Real> row = row_of(n, from, to, stage, i, j);
            const double area = flow_.width(0, i) * flow_.width(1, j) / flow_.grid.volume();
            return 0.5 * area * flow_.with_cells_along_rows([&](const auto& along) {
              return correct_row(row, along);
            });
          });
    }
  }

  /// The flow must be projected. Its ghosts need not be in place, except for velocities of other
  /// ranks.
  [[nodiscard]] double largest_exchange(const FieldSet<Real>& flow) const {
    std::vector<double> largest(static_cast<std::size_t>(n_.ni * n_.nj));
    each_row([&](std::int64_t i, std::int64_t j) {
      const std::int64_t next_i = flow_.walls.closes(0) ? (i + 1) % n_.ni : i + 1;
      const std::int64_t next_j = flow_.walls.closes(1) ? (j + 1) % n_.nj : j + 1;
      const UpperVelocities<Real> upper{flow[0].row(next_i, j), flow[1].row(i, next_j),
                                        flow_.walls.walled[2] ? Real(0) : flow[2].row(i, j)[0]};
      const Real across =
          diffusion_[0][static_cast<std::size_t>(i)] + diffusion_[1][static_cast<std::size_t>(j)];
      const Real found = flow_.with_cells_along_rows([&](const auto& along) {
        return largest_exchange_rate(flow_.template stencil_of_row<Real>(flow, i, j), along, upper,
                                     across, diffusion_[2].data(), n_.nk);
      });
      largest[static_cast<std::size_t>(i * n_.nj + j)] = static_cast<double>(found);
    });
    return *std::max_element(largest.begin(), largest.end());
  }

 private:
  template <class Body>
  void each_row(const Body& body) const {
    flow_.executor.each(n_.ni * n_.nj, [&](std::int64_t row) { body(row / n_.nj, row % n_.nj); });
  }

  /// Exact before it is rounded, whatever the team and the number of ranks.
  template <class Body>
  [[nodiscard]] double sum_of_rows(const Body& body) const {
    std::vector<double> rows(static_cast<std::size_t>(n_.ni * n_.nj));
    each_row([&](std::int64_t i, std::int64_t j) {
      rows[static_cast<std::size_t>(i * n_.nj + j)] = body(i, j);
    });
    ExactSum sum;
    for (const double row : rows) {
      sum.add(row);
    }
    if (ranks_ != nullptr) {
      for (const ExactSum& part : ranks_->all_gather(std::exchange(sum, {}))) {
        sum.add(part);
      }
    }
    return sum.value();
  }

  /// Each row by the thread that works on it later.
  void fill(FieldSet<Real>& set, Real value) const {
    for (int field = 0; field < set.count(); ++field) {
      const FieldView<Real> view = set[field];
      each_row([&](std::int64_t i, std::int64_t j) {
        std::fill_n(view.row(i, j), flow_.layout.row_pitch(), value);
      });
    }
    std::fill_n(set.data(), set.size(), value);
  }

  /// A row of bounded scalar n.
  [[nodiscard]] BoundedRow<Real> row_of(std::size_t n, const FieldSet<Real>& from,
                                        FieldSet<Real>& to, const StageFactors<Real>& stage,
                                        std::int64_t i, std::int64_t j) const {
    const int scalar = scalars_[n];
    const WallFaces& walls = flow_.walls;
    return {.stencil = flow_.template stencil_of_row<Real>(from, i, j),
            .scalar = scalar,
            .diffusivity = flow_.medium.scalars[scalar].diffusivity,
            .stage = {stage.gamma + stage.zeta, stage.zeta, stage.store_tendency},
            .beside = walls.around<std::int64_t>({i, j, 0}, {n_.ni, n_.nj, n_.nk}),
            .walled = flow_.walls.walled[2],
            .kept = (*kept_)[3 * static_cast<int>(n)].row(i, j),
            .flux = (*fluxes_)[0].row(i, j),
            .limiter_ratios = (*limiter_ratios_)[0].row(i, j),
            .next = to[3 + scalar].row(i, j),
            .cells = n_.nk};
  }

  /// Writes the ghosts of limiter ratios that are images of a row, around periodic ends.
  void close(std::int64_t i, std::int64_t j) const {
    for (int field = 0; field < 2; ++field) {
      const FieldView<Real> ratios = (*limiter_ratios_)[field];
      Real* const row = ratios.row(i, j);
      const auto copy_to = [&](std::int64_t to_i, std::int64_t to_j) {
        std::copy_n(row, n_.nk, ratios.row(to_i, to_j));
      };
      if (flow_.walls.closes(0) && i == 0) {
        copy_to(n_.ni, j);
      }
      if (flow_.walls.closes(0) && i == n_.ni - 1) {
        copy_to(-1, j);
      }
      if (flow_.walls.closes(1) && j == 0) {
        copy_to(i, n_.nj);
      }
      if (flow_.walls.closes(1) && j == n_.nj - 1) {
        copy_to(i, -1);
      }
      if (!flow_.walls.walled[2]) {
        row[-1] = row[n_.nk - 1];
        row[n_.nk] = row[0];
      }
    }
  }

  const FlowOnCpu<Real>& flow_;
  FlowHalo<Real>& halo_;
  const Communicator* ranks_;  ///< null where there is one only
  Extents n_;
  std::vector<int> scalars_;
  std::vector<double> corrected_variance_;
  std::array<std::vector<Real>, 3> diffusion_;      ///< see diffusive_exchange
  std::unique_ptr<FieldSet<Real>> kept_;            ///< centred fluxes, three of each scalar
  std::unique_ptr<FieldSet<Real>> fluxes_;          ///< A through the lower faces, of one scalar
  std::unique_ptr<FieldSet<Real>> limiter_ratios_;  ///< of one scalar
};

}  // namespace bankfull::convection
