#include "bankfull/core/base/bytes.hpp"
#include "bankfull/core/base/stream_store.hpp"
#include "bankfull/core/exec/cpu_executor.hpp"
#include "bankfull/core/field/field_set.hpp"
#include "bankfull/core/field/for_cells.hpp"
#include "bankfull/core/measure/timer.hpp"
#include "bankfull/workloads/convection/boundary.hpp"
#include "bankfull/workloads/convection/cpu/ghost_rows.hpp"
#include "bankfull/workloads/convection/cpu/rows.hpp"
#include "bankfull/workloads/convection/drive.hpp"
#include "bankfull/workloads/convection/flow.hpp"
#include "bankfull/workloads/convection/integrator.hpp"
#include "bankfull/workloads/convection/pressure.hpp"
#include "bankfull/workloads/convection/staged_integrator.hpp"
#include "bankfull/workloads/convection/tally.hpp"

#include <algorithm>
#include <array>

namespace bankfull::convection {
namespace {

/// Size of the three planes of all fields that a block of rows reads.
constexpr std::int64_t block_bytes = mib;

/// The planes and rows that a member of a team works on.
struct Portion {
  Range planes;
  Range rows;
};

/// Inside a parallel region: planes are shared, or rows where there are too few planes.
Portion my_portion(const Extents& n, int threads) {
  if (n.ni >= threads) {
    return {my_share(n.ni), {0, n.nj}};
  }
  return {{0, n.ni}, my_share(n.nj)};
}

/// See StagedIntegrator.
template <class Real>
class CpuBackend {
 public:
  explicit CpuBackend(const Plan& plan)
      : plan_(plan),
        n_(plan_.grid().extents()),
        executor_(plan.problem().threads),
        count_(plan.fields()),
        medium_(medium_of<Real>(plan.problem(), plan.grid())),
        walls_(wall_faces_of(plan_.grid())),
        drive_(drive_of(plan.problem(), plan.grid())),
        layout_(n_, 1, sizeof(Real)),
        sides_{FieldSet<Real>(layout_, count_, Device::cpu()),
               FieldSet<Real>(layout_, count_, Device::cpu())},
        tendencies_(layout_, count_, Device::cpu()),
        pressure_(make_cpu_pressure<Real>(plan, &clock_.next.pace)) {
    for (const int axis : storage_axes) {
      metrics_[static_cast<std::size_t>(axis)] = metrics_of<Real>(plan_.grid().axis(axis));
    }
    if (!plan_.grid().axis(2).cells.uniform()) {
      lines_along_rows_ = MetricLines<Real>(metrics_[2]);
    }
    for (const Continuations& rules : plan_.ghosts()) {
      ghosts_.emplace_back(rules, plan_.grid());
    }
    touch(sides_[0]);
    touch(sides_[1]);
    touch(tendencies_);
    copy_sources();
  }

  void set_factors(int slot, const Stage& stage) {
    slots_[static_cast<std::size_t>(slot)] = {static_cast<Real>(stage.gamma),
                                              static_cast<Real>(stage.zeta), stage.store_tendency};
    times_[static_cast<std::size_t>(slot)] = {clock_.progress.time, clock_.progress.time};
  }
  void use_factors(int slot) { slot_ = static_cast<std::size_t>(slot); }

  void set_rule(const StepRule& rule) { clock_.rule = rule; }
  void restart_clock() {
    clock_.progress = clock_.next = {};
    move_walls(0.0);
  }
  void forget_rates() { clock_.of_flow = clock_.noted = {}; }
  [[nodiscard]] StepState progress() const { return clock_.progress; }

  void choose_step() {
    clock_.choose();
    set_factors_of_next();
  }

  void fill_ghosts_and_end_step(std::size_t to) {
    fill_ghost_rows(sides_[to]);
    clock_.end_step();
    set_factors_of_next();
  }

  void launch(StagePart part, std::size_t to) {
    switch (part) {
      case StagePart::advance:
        set_drive(times_[slot_]);
        advance_fields(sides_[1 - to], sides_[to]);
        break;
      case StagePart::divergence:
        find_divergence(sides_[to]);
        break;
      case StagePart::pressure:
        pressure_->solve();
        break;
      case StagePart::projection:
        project(sides_[to]);
        break;
      case StagePart::ghosts:
        fill_ghost_rows(sides_[to]);
        break;
    }
  }

  template <class LaunchAll>
  void launch_stage(int /*slot*/, std::size_t /*to*/, const LaunchAll& all) {
    all();
  }

  void mark(std::size_t n) { marks_[n] = watch_.seconds(); }
  [[nodiscard]] double seconds_after(std::size_t n) const { return marks_[n + 1] - marks_[n]; }

  void set_fields(const FlowReader& flow, std::size_t side) {
    const std::int64_t planes = planes_of_a_piece(n_);
    std::vector<double> piece(static_cast<std::size_t>(planes * n_.nj * n_.nk));
    for (int field = 0; field < count_; ++field) {
      for (std::int64_t i = 0; i < n_.ni; i += planes) {
        const Box part{i, std::min(i + planes, n_.ni), 0, n_.nj, 0, n_.nk};
        flow.read(field, part, piece.data());
        copy(piece.data(), part, sides_[side][field]);
      }
    }
    std::fill_n(tendencies_.data(), tendencies_.size(), Real(0));
  }

  void read(std::size_t side, int field, const Box& part, double* values) const {
    const FieldView<const Real> view = sides_[side][field];
    for_cells(part, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      *values++ = static_cast<double>(view(i, j, k));
    });
  }

  [[nodiscard]] FlowTally tally_flow(std::size_t side) const {
    const double nu = plan_.problem().viscosity;
    const SourceFactors factors = source_factors_at(drive_, clock_.progress.time);
    return tallied<FlowTally>(
        sides_[side], [&](const PointStencil<Real>& stencil, const Real* source, double part,
                          const WallSides& sides, FlowTally& tally) {
          count(stencil, CellForcing<Real>{nu, source, factors.of}, part, sides, tally);
        });
  }

  [[nodiscard]] ScalarTally tally_scalar(std::size_t side, int scalar) const {
    const double kappa = plan_.problem().scalars[static_cast<std::size_t>(scalar)].diffusivity;
    const SourceFactors factors = source_factors_at(drive_, clock_.progress.time);
    return tallied<ScalarTally>(
        sides_[side], [&](const PointStencil<Real>& stencil, const Real* source, double part,
                          const WallSides& sides, ScalarTally& tally) {
          const CellForcing<Real> forcing{.source = source, .factors = factors.of};
          count(stencil, scalar, kappa, forcing.of(stencil, 3 + scalar), part, sides, tally);
        });
  }

  void scale_pressure(double factor) const {
    const poisson::CellSlots<Real> pressure = pressure_->solution();
    each_row([&](std::int64_t i, std::int64_t j) {
      Real* const row = &pressure(i, j, 0);
      std::transform(row, row + n_.nk, row,
                     [by = static_cast<Real>(factor)](Real value) { return by * value; });
    });
  }

  [[nodiscard]] poisson::Solver<Real>& pressure() const { return *pressure_; }

  void finish() const {}

 private:
  void set_factors_of_next() {
    const Stages stages = stages_of(clock_.rule.scheme, clock_.next.dt, clock_.next.dt_before);
    for (int n = 0; n < stages.count; ++n) {
      const int following = stages.count - 1 - n;
      set_factors(following, stages.at[n]);
      times_[static_cast<std::size_t>(following)] =
          times_of(stages, n, clock_.progress.time, clock_.next.time);
    }
  }

  /// The largest of what body(i, j) returns for all rows, by the team. It may store past the
  /// caches.
  template <class Body>
  double largest_of_rows(const Body& body) const {
    double largest = 0.0;
#pragma omp parallel num_threads(executor_.team().threads()) reduction(max : largest)
    {
      const Portion mine = my_portion(n_, executor_.team().threads());
      for (std::int64_t i = mine.planes.begin; i < mine.planes.end; ++i) {
        for (std::int64_t j = mine.rows.begin; j < mine.rows.end; ++j) {
          largest = larger(static_cast<double>(body(i, j)), largest);
        }
      }
      stream_store_fence();
    }
    return largest;
  }

  /// body(i, j) for all rows, by the team. It may store past the caches.
  template <class Body>
  void each_row(const Body& body) const {
#pragma omp parallel num_threads(executor_.team().threads())
    {
      const Portion mine = my_portion(n_, executor_.team().threads());
      for (std::int64_t i = mine.planes.begin; i < mine.planes.end; ++i) {
        for (std::int64_t j = mine.rows.begin; j < mine.rows.end; ++j) {
          body(i, j);
        }
      }
      stream_store_fence();
    }
  }

  /// Zeros, each row written by the thread that works on it later.
  void touch(FieldSet<Real>& set) const {
    for (int field = 0; field < count_; ++field) {
      const FieldView<Real> view = set[field];
      each_row([&](std::int64_t i, std::int64_t j) {
        std::fill_n(view.row(i, j), layout_.row_pitch(), Real(0));
      });
    }
    std::fill_n(set.data(), set.size(), Real(0));
  }

  /// The values of whole planes, as a FlowReader gives them.
  void copy(const double* values, const Box& part, const FieldView<Real>& field) const {
    executor_.each(part.extents().ni * n_.nj, [&](std::int64_t row) {
      const double* const from = values + row * n_.nk;
      std::transform(from, from + n_.nk, field.row(part.i0 + row / n_.nj, row % n_.nj),
                     [](double value) { return static_cast<Real>(value); });
    });
  }

  void copy_sources() {
    if (!has_sources(plan_.problem())) {
      return;
    }
    const std::vector<std::vector<double>> sources = steady_sources(plan_.problem(), plan_.grid());
    sources_ = std::make_unique<FieldSet<Real>>(layout_, count_, Device::cpu());
    touch(*sources_);
    for (int field = 0; field < count_; ++field) {
      const std::vector<double>& values = sources[static_cast<std::size_t>(field)];
      if (!values.empty()) {
        copy(values.data(), box_of(n_), (*sources_)[field]);
      }
    }
  }

  [[nodiscard]] const AxisMetric<Real>& metric(std::size_t axis, std::int64_t at) const {
    return metrics_[axis][static_cast<std::size_t>(at)];
  }

  /// Of its first point.
  template <class Value, class Metric = Real>
  [[nodiscard]] PointStencil<Real, Value, Metric> stencil_of_row(const FieldSet<Real>& fields,
                                                                 std::int64_t i,
                                                                 std::int64_t j) const {
    return {.here = fields[0].row(i, j),
            .strides = {fields.stride(), layout_.plane_pitch(), layout_.row_pitch()},
            .axis = {metric_of_pack<Metric>(metric(0, i)), metric_of_pack<Metric>(metric(1, j)),
                     metric_of_pack<Metric>(metric(2, 0))}};
  }

  /// body(cells along rows), which are uniform but where an axis along rows is stretched too.
  template <class Body>
  auto with_cells_along_rows(const Body& body) const {
    return lines_along_rows_.exist() ? body(lines_along_rows_.cells())
                                     : body(UniformCells<Real>{metric(2, 0)});
  }

  /// Forces are those at the beginning of a stage, walls those at its end, for the ghosts of the
  /// flow that it leaves: of the flow that it reads they are in place.
  void set_drive(const StageTimes& times) {
    const SourceFactors factors = source_factors_at(drive_, times.begin);
    std::ranges::transform(factors.of, source_factors_.begin(),
                           [](double factor) { return static_cast<Real>(factor); });
    move_walls(times.end);
  }

  void move_walls(double time) {
    for (const VaryingWall& wall : drive_.walls) {
      ghosts_[static_cast<std::size_t>(wall.field)].set_varying(wall.axis, wall.side,
                                                                wall.share * wall.value.at(time));
    }
  }

  void advance_fields(const FieldSet<Real>& from, FieldSet<Real>& to) {
    const std::int64_t row_bytes =
        std::int64_t{3} * count_ * layout_.row_pitch() * static_cast<std::int64_t>(sizeof(Real));
    const std::int64_t block = std::max<std::int64_t>(4, block_bytes / row_bytes);
    double buoyancy = clock_.noted.buoyancy;
#pragma omp parallel num_threads(executor_.team().threads()) reduction(max : buoyancy)
    {
      const Portion mine = my_portion(n_, executor_.team().threads());
      for (std::int64_t j0 = mine.rows.begin; j0 < mine.rows.end; j0 += block) {
        const std::int64_t j1 = std::min(mine.rows.end, j0 + block);
        for (std::int64_t i = mine.planes.begin; i < mine.planes.end; ++i) {
          for (std::int64_t j = j0; j < j1; ++j) {
            buoyancy = larger(static_cast<double>(advance_one_row(from, to, i, j)), buoyancy);
          }
        }
      }
      stream_store_fence();
    }
    clock_.noted.buoyancy = buoyancy;
  }

  /// Returns the row's largest rate of buoyancy.
  Real advance_one_row(const FieldSet<Real>& from, FieldSet<Real>& to, std::int64_t i,
                       std::int64_t j) {
    const Real buoyancy = terms_of(medium_, sources_ != nullptr) == Terms::usual
                              ? advance_terms_of_row<Terms::usual>(from, to, i, j)
                              : advance_terms_of_row<Terms::all>(from, to, i, j);
    if (walls_.holds<0>(i)) {
      std::fill_n(to[0].row(i, j), n_.nk, Real(0));
    }
    if (walls_.holds<1>(j)) {
      std::fill_n(to[1].row(i, j), n_.nk, Real(0));
    }
    if (walls_.holds<2>(0)) {
      to[2](i, j, 0) = Real(0);
    }
    return buoyancy;
  }

  template <Terms Which>
  Real advance_terms_of_row(const FieldSet<Real>& from, FieldSet<Real>& to, std::int64_t i,
                            std::int64_t j) {
    return with_cells_along_rows([&]<class Cells>(const Cells& along) {
      using Metric = typename Cells::Metric;
      const RowToAdvance<Real, Metric> row{
          .stencil = stencil_of_row<Pack<Real>, Metric>(from, i, j),
          .source = sources_ ? (*sources_)[0].row(i, j) : nullptr,
          .source_factor = source_factors_.data(),
          .tendency = tendencies_[0].row(i, j),
          .next = to[0].row(i, j),
          .cells = n_.nk};
      advance_row<Which>(row, along, medium_, slots_[slot_]);
      const CellOnWalls walls = walls_.around<std::int64_t>({i, j, 0}, {n_.ni, n_.nj, n_.nk});
      return largest_buoyancy_rate<Which>(stencil_of_row<Real>(from, i, j), along, medium_, walls,
                                          walls_.walled[2], n_.nk);
    });
  }

  /// Ghosts are not yet in place: upper faces are those of the next cell around, and beyond a wall
  /// lies the ghost, which is zero for good.
  void find_divergence(const FieldSet<Real>& flow) const {
    const poisson::CellSlots<Real> right_side = pressure_->right_side();
    each_row([&](std::int64_t i, std::int64_t j) {
      const std::int64_t next_i = walls_.walled[0] ? i + 1 : (i + 1) % n_.ni;
      const std::int64_t next_j = walls_.walled[1] ? j + 1 : (j + 1) % n_.nj;
      const PointStencil<Real> stencil = stencil_of_row<Real>(flow, i, j);
      const Real* const along = flow[2].row(i, j);
      const RowToDiverge<Real> row{.below = {flow[0].row(i, j), flow[1].row(i, j), along},
                                   .above = {flow[0].row(next_i, j), flow[1].row(i, next_j)},
                                   .last_face = walls_.walled[2] ? Real(0) : along[0],
                                   .per_cell = {stencil.axis[0].per_cell, stencil.axis[1].per_cell},
                                   .cells = n_.nk};
      with_cells_along_rows(
          [&](const auto& cells) { divergence_row(row, cells, &right_side(i, j, 0)); });
    });
  }

  void project(FieldSet<Real>& flow) {
    const poisson::CellSlots<Real> pressure = pressure_->solution();
    const double advection = largest_of_rows([&](std::int64_t i, std::int64_t j) {
      const PointStencil<Real> stencil = stencil_of_row<Real>(flow, i, j);
      const Real* const here = &pressure(i, j, 0);
      if (!walls_.holds<0>(i)) {
        project_row(here, &pressure((i + n_.ni - 1) % n_.ni, j, 0), stencil.axis[0].per_face, n_.nk,
                    flow[0].row(i, j));
      }
      if (!walls_.holds<1>(j)) {
        project_row(here, &pressure(i, (j + n_.nj - 1) % n_.nj, 0), stencil.axis[1].per_face, n_.nk,
                    flow[1].row(i, j));
      }
      with_cells_along_rows([&](const auto& along) {
        project_along_row(here, !walls_.walled[2], along, n_.nk, flow[2].row(i, j));
      });
      for (int field = 0; field < count_; ++field) {
        ghosts_[static_cast<std::size_t>(field)].close(flow[field], i, j);
      }
      return with_cells_along_rows(
          [&](const auto& along) { return largest_advective_rate(stencil, along, n_.nk); });
    });
    clock_.noted.advection = larger(advection, clock_.noted.advection);
  }

  void fill_ghost_rows(FieldSet<Real>& flow) const {
    executor_.each(n_.ni + 2, [&](std::int64_t plane) {
      const std::int64_t i = plane - 1;
      const bool beyond = i < 0 || i == n_.ni;
      for (std::int64_t j = -1; j <= n_.nj; j += beyond ? 1 : n_.nj + 1) {
        for (int field = 0; field < count_; ++field) {
          ghosts_[static_cast<std::size_t>(field)].fill(flow[field], i, j);
        }
      }
    });
  }

  /// Planes are tallied one by one and merged in order, whatever the team.
  template <class AnyTally, class Count>
  [[nodiscard]] AnyTally tallied(const FieldSet<Real>& flow, const Count& count_cell) const {
    std::vector<AnyTally> planes(static_cast<std::size_t>(n_.ni), empty_tally<AnyTally>());
    executor_.each(n_.ni, [&](std::int64_t i) {
      AnyTally& plane = planes[static_cast<std::size_t>(i)];
      for (std::int64_t j = 0; j < n_.nj; ++j) {
        merge(plane, tally_of_row<AnyTally>(flow, i, j, count_cell));
      }
    });
    auto all = empty_tally<AnyTally>();
    for (const AnyTally& plane : planes) {
      merge(all, plane);
    }
    return all;
  }

  template <class AnyTally, class Count>
  [[nodiscard]] AnyTally tally_of_row(const FieldSet<Real>& flow, std::int64_t i, std::int64_t j,
                                      const Count& count_cell) const {
    const Grid& grid = plan_.grid();
    const double box = grid.volume();
    auto tally = empty_tally<AnyTally>();
    const Real* const sources = sources_ ? (*sources_)[0].row(i, j) : nullptr;
    PointStencil<Real> stencil = stencil_of_row<Real>(flow, i, j);
    WallSides sides = sides_of_row(i, j);
    for (std::int64_t k = 0; k < n_.nk; ++k, ++stencil.here) {
      sides.lower[2] = walls_.walled[2] && k == 0;
      sides.upper[2] = walls_.walled[2] && k == n_.nk - 1;
      stencil.axis[2] = metric(2, k);
      const double area = grid.axis(1).width(j) * grid.axis(2).width(k);
      const double part = area * grid.axis(0).width(i) / box;
      count_cell(stencil, sources == nullptr ? nullptr : sources + k, part, sides, tally);
    }
    return tally;
  }

  /// Of its cells, but for the walls at its ends.
  [[nodiscard]] WallSides sides_of_row(std::int64_t i, std::int64_t j) const {
    WallSides sides{
        .lower = {walls_.holds<0>(i), walls_.holds<1>(j), false},
        .upper = {walls_.walled[0] && i == n_.ni - 1, walls_.walled[1] && j == n_.nj - 1, false}};
    for (const int axis : storage_axes) {
      sides.length[axis] = plan_.grid().axis(axis).length();
    }
    return sides;
  }

  const Plan& plan_;
  Extents n_;
  CpuExecutor executor_;
  int count_;
  Medium<Real> medium_;
  WallFaces walls_;
  Drive drive_;
  Layout layout_;
  std::array<FieldSet<Real>, 2> sides_;
  FieldSet<Real> tendencies_;
  std::unique_ptr<FieldSet<Real>> sources_;
  StepClock clock_;
  std::unique_ptr<poisson::Solver<Real>> pressure_;
  std::array<std::vector<AxisMetric<Real>>, 3> metrics_;
  MetricLines<Real> lines_along_rows_;
  std::vector<GhostRows<Real>> ghosts_;
  std::array<StageFactors<Real>, factor_slots> slots_{};
  std::array<StageTimes, factor_slots> times_{};
  std::array<Real, most_fields> source_factors_{};
  std::size_t slot_ = 0;  ///< in use
  Stopwatch watch_;
  std::array<double, stage_parts + 1> marks_{};
};

}  // namespace

std::unique_ptr<Integrator> make_cpu_integrator(const Plan& plan) {
  if (plan.problem().precision == Precision::fp32) {
    return std::make_unique<StagedIntegrator<CpuBackend<float>>>(plan);
  }
  return std::make_unique<StagedIntegrator<CpuBackend<double>>>(plan);
}

}  // namespace bankfull::convection
