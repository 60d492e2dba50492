#pragma once

#include "bankfull/core/base/bytes.hpp"
#include "bankfull/core/exec/cpu_executor.hpp"
#include "bankfull/core/field/field_set.hpp"
#include "bankfull/workloads/convection/cpu/rows.hpp"
#include "bankfull/workloads/convection/cpu/team_rows.hpp"
#include "bankfull/workloads/convection/flow.hpp"
#include "bankfull/workloads/convection/implicit_stage.hpp"
#include "bankfull/workloads/convection/plan.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace bankfull::convection {

/// What all parts of a stage know of a flow, and the team that shares its rows. The plan outlives
/// it.
template <class Real>
struct FlowOnCpu {
  explicit FlowOnCpu(const Plan& plan)
      : grid(plan.grid()),
        block(plan.block()),
        first{block.i0, block.j0, block.k0},
        n(block.extents()),
        count(plan.fields()),
        medium(medium_of<Real>(plan.stepped(), grid)),
        walls(wall_faces_of(grid, block)),
        layout(n, 1, sizeof(Real)),
        executor(plan.problem().threads),
        rows(n, executor.team().threads(),
             count * layout.row_pitch() * static_cast<std::int64_t>(sizeof(Real)), sizeof(Real)) {
    const std::array<std::int64_t, 3> cells{n.ni, n.nj, n.nk};
    for (const std::size_t axis : {0U, 1U, 2U}) {
      const auto all = metrics_of<Real>(grid.axis(static_cast<int>(axis)));
      metrics[axis].assign(all.begin() + first[axis], all.begin() + first[axis] + cells[axis]);
    }
    if (!grid.axis(2).cells.uniform()) {
      lines_along_rows = MetricLines<Real>(metrics[2]);
    }
  }

  [[nodiscard]] const AxisMetric<Real>& metric(std::size_t axis, std::int64_t at) const {
    return metrics[axis][static_cast<std::size_t>(at)];
  }

  [[nodiscard]] double width(std::size_t axis, std::int64_t at) const {
    return grid.axis(static_cast<int>(axis)).width(first[axis] + at);
  }

  /// The stencil at the first point of a row.
  template <class Value, class Metric = Real>
  [[nodiscard]] PointStencil<Real, Value, Metric> stencil_of_row(const FieldSet<Real>& fields,
                                                                 std::int64_t i,
                                                                 std::int64_t j) const {
    return {.here = fields[0].row(i, j),
            .strides = {fields.stride(), layout.plane_pitch(), layout.row_pitch()},
            .axis = {metric_of_pack<Metric>(metric(0, i)), metric_of_pack<Metric>(metric(1, j)),
                     metric_of_pack<Metric>(metric(2, 0))}};
  }

  /// body(cells along rows), which are uniform but where an axis along rows is stretched too.
  template <class Body>
  auto with_cells_along_rows(const Body& body) const {
    return lines_along_rows.exist() ? body(lines_along_rows.cells())
                                    : body(UniformCells<Real>{metric(2, 0)});
  }

  /// Zeros, each row written by the thread that works on it later.
  void touch(FieldSet<Real>& set) const {
    for (int field = 0; field < set.count(); ++field) {
      const FieldView<Real> view = set[field];
      rows.each_own_row([&](std::int64_t i, std::int64_t j) {
        std::fill_n(view.row(i, j), layout.row_pitch(), Real(0));
      });
    }
    std::fill_n(set.data(), set.size(), Real(0));
  }

  /// What sets of fields may take for the last cache to keep much of one, and for it to keep a part
  /// that counts. Which schedule is faster changes there, on two EPYC and on sixteen Xeon cores.
  static constexpr std::int64_t mostly_cached_bytes = 64 * mib;
  static constexpr std::int64_t partly_cached_bytes = 256 * mib;

  /// Whether a set of fields takes more.
  [[nodiscard]] bool is_larger_than(std::int64_t bytes) const {
    return field_set_bytes<Real>(layout, count) > bytes;
  }

  const Grid& grid;  ///< the whole, of which this rank has a block
  Box block;
  std::array<std::int64_t, 3> first;  ///< cell of the block; all other indices are the block's
  Extents n;
  int count;  ///< fields
  Medium<Real> medium;
  WallFaces walls;
  Layout layout;
  CpuExecutor executor;
  TeamRows rows;
  std::array<std::vector<AxisMetric<Real>>, 3> metrics;
  MetricLines<Real> lines_along_rows;
};

/// What a stage reads and writes.
template <class Real>
struct StageOnCpu {
  const FieldSet<Real>& from;  ///< the flow that it starts from
  FieldSet<Real>& to;          ///< and that it leaves
  FieldSet<Real>& tendencies;
  const FieldSet<Real>* sources = nullptr;
  const Real* source_factors = nullptr;  ///< of each field, where there are sources
  ImplicitFactors<Real> factors;         ///< with explicit diffusion those of tendencies alone

  [[nodiscard]] const Real* source_of_row(std::int64_t i, std::int64_t j) const {
    return sources == nullptr ? nullptr : (*sources)[0].row(i, j);
  }
};

}  // namespace bankfull::convection
