#pragma once

#include "bankfull/numerics/poisson/poisson.hpp"
#include "bankfull/workloads/convection/cpu/advance.hpp"
#include "bankfull/workloads/convection/cpu/flow.hpp"
#include "bankfull/workloads/convection/cpu/implicit_rows.hpp"
#include "bankfull/workloads/convection/flow_halo.hpp"
#include "bankfull/workloads/convection/implicit_lines.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace bankfull::convection {

/// The parts of stages with implicit diffusion, and what they need beside the flow. Empty where
/// diffusion is explicit. Axes along which it is implicit are not cut.
template <class Real>
class ImplicitOnCpu {
 public:
  /// `slots`: of the factors of stages.
  ImplicitOnCpu(const Plan& plan, const FlowOnCpu<Real>& flow, int slots, bool walls_vary)
      : flow_(flow),
        n_(flow.n),
        count_(flow.count),
        walls_vary_(walls_vary),
        lines_(static_cast<std::size_t>(slots), ImplicitLines<Real>(plan.problem(), plan.grid())) {
    if (any()) {
      pressure_ = std::make_unique<FieldSet<Real>>(flow.layout, 1, Device::cpu());
      carried_ = std::make_unique<FieldSet<Real>>(Layout({1, n_.nj, n_.nk}, 1, sizeof(Real)),
                                                  count_, Device::cpu());
      std::fill_n(carried_->data(), carried_->size(), Real(0));
      forget_pressure();
    }
  }

  [[nodiscard]] bool any() const { return lines_.front().any(); }
  [[nodiscard]] bool for_values() const { return lines_.front().for_values(); }

  void form(std::size_t slot, double implicit_time) {
    if (any()) {
      lines_[slot].form(implicit_time);
    }
  }
  void use(std::size_t slot) { slot_ = slot; }

  void forget_pressure() { std::fill_n(pressure_->data(), pressure_->size(), Real(0)); }

  /// That stages know of.
  [[nodiscard]] FieldView<Real> pressure() const { return (*pressure_)[0]; }

  void close_pressure(FlowHalo<Real>& halo) {
    flow_.rows.each_row([&](std::int64_t i, std::int64_t j) { close_row_of_pressure(i, j); });
    halo.exchange_one(*pressure_);
  }

  /// Receives the pressure in the cells of other ranks; call it once all rows are kept.
  void exchange_pressure(FlowHalo<Real>& halo) { halo.exchange_one(*pressure_); }

  void set_wall_changes(const std::vector<VaryingWall>& walls, const StageTimes& times) {
    wall_changes_ = lines().wall_changes(walls, times);
  }

  /// A stage with implicit diffusion: columns are eliminated as the right side is formed, plane by
  /// plane, then lines within the planes are solved; columns the way down follow. Returns the
  /// largest rate of buoyancy.
  double advance(const StageOnCpu<Real>& stage) {
    const double buoyancy = flow_.rows.each_block_of_columns([&](const Columns& block) {
      double largest = 0.0;
      for (std::int64_t i = 0; i < n_.ni; ++i) {
        for (std::int64_t j = block.rows.begin; j < block.rows.end; ++j) {
          const Real rate = eliminate_one_row(stage, i, j, block.cells);
          largest = larger(static_cast<double>(rate), largest);
        }
      }
      return largest;
    });
    if (!for_values()) {
      solve_within_planes(stage.to);
    }
    return buoyancy;
  }

  /// The rest of a stage: columns the way down, and diverge(i, j) of rows as their planes come out
  /// of that, or at the end, after `exchange()`, where they need rows of others.
  template <class Exchange, class Diverge>
  void substitute_and_diverge(const FieldSet<Real>& from, FieldSet<Real>& to,
                              const Exchange& exchange, const Diverge& diverge) const {
    const int lag = for_values() ? 0 : 1;  // of planes whose values follow from changes
    flow_.rows.each_block_of_columns([&](const Columns& block) {
      for (std::int64_t i = n_.ni - 1; i >= -lag; --i) {
        const std::int64_t done = i + lag;
        for (std::int64_t j = block.rows.begin; j <= block.rows.end; ++j) {
          if (i >= 0 && j < block.rows.end) {
            substitute_one_row(to, i, j, block.cells);
          }
          if (lag > 0 && done < n_.ni && j < block.rows.end) {
            add_changes(from, to, done, j, block.cells);
          }
          if (done < n_.ni && j > block.rows.begin && holds_row_above(block, j - 1)) {
            diverge(done, j - 1);
          }
        }
      }
      return 0.0;
    });
    exchange();
    flow_.rows.each_block_of_columns([&](const Columns& block) {
      for (std::int64_t j = block.rows.begin; j < block.rows.end; ++j) {
        for (std::int64_t i = 0; !holds_row_above(block, j) && i < n_.ni; ++i) {
          if (block.cells.begin == 0) {  // whole rows
            diverge(i, j);
          }
        }
      }
      return 0.0;
    });
  }

  /// Keeps the pressure of a row, with the neighbours that the gradient at its first cell reads.
  void keep_pressure(const poisson::CellSlots<Real>& potential,
                     const ImplicitFactors<Real>& factors, std::int64_t i, std::int64_t j) {
    const auto row_at = [&](std::int64_t at_i, std::int64_t at_j) -> const Real* {
      return &potential(std::clamp<std::int64_t>(at_i, 0, n_.ni - 1),
                        std::clamp<std::int64_t>(at_j, 0, n_.nj - 1), 0);
    };
    RowOfPotential<Real> row{.here = row_at(i, j),
                             .below = {row_at(i - 1, j), row_at(i, j - 1)},
                             .above = {row_at(i + 1, j), row_at(i, j + 1)},
                             .implicit_along_row = lines().along(2),
                             .cells = n_.nk};
    const std::array<std::int64_t, 2> at{i, j};
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      if (lines().along(static_cast<int>(axis))) {
        row.weights[axis] = NeighbourWeights<Real>::of(flow_.metric(axis, at[axis]), false);
      } else {
        row.below[axis] = row.here;
        row.above[axis] = row.here;
      }
    }
    Real* const kept = pressure().row(i, j);
    if (for_values()) {
      keep_pressure_across_planes(row, factors, kept);
    } else {
      flow_.with_cells_along_rows(
          [&](const auto& along) { keep_pressure_row(row, along, factors, kept); });
    }
    close_row_of_pressure(i, j);
  }

 private:
  [[nodiscard]] const ImplicitLines<Real>& lines() const { return lines_[slot_]; }

  /// Whether a block has all that the divergence of its row j follows from as it goes down.
  [[nodiscard]] bool holds_row_above(const Columns& block, std::int64_t j) const {
    const bool whole = flow_.walls.walled[0] && block.cells.end - block.cells.begin == n_.nk;
    return whole && (j + 1 < block.rows.end || (flow_.walls.at_end(1, 1) && j + 1 == n_.nj));
  }

  void close_row_of_pressure(std::int64_t i, std::int64_t j) {
    Real* const kept = pressure().row(i, j);
    kept[-1] = kept[flow_.walls.walled[2] ? 0 : n_.nk - 1];
  }

  /// Returns the row's largest rate of buoyancy, by the part that begins it.
  template <Terms Which, Diffusion How>
  Real eliminate_terms_of_row(const StageOnCpu<Real>& stage, std::int64_t i, std::int64_t j,
                              const Range& cells) {
    const auto around = [&](int axis, std::int64_t n, std::int64_t count) {
      return n == 0 && !flow_.walls.goes_on[axis][0] ? count - 1 : n - 1;
    };
    const FieldView<Real> known = pressure();
    return flow_.with_cells_along_rows([&]<class Cells>(const Cells& along) {
      using Metric = typename Cells::Metric;
      const RowToEliminate<Real, Metric> row{
          .advance = row_to_advance<Metric>(flow_, stage, i, j, cells.end),
          .begin = cells.begin,
          .carried = (*carried_)[0].row(0, j),
          .carried_stride = carried_->stride(),
          .lines = lines().at(0, i),
          .pressure = known.row(i, j),
          .pressure_below = {known.row(around(0, i, n_.ni), j), known.row(i, around(1, j, n_.nj))}};
      eliminate_row<Which, How>(row, along, flow_.medium, stage.factors);
      return cells.begin == 0
                 ? largest_buoyancy_rate(rates_of_row<Which>(flow_, stage.from, along, i, j))
                 : Real(0);
    });
  }

  Real eliminate_one_row(const StageOnCpu<Real>& stage, std::int64_t i, std::int64_t j,
                         const Range& cells) {
    const bool usual = terms_of(flow_.medium, stage.sources != nullptr) == Terms::usual;
    constexpr Diffusion within_planes = Diffusion::within_planes;
    constexpr Diffusion explicit_axes = Diffusion::explicit_axes;
    const Real buoyancy =
        for_values()
            ? (usual ? eliminate_terms_of_row<Terms::usual, within_planes>(stage, i, j, cells)
                     : eliminate_terms_of_row<Terms::all, within_planes>(stage, i, j, cells))
            : (usual ? eliminate_terms_of_row<Terms::usual, explicit_axes>(stage, i, j, cells)
                     : eliminate_terms_of_row<Terms::all, explicit_axes>(stage, i, j, cells));
    if (for_values()) {
      add_walls(stage.from, stage.to, i, j, cells);
    }
    if (walls_vary_) {
      add_wall_changes(stage.to, i, j, cells);
    }
    stop_at_walls(flow_, stage.to, i, j, cells);
    for (int field = 0; field < 3; ++field) {
      stop_at_wall(flow_, field, i, j, cells, (*carried_)[field].row(0, j));
    }
    return buoyancy;
  }

  /// What walls beyond the planes prescribe acts on the new values, too.
  void add_walls(const FieldSet<Real>& from, FieldSet<Real>& to, std::int64_t i, std::int64_t j,
                 const Range& cells) {
    const std::int64_t k = cells.begin;
    for (const int side : {0, 1}) {
      if (i != (side == 0 ? 0 : n_.ni - 1)) {
        continue;
      }
      for (int field = 1; field < count_; ++field) {  // velocity 0 ends at the walls
        const Real weight = lines().at(0, i)[field].scale * lines().wall_weight(field, side);
        Real* const carried = (*carried_)[field].row(0, j) + k;
        add_wall_to_row(from[field].row(i, j) + k, from[field].row(side == 0 ? -1 : n_.ni, j) + k,
                        static_cast<Real>(lines().wall(field, side).factor), weight, cells.end - k,
                        carried);
        std::copy_n(carried, cells.end - k, to[field].row(i, j) + k);
      }
    }
  }

  /// Walls that vary prescribe something else for the end of the stage than for its beginning.
  void add_wall_changes(FieldSet<Real>& to, std::int64_t i, std::int64_t j, const Range& cells) {
    const Extents all = flow_.grid.extents();
    const std::int64_t whole_i = flow_.first[0] + i;
    const std::int64_t whole_j = flow_.first[1] + j;
    const bool beside_row =
        whole_i <= 1 || whole_i + 1 == all.ni || whole_j <= 1 || whole_j + 1 == all.nj;
    for (int field = 0; field < count_; ++field) {
      const Real scale = lines().at(0, i)[field].scale;
      Real* const carried = (*carried_)[field].row(0, j);
      Real* const row = to[field].row(i, j);
      for (std::int64_t k = cells.begin; k < cells.end; ++k) {
        if (beside_row || k <= 1 || k + 1 == n_.nk) {
          const std::int64_t index[3] = {whole_i, whole_j, k};
          carried[k] += scale * wall_changes_.at(field, index, {all.ni, all.nj, all.nk});
          row[k] = carried[k];
        }
      }
    }
  }

  void substitute_one_row(FieldSet<Real>& to, std::int64_t i, std::int64_t j,
                          const Range& cells) const {
    const std::int64_t k = cells.begin;
    for (int field = 0; field < count_ && i + 1 < n_.ni; ++field) {
      const Real* const above = to[field].row(i + 1, j) + k;
      substitute_row(lines().at(0, i)[field].back, above, cells.end - k, to[field].row(i, j) + k);
    }
  }

  void add_changes(const FieldSet<Real>& from, FieldSet<Real>& to, std::int64_t i, std::int64_t j,
                   const Range& cells) const {
    const std::int64_t k = cells.begin;
    for (int field = 0; field < count_; ++field) {
      add_row(from[field].row(i, j) + k, cells.end - k, to[field].row(i, j) + k);
    }
  }

  /// Lines along rows and columns of all planes.
  void solve_within_planes(FieldSet<Real>& changes) const {
    flow_.executor.each(n_.ni, [&](std::int64_t i) {
      for (int field = 0; field < count_; ++field) {
        const FieldView<Real> change = changes[field];
        if (lines().along(1)) {
          solve_across_rows(change, i, field);
        }
        if (lines().along(2)) {
          solve_along_rows_of_plane(change, i, field);
        }
      }
    });
  }

  void solve_across_rows(const FieldView<Real>& change, std::int64_t i, int field) const {
    for (std::int64_t j = 0; j < n_.nj; ++j) {
      eliminate_across(lines().at(1, j)[field], change.row(i, j - (j > 0)), n_.nk,
                       change.row(i, j));
    }
    for (std::int64_t j = n_.nj - 2; j >= 0; --j) {
      substitute_row(lines().at(1, j)[field].back, static_cast<const Real*>(change.row(i, j + 1)),
                     n_.nk, change.row(i, j));
    }
  }

  void solve_along_rows_of_plane(const FieldView<Real>& change, std::int64_t i, int field) const {
    constexpr int together = 8;
    const LineFactors<Real>* const factors = lines().at(2, 0) + field;
    const auto fields = static_cast<std::size_t>(count_);
    std::int64_t j = 0;
    for (; j + together <= n_.nj; j += together) {
      solve_along_rows<together>(factors, fields, n_.nk, change.row(i, j),
                                 flow_.layout.row_pitch());
    }
    for (; j < n_.nj; ++j) {
      solve_along_rows<1>(factors, fields, n_.nk, change.row(i, j), flow_.layout.row_pitch());
    }
  }

  const FlowOnCpu<Real>& flow_;
  Extents n_;
  int count_;
  bool walls_vary_;
  std::vector<ImplicitLines<Real>> lines_;    ///< of each slot
  std::unique_ptr<FieldSet<Real>> pressure_;  ///< one field
  std::unique_ptr<FieldSet<Real>> carried_;   ///< the plane that was eliminated last
  WallChanges<Real> wall_changes_;            ///< of the stage
  std::size_t slot_ = 0;                      ///< in use
};

}  // namespace bankfull::convection
