#include "bankfull/workloads/convection/traffic.hpp"

#include "bankfull/workloads/convection/boundary.hpp"
#include "bankfull/workloads/convection/cpu/bounded_rows.hpp"
#include "bankfull/workloads/convection/cpu/ghost_rows.hpp"
#include "bankfull/workloads/convection/cpu/implicit_rows.hpp"
#include "bankfull/workloads/convection/cpu/profiles.hpp"
#include "bankfull/workloads/convection/cpu/rows.hpp"
#include "bankfull/workloads/convection/flow.hpp"
#include "tests/counting.hpp"
#include "tests/workloads/convection/cases.hpp"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <vector>

// The model of each part of a stage against what the rows of the CPU, which share their point
// functions with the other schedules, read, write and compute.
namespace bankfull::convection {
namespace {

using Value = counting::Counted<double>;
using Values = counting::Array<Value>;

/// CentreLines.
struct CountedCentres {
  const Value* along[3];
};

/// A flow whose fields count. Ghosts are left out but where they are what a part is about.
class CountedFlow {
 public:
  explicit CountedFlow(const Problem& problem)
      : problem_(problem),
        grid_(problem.axes),
        n_(grid_.extents()),
        layout_(n_, 1, sizeof(double)),
        count_(3 + static_cast<int>(problem.scalars.size())),
        medium_(medium_of<Value>(problem, grid_)),
        walls_(wall_faces_of(grid_)),
        continuations_(continuations_of(problem, grid_)),
        fields_(count_ * layout_.size()),
        next_(count_ * layout_.size()),
        tendencies_(count_ * layout_.size()),
        sources_(count_ * layout_.size()),
        pressure_(layout_.size()),
        kept_pressure_(layout_.size()),
        carried_(count_ * layout_.size()),
        kept_fluxes_(3 * layout_.size()),
        fluxes_(3 * layout_.size()),
        limiter_ratios_(2 * layout_.size()),
        factors_(static_cast<std::size_t>(count_)) {
    for (std::int64_t n = 0; n < count_ * layout_.size(); ++n) {
      carried_.leave_out(n);  // a plane that stays in the caches
    }
    for (const int axis : storage_axes) {
      metrics_[static_cast<std::size_t>(axis)] = metrics_of<Value>(grid_.axis(axis));
    }
    if (!grid_.axis(2).cells.uniform()) {
      lines_along_rows_ = MetricLines<Value>(metrics_[2]);
    }
  }

  Traffic advance() {
    leave_out_ghosts();
    const auto sources = steady_sources(problem_, grid_);
    const bool has_sources =
        std::any_of(sources.begin(), sources.end(), [](const auto& s) { return !s.empty(); });
    const bool usual = terms_of(medium_, has_sources) == Terms::usual;
    return each_row([&](std::int64_t i, std::int64_t j, const auto& along) {
      usual ? advance_row_of<Terms::usual>(i, j, along, has_sources)
            : advance_row_of<Terms::all>(i, j, along, has_sources);
    });
  }

  /// The three passes over one bounded scalar.
  Traffic correct() {
    leave_out_ghosts();
    const auto pass = [&](const auto& body) {
      return each_row([&](std::int64_t i, std::int64_t j, const auto& along) {
        body(bounded_row(i, j), along, i, j);
      });
    };
    return pass([&](const auto& row, const auto& along, std::int64_t i, std::int64_t j) {
             find_antidiffusion_rows(row, along, i == n_.ni - 1, j == n_.nj - 1);
           }) +
           pass([](const auto& row, const auto& along, std::int64_t /*i*/, std::int64_t /*j*/) {
             find_limiter_ratios_row(row, along);
           }) +
           pass([](const auto& row, const auto& along, std::int64_t /*i*/, std::int64_t /*j*/) {
             correct_row(row, along);
           });
  }

  Traffic exchange() {
    leave_out_ghosts();
    const std::vector<Value> diffusion(static_cast<std::size_t>(n_.nk), Value(1));
    return each_row([&](std::int64_t i, std::int64_t j, const auto& along) {
      const UpperVelocities<Value> upper{at(fields_, 0, i + 1, j), at(fields_, 1, i, j + 1)};
      largest_exchange_rate(near<Value>(i, j), along, upper, Value(1), diffusion.data(), n_.nk);
    });
  }

  /// The way up, with planes as the only implicit axis or with several; then lines within planes.
  Traffic advance_implicitly() {
    leave_out_ghosts();
    const auto sources = steady_sources(problem_, grid_);
    const bool has_sources =
        std::any_of(sources.begin(), sources.end(), [](const auto& s) { return !s.empty(); });
    const bool usual = terms_of(medium_, has_sources) == Terms::usual;
    const Traffic up = each_row([&](std::int64_t i, std::int64_t j, const auto& along) {
      usual ? eliminate_row_of<Terms::usual>(i, j, along, has_sources)
            : eliminate_row_of<Terms::all>(i, j, along, has_sources);
      for (const std::int64_t wall : {std::int64_t{0}, n_.ni - 1}) {
        for (int field = 1; for_values() && i == wall && field < count_; ++field) {
          add_wall_to_row<Value>(at(fields_, field, i, j),
                                 at(fields_, field, i == 0 ? -1 : i + 1, j), Value(1), Value(1),
                                 n_.nk, at(carried_, field, 0, j));
        }
      }
    });
    const Traffic within = counting::traffic_of([&] {
      for (std::int64_t i = 0; i < n_.ni; ++i) {
        for (int field = 0; field < count_; ++field) {
          solve_within_plane(i, field);
        }
      }
    });
    return up + within;
  }

  Traffic substitute_and_diverge() {
    leave_out_ghosts();
    const auto step = [&] {
      for (std::int64_t i = n_.ni - 1; i >= 0; --i) {
        each_row_of_plane([&](std::int64_t j) {
          for (int field = 0; field < count_ && i + 1 < n_.ni; ++field) {
            substitute_row(Value(1), static_cast<const Value*>(at(next_, field, i + 1, j)), n_.nk,
                           at(next_, field, i, j));
          }
        });
      }
      for (std::int64_t i = 0; i < n_.ni && !for_values(); ++i) {
        each_row_of_plane([&](std::int64_t j) {
          for (int field = 0; field < count_; ++field) {
            add_row(static_cast<const Value*>(at(fields_, field, i, j)), n_.nk,
                    at(next_, field, i, j));
          }
        });
      }
      diverge_rows(next_);
    };
    return counting::traffic_of(step);
  }

  Traffic keep_pressure() {
    return each_row([&](std::int64_t i, std::int64_t j, const auto& along) {
      const Value* const here = at(pressure_, 0, i, j);
      const RowOfPotential<Value> row{
          .here = here, .below = {here, here}, .above = {here, here}, .cells = n_.nk};
      for_values() ? keep_pressure_across_planes<Value>(row, {}, at(kept_pressure_, 0, i, j))
                   : keep_pressure_row<Value>(row, along, {}, at(kept_pressure_, 0, i, j));
    });
  }

  Traffic divergence() {
    leave_out_ghosts();
    return counting::traffic_of([&] { diverge_rows(fields_); });
  }

  /// With the ghosts at the ends of rows.
  Traffic projection() {
    return each_row([&](std::int64_t i, std::int64_t j, const auto& along) {
      const PointStencil<Value> here = near<Value>(i, j);
      RowToProject<Value> row{
          .pressure = at(pressure_, 0, i, j),
          .before = *at(pressure_, 0, i, j),
          .first_face = walls_.walled[2] ? 1 : 0,
          .velocity = {at(fields_, 0, i, j), at(fields_, 1, i, j), at(fields_, 2, i, j)},
          .axis = {here.axis[0], here.axis[1]},
          .cells = n_.nk};
      if (!walls_.holds<0>(i)) {
        row.below[0] = at(pressure_, 0, (i + n_.ni - 1) % n_.ni, j);
      }
      if (!walls_.holds<1>(j)) {
        row.below[1] = at(pressure_, 0, i, (j + n_.nj - 1) % n_.nj);
      }
      project_row(row, along);
      for (int field = 0; field < count_; ++field) {
        ghost_rows(field).stream_ends(view(field), i, j);
      }
    });
  }

  /// Those that the CPU fills after the projection.
  Traffic ghosts_beyond_rows() {
    return counting::traffic_of([&] {
      for (std::int64_t i = -1; i <= n_.ni; ++i) {
        for (std::int64_t j = -1; j <= n_.nj; ++j) {
          for (int field = 0; field < count_; ++field) {
            if (i < 0 || i == n_.ni || j < 0 || j == n_.nj) {
              ghost_rows(field).fill(view(field), i, j);
            }
          }
        }
      }
    });
  }

  /// The passes of a sample for profiles across an axis, over the velocities and over each scalar.
  template <int P>
  Traffic profile_sample() {
    leave_out_ghosts();
    std::vector<double> sums(static_cast<std::size_t>(sums_of_velocity * n_.nk));
    const ProfileLines lines{sums.data(), n_.nk};
    Traffic all = each_row([&](std::int64_t i, std::int64_t j, const auto& along) {
      add_velocity_row<P>(near<Value>(i, j), along, n_.nk, 1.0, {}, lines);
    });
    for (int scalar = 0; scalar < count_ - 3; ++scalar) {
      all = all + each_row([&](std::int64_t i, std::int64_t j, const auto& along) {
              add_scalar_row<P>(near<Value>(i, j), along, n_.nk, scalar, 1.0, {}, lines);
            });
    }
    return all;
  }

  /// By their definition, which GPUs evaluate.
  Traffic all_ghosts() {
    const std::int64_t cells[3] = {n_.ni, n_.nj, n_.nk};
    std::array<std::vector<Value>, 3> lines;
    for (const int axis : storage_axes) {
      const std::vector<double>& centres = grid_.axis(axis).centres;
      lines[static_cast<std::size_t>(axis)].assign(centres.begin(), centres.end());
    }
    const CountedCentres centres{{lines[0].data(), lines[1].data(), lines[2].data()}};
    return counting::traffic_of([&] {
      for (int field = 0; field < count_; ++field) {
        const FieldView<Value> values = view(field);
        each_ghost([&](std::int64_t i, std::int64_t j, std::int64_t k) {
          const std::int64_t index[3] = {i, j, k};
          values(i, j, k) = continued(continuations_[static_cast<std::size_t>(field)], centres,
                                      cells, index, values);
        });
      }
    });
  }

  [[nodiscard]] bool for_values() const { return implicit(0) && !implicit(1) && !implicit(2); }

 private:
  [[nodiscard]] bool implicit(int axis) const {
    return problem_.implicit_along()[static_cast<std::size_t>(grid_.physical(axis))];
  }

  [[nodiscard]] BoundedRow<Value> bounded_row(std::int64_t i, std::int64_t j) {
    return {.stencil = near<Value>(i, j),
            .diffusivity = Value(1),
            .stage = {Value(1), Value(-0.5), true},
            .beside = walls_.around<std::int64_t>({i, j, 0}, {n_.ni, n_.nj, n_.nk}),
            .walled = walls_.walled[2],
            .kept = at(kept_fluxes_, 0, i, j),
            .flux = at(fluxes_, 0, i, j),
            .limiter_ratios = at(limiter_ratios_, 0, i, j),
            .next = at(next_, 3, i, j),
            .cells = n_.nk};
  }

  template <class Body>
  void each_row_of_plane(const Body& body) const {
    for (std::int64_t j = 0; j < n_.nj; ++j) {
      body(j);
    }
  }

  void solve_within_plane(std::int64_t i, int field) {
    const LineFactors<Value>& factors = factors_.front();
    for (std::int64_t j = 0; implicit(1) && j < n_.nj; ++j) {
      eliminate_across(factors, static_cast<const Value*>(at(next_, field, i, j - (j > 0))), n_.nk,
                       at(next_, field, i, j));
    }
    for (std::int64_t j = n_.nj - 2; implicit(1) && j >= 0; --j) {
      substitute_row(Value(1), static_cast<const Value*>(at(next_, field, i, j + 1)), n_.nk,
                     at(next_, field, i, j));
    }
    for (std::int64_t j = 0; implicit(2) && j < n_.nj; ++j) {
      solve_along_rows<1>(&factors, 0, n_.nk, at(next_, field, i, j), 0);
    }
  }

  void diverge_rows(Values& flow) {
    for (std::int64_t i = 0; i < n_.ni; ++i) {
      each_row_of_plane([&](std::int64_t j) {
        with_cells_along_rows([&](const auto& along) { diverge_row(flow, i, j, along); });
      });
    }
  }

  template <class Cells>
  void diverge_row(Values& flow, std::int64_t i, std::int64_t j, const Cells& along_row) {
    const auto after = [](std::int64_t n, std::int64_t cells, bool walled) {
      return walled ? n + 1 : (n + 1) % cells;
    };
    const Value* const along = at(flow, 2, i, j);
    const PointStencil<Value> here = near<Value>(i, j);
    const RowToDiverge<Value> row{.below = {at(flow, 0, i, j), at(flow, 1, i, j), along},
                                  .above = {at(flow, 0, after(i, n_.ni, walls_.walled[0]), j),
                                            at(flow, 1, i, after(j, n_.nj, walls_.walled[1]))},
                                  .last_face = walls_.walled[2] ? Value(0) : along[0],
                                  .per_cell = {here.axis[0].per_cell, here.axis[1].per_cell},
                                  .cells = n_.nk};
    divergence_row(row, along_row, at(pressure_, 0, i, j));
  }

  template <Terms Which, class Cells>
  void eliminate_row_of(std::int64_t i, std::int64_t j, const Cells& along, bool has_sources) {
    using Metric = typename Cells::Metric;
    const RowToEliminate<Value, Metric> row{
        .advance = {.stencil = near<Pack<Value>, Metric>(i, j),
                    .source = has_sources ? at(sources_, 0, i, j) : nullptr,
                    .source_factor = source_factors_.data(),
                    .tendency = at(tendencies_, 0, i, j),
                    .next = at(next_, 0, i, j),
                    .cells = n_.nk},
        .carried = at(carried_, 0, 0, j),
        .carried_stride = layout_.size(),
        .lines = factors_.data(),
        .pressure = at(kept_pressure_, 0, i, j),
        .pressure_below = {at(kept_pressure_, 0, (i + n_.ni - 1) % n_.ni, j),
                           at(kept_pressure_, 0, i, (j + n_.nj - 1) % n_.nj)}};
    const ImplicitFactors<Value> stage{.tendencies = {1.5, -0.5, true}};
    for_values() ? eliminate_row<Which, Diffusion::within_planes>(row, along, medium_, stage)
                 : eliminate_row<Which, Diffusion::explicit_axes>(row, along, medium_, stage);
    largest_buoyancy_rate(rates_of_row<Which>(i, j, along));
  }

  template <Terms Which, class Cells>
  RatesOfRow<Which, Value, Cells> rates_of_row(std::int64_t i, std::int64_t j, const Cells& along) {
    return {near<Value>(i, j), along, medium_, walls_of_row(), n_.nk};
  }

  [[nodiscard]] RowWalls walls_of_row() const { return {.walled = walls_.walled[2]}; }

  template <class Body>
  void with_cells_along_rows(const Body& body) const {
    lines_along_rows_.exist() ? body(lines_along_rows_.cells())
                              : body(UniformCells<Value>{metrics_[2].front()});
  }

  template <class Body>
  void each_ghost(const Body& body) const {
    for (std::int64_t i = -1; i <= n_.ni; ++i) {
      for (std::int64_t j = -1; j <= n_.nj; ++j) {
        for (std::int64_t k = -1; k <= n_.nk; ++k) {
          if (i < 0 || i == n_.ni || j < 0 || j == n_.nj || k < 0 || k == n_.nk) {
            body(i, j, k);
          }
        }
      }
    }
  }

  void leave_out_ghosts() {
    each_ghost([&](std::int64_t i, std::int64_t j, std::int64_t k) {
      const std::int64_t ghost = layout_.origin() + layout_.offset(i, j, k);
      for (int field = 0; field < count_; ++field) {
        fields_.leave_out(field * layout_.size() + ghost);
        next_.leave_out(field * layout_.size() + ghost);
      }
      kept_pressure_.leave_out(ghost);
      for (int field = 0; field < 3; ++field) {
        kept_fluxes_.leave_out(field * layout_.size() + ghost);
        fluxes_.leave_out(field * layout_.size() + ghost);
      }
      for (int field = 0; field < 2; ++field) {
        limiter_ratios_.leave_out(field * layout_.size() + ghost);
      }
    });
  }

  /// body(i, j, cells along the row) for all rows.
  template <class Body>
  Traffic each_row(const Body& body) const {
    return counting::traffic_of([&] {
      for (std::int64_t i = 0; i < n_.ni; ++i) {
        for (std::int64_t j = 0; j < n_.nj; ++j) {
          lines_along_rows_.exist() ? body(i, j, lines_along_rows_.cells())
                                    : body(i, j, UniformCells<Value>{metrics_[2].front()});
        }
      }
    });
  }

  template <Terms Which, class Cells>
  void advance_row_of(std::int64_t i, std::int64_t j, const Cells& along, bool has_sources) {
    using Metric = typename Cells::Metric;
    const RowToAdvance<Value, Metric> row{.stencil = near<Pack<Value>, Metric>(i, j),
                                          .source = has_sources ? at(sources_, 0, i, j) : nullptr,
                                          .source_factor = source_factors_.data(),
                                          .tendency = at(tendencies_, 0, i, j),
                                          .next = at(next_, 0, i, j),
                                          .cells = n_.nk};
    advance_row<Which>(row, along, medium_, StageFactors<Value>{1.5, -0.5, true}, walls_of_row());
    largest_buoyancy_rate_of_ends(rates_of_row<Which>(i, j, along));
  }

  /// Cell (i, j, 0) of a field.
  Value* at(Values& values, int field, std::int64_t i, std::int64_t j) const {
    return values.data() + field * layout_.size() + layout_.origin() + layout_.offset(i, j, 0);
  }

  FieldView<Value> view(int field) {
    return {at(fields_, field, 0, 0), layout_.row_pitch(), layout_.plane_pitch(),
            grown(box_of(n_), 1)};
  }

  [[nodiscard]] GhostRows<Value> ghost_rows(int field) const {
    return {continuations_[static_cast<std::size_t>(field)], grid_};
  }

  template <class Some, class Metric = Value>
  PointStencil<Value, Some, Metric> near(std::int64_t i, std::int64_t j) {
    const auto metric = [&](std::size_t axis, std::int64_t n) {
      return metric_of_pack<Metric>(metrics_[axis][static_cast<std::size_t>(n)]);
    };
    return {.here = at(fields_, 0, i, j),
            .strides = {layout_.size(), layout_.plane_pitch(), layout_.row_pitch()},
            .axis = {metric(0, i), metric(1, j), metric(2, 0)}};
  }

  Problem problem_;
  Grid grid_;
  Extents n_;
  Layout layout_;
  int count_;
  Medium<Value> medium_;
  WallFaces walls_;
  std::vector<Continuations> continuations_;
  std::array<std::vector<AxisMetric<Value>>, 3> metrics_;
  MetricLines<Value> lines_along_rows_;
  Values fields_;
  Values next_;
  Values tendencies_;
  Values sources_;
  std::array<Value, 3 + max_scalars> source_factors_{};
  Values pressure_;
  Values kept_pressure_;
  Values carried_;
  Values kept_fluxes_;
  Values fluxes_;
  Values limiter_ratios_;
  std::vector<LineFactors<Value>> factors_;  ///< of all fields at any place
};

Traffic declared_of(const Problem& problem, StagePart part) {
  return stage_traffic(Plan(problem, CeilingRule::none), {})[static_cast<std::size_t>(part)];
}

/// Every combination of walls, scalars, rotation and sources.
class ConvectionTraffic : public testing::TestWithParam<Case> {
 protected:
  [[nodiscard]] const Problem& problem() const { return GetParam().problem; }
};

TEST_P(ConvectionTraffic, AdvanceIsAsCounted) {
  counting::expect_equal(declared_of(problem(), StagePart::advance),
                         CountedFlow(problem()).advance());
}

TEST_P(ConvectionTraffic, DivergenceIsAsCounted) {
  counting::expect_equal(declared_of(problem(), StagePart::divergence),
                         CountedFlow(problem()).divergence());
}

TEST_P(ConvectionTraffic, ProjectionAndGhostsAreAsCounted) {
  const Traffic ghosts = CountedFlow(problem()).all_ghosts();
  Problem on_gpu = problem();
  on_gpu.device = Device::cuda(0);
  counting::expect_equal(declared_of(on_gpu, StagePart::ghosts), ghosts);

  // Rows of ghosts are computed with plain numbers.
  const Traffic projected = CountedFlow(problem()).projection();
  const Traffic filled = CountedFlow(problem()).ghosts_beyond_rows();
  const Traffic projection = declared_of(problem(), StagePart::projection);
  const Traffic filling = declared_of(problem(), StagePart::ghosts);
  EXPECT_EQ(projection.bytes_read, projected.bytes_read);
  EXPECT_EQ(projection.bytes_written, projected.bytes_written);
  EXPECT_EQ(filling.bytes_read, filled.bytes_read);
  EXPECT_EQ(filling.bytes_written, filled.bytes_written);
  EXPECT_EQ(projection.flops + filling.flops, projected.flops + ghosts.flops);
}

class BoundedTraffic : public testing::TestWithParam<Case> {};

/// Beside what the same flow without bounded scalars does.
TEST_P(BoundedTraffic, IsAsCounted) {
  Problem problem = GetParam().problem;
  for (Scalar& scalar : problem.scalars) {
    scalar.advection = Advection::centred;
  }
  Problem bounded = problem;
  bounded.scalars.back().advection = Advection::bounded;
  CountedFlow flow(bounded);
  counting::expect_equal(declared_of(bounded, StagePart::advance),
                         declared_of(problem, StagePart::advance) + flow.correct());
  counting::expect_equal(declared_of(bounded, StagePart::projection),
                         declared_of(problem, StagePart::projection) + flow.exchange());
  const Traffic one = declared_of(bounded, StagePart::advance);
  bounded.scalars.push_back(bounded.scalars.back());
  EXPECT_GE(declared_of(bounded, StagePart::advance).bytes() - one.bytes(),
            30.0 * sizeof(double) * static_cast<double>(problem.cells()));
}

INSTANTIATE_TEST_SUITE_P(Cases, BoundedTraffic, testing::ValuesIn(bounded_cases(cases())),
                         case_name);

/// What is computed with plain numbers is not counted, and sums stay in the caches.
TEST_P(ConvectionTraffic, OfASampleIsAsCounted) {
  const Plan plan(GetParam().problem);
  CountedFlow flow(GetParam().problem);
  for (const Traffic& counted :
       {flow.profile_sample<0>(), flow.profile_sample<1>(), flow.profile_sample<2>()}) {
    EXPECT_EQ(sample_traffic(plan).bytes_read, counted.bytes_read);
    EXPECT_EQ(sample_traffic(plan).bytes_written, counted.bytes_written);
  }
}

class ImplicitTraffic : public testing::TestWithParam<Case> {};

TEST_P(ImplicitTraffic, IsAsCounted) {
  for (const auto implicit : {ImplicitDiffusion::stretched, ImplicitDiffusion::walls}) {
    Problem problem = GetParam().problem;
    const Traffic projection = declared_of(problem, StagePart::projection);
    problem.implicit_diffusion = implicit;
    if (!problem.implicit_anywhere()) {
      continue;
    }
    CountedFlow flow(problem);
    counting::expect_equal(declared_of(problem, StagePart::advance), flow.advance_implicitly());
    counting::expect_equal(declared_of(problem, StagePart::divergence),
                           flow.substitute_and_diverge());
    // Beside what the explicit projection does, which reads the potential already.
    const Traffic kept = flow.keep_pressure();
    const Traffic with = declared_of(problem, StagePart::projection);
    EXPECT_EQ(with.bytes() - projection.bytes(),
              kept.bytes() - static_cast<double>(problem.cells()) * sizeof(double));
    EXPECT_EQ(with.flops - projection.flops, kept.flops);
  }
}

/// A GPU solves lines within planes by a pass for each axis, a CPU by one for both.
TEST_P(ImplicitTraffic, OnAGpuHasAPassForEachAxisWithinPlanes) {
  Problem problem = GetParam().problem;
  problem.implicit_diffusion = ImplicitDiffusion::walls;
  if (!problem.implicit_anywhere()) {
    return;
  }
  const Grid grid(problem.axes);
  const std::array<bool, 3> along = problem.implicit_along();
  const auto implicit = [&](int axis) {
    return along[static_cast<std::size_t>(grid.physical(axis))];
  };
  const double more = implicit(1) && implicit(2) ? 1.0 : 0.0;
  const Traffic on_cpu = declared_of(problem, StagePart::advance);
  problem.device = Device::cuda(0);
  const Traffic on_gpu = declared_of(problem, StagePart::advance);
  const double pass = static_cast<double>(problem.cells()) * sizeof(double) *
                      static_cast<double>(3 + problem.scalars.size());
  EXPECT_EQ(on_gpu.bytes_read - on_cpu.bytes_read, more * pass);
  EXPECT_EQ(on_gpu.bytes_written - on_cpu.bytes_written, more * pass);
}

INSTANTIATE_TEST_SUITE_P(Cases, ImplicitTraffic, testing::ValuesIn(cases()), case_name);

INSTANTIATE_TEST_SUITE_P(Cases, ConvectionTraffic, testing::ValuesIn(cases()), case_name);

}  // namespace
}  // namespace bankfull::convection
