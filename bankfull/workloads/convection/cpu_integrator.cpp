#include "bankfull/core/base/bytes.hpp"
#include "bankfull/core/base/stream_store.hpp"
#include "bankfull/core/exec/cpu_executor.hpp"
#include "bankfull/core/field/field_set.hpp"
#include "bankfull/core/field/for_cells.hpp"
#include "bankfull/core/measure/timer.hpp"
#include "bankfull/workloads/convection/boundary.hpp"
#include "bankfull/workloads/convection/cpu/bounded.hpp"
#include "bankfull/workloads/convection/cpu/ghost_rows.hpp"
#include "bankfull/workloads/convection/cpu/implicit_rows.hpp"
#include "bankfull/workloads/convection/cpu/rows.hpp"
#include "bankfull/workloads/convection/drive.hpp"
#include "bankfull/workloads/convection/flow.hpp"
#include "bankfull/workloads/convection/implicit_lines.hpp"
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

/// Whole columns of cells along the planes: those of some rows, and of a part of each row.
struct Columns {
  Range rows;
  Range cells;
};

/// Inside a parallel region: rows are shared, or parts of rows where there are too few. Parts begin
/// with a cache line.
Columns my_columns(const Extents& n, int threads, std::int64_t cells_a_line) {
  if (n.nj >= threads) {
    return {my_share(n.nj), {0, n.nk}};
  }
  const Range lines = my_share((n.nk + cells_a_line - 1) / cells_a_line);
  return {{0, n.nj},
          {std::min(n.nk, lines.begin * cells_a_line), std::min(n.nk, lines.end * cells_a_line)}};
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
        pressure_(make_cpu_pressure<Real>(plan, &clock_.next.weight)),
        lines_(factor_slots, ImplicitLines<Real>(plan.problem(), plan.grid())),
        bounded_(plan_, executor_) {
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
    if (keeps_pressure()) {
      kept_pressure_ = std::make_unique<FieldSet<Real>>(layout_, 1, Device::cpu());
      carried_ = std::make_unique<FieldSet<Real>>(Layout({1, n_.nj, n_.nk}, 1, sizeof(Real)),
                                                  count_, Device::cpu());
      std::fill_n(carried_->data(), carried_->size(), Real(0));
      forget_kept_pressure();
    }
  }

  void set_factors(int slot, const Stage& stage) {
    const auto n = static_cast<std::size_t>(slot);
    slots_[n] = implicit_factors_of<Real>(stage, plan_.problem().viscosity, lines_[n].for_values());
    if (keeps_pressure()) {
      lines_[n].form(stage.implicit_time());
    }
    times_[n] = {clock_.progress.time, clock_.progress.time};
  }
  void use_factors(int slot) { slot_ = static_cast<std::size_t>(slot); }

  void set_rule(const StepRule& rule) { clock_.rule = rule; }
  void restart_clock() {
    clock_.progress = clock_.next = {};
    move_walls(0.0);
  }
  void forget_rates() { clock_.of_flow = clock_.noted = {}; }
  [[nodiscard]] bool keeps_pressure() const { return lines_.front().any(); }
  void forget_kept_pressure() {
    std::fill_n(kept_pressure_->data(), kept_pressure_->size(), Real(0));
  }
  [[nodiscard]] StepState progress() const { return clock_.progress; }

  [[nodiscard]] const StepClock& clock() const { return clock_; }
  void set_clock(const StepClock& clock) {
    const StepRule rule = clock_.rule;
    clock_ = clock;
    clock_.rule = rule;
    move_walls(clock_.progress.time);
  }

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
        solving_ = keeps_pressure();
        keeps_pressure() ? advance_implicitly(sides_[1 - to], sides_[to])
                         : advance_fields(sides_[1 - to], sides_[to]);
        bounded_.correct(sides_[1 - to], sides_[to], slots_[slot_].tendencies);
        break;
      case StagePart::divergence:
        solving_ ? substitute_and_diverge(sides_[1 - to], sides_[to]) : find_divergence(sides_[to]);
        solving_ = false;
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
    solving_ = false;
    for (int field = 0; field < count_; ++field) {
      copy_pieces([&](const Box& part, double* values) { flow.read(field, part, values); }, n_,
                  sides_[side][field]);
    }
    std::fill_n(tendencies_.data(), tendencies_.size(), Real(0));
    bounded_.restart();
  }

  void read(std::size_t side, int field, const Box& part, double* values) const {
    const FieldView<const Real> view = sides_[side][field];
    for_cells(part, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      *values++ = static_cast<double>(view(i, j, k));
    });
  }

  void read_kept(Kept what, std::size_t side, int field, const Box& part, double* values) const {
    with_kept(*this, what, side, field, [&](const auto& view) {
      for_cells(part, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
        *values++ = static_cast<double>(view(i, j, k));
      });
    });
  }

  void set_kept(Kept what, std::size_t side, int field, const CellReader& from) {
    const Extents cells = extents_of_kept(plan_.grid(), what, field);
    with_kept(*this, what, side, field, [&](const auto& view) { copy_pieces(from, cells, view); });
    for (std::int64_t i = 0; what == Kept::pressure && i < n_.ni; ++i) {
      for (std::int64_t j = 0; j < n_.nj; ++j) {
        close_row_of_pressure(i, j);
      }
    }
  }

  void fill_ghosts(std::size_t side) {
    each_row([&](std::int64_t i, std::int64_t j) { close_rows(sides_[side], i, j); });
    fill_ghost_rows(sides_[side]);
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

  [[nodiscard]] double corrected_variance(int scalar) const {
    return bounded_.corrected_variance(scalar);
  }

  void set_corrected_variance(int scalar, double value) {
    bounded_.set_corrected_variance(scalar, value);
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

  /// body(view) of what is kept: view(i, j, k) are cells, contiguous along k.
  template <class Self, class Body>
  static void with_kept(Self& self, Kept what, std::size_t side, int field, const Body& body) {
    switch (what) {
      case Kept::flow:
        return body(self.sides_[side][field]);
      case Kept::tendency:
        return body(self.tendencies_[field]);
      case Kept::pressure:
        return body((*self.kept_pressure_)[0]);
      case Kept::potential:
        return body(self.pressure_->solution());
      case Kept::flux:
        return body(self.bounded_.kept_flux(field));
    }
  }

  /// All cells, some planes at a time.
  template <class View>
  void copy_pieces(const CellReader& from, const Extents& n, const View& to) const {
    const std::int64_t planes = planes_of_a_piece(n);
    std::vector<double> piece(static_cast<std::size_t>(planes * n.nj * n.nk));
    for (std::int64_t i = 0; i < n.ni; i += planes) {
      const Box part{i, std::min(i + planes, n.ni), 0, n.nj, 0, n.nk};
      from(part, piece.data());
      copy(piece.data(), part, to);
    }
  }

  /// The values of whole planes, as a FlowReader gives them.
  template <class View>
  void copy(const double* values, const Box& part, const View& field) const {
    const Extents n = part.extents();
    executor_.each(n.ni * n.nj, [&](std::int64_t row) {
      const double* const from = values + row * n.nk;
      std::transform(from, from + n.nk, &field(part.i0 + row / n.nj, row % n.nj, 0),
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
    if (keeps_pressure() && !drive_.walls.empty()) {
      wall_changes_ = lines().wall_changes(drive_.walls, times);
    }
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
    stop_at_walls(to, i, j, {0, n_.nk});
    return buoyancy;
  }

  /// Velocities on walls are zero.
  void stop_at_walls(FieldSet<Real>& to, std::int64_t i, std::int64_t j, const Range& cells) const {
    for (int field = 0; field < 3; ++field) {
      stop_at_wall(field, i, j, cells, to[field].row(i, j));
    }
  }

  void stop_at_wall(int field, std::int64_t i, std::int64_t j, const Range& cells,
                    Real* row) const {
    const bool whole = (field == 0 && walls_.holds<0>(i)) || (field == 1 && walls_.holds<1>(j));
    if (whole) {
      std::fill_n(row + cells.begin, cells.end - cells.begin, Real(0));
    } else if (field == 2 && walls_.holds<2>(cells.begin)) {
      row[0] = Real(0);
    }
  }

  [[nodiscard]] const ImplicitLines<Real>& lines() const { return lines_[slot_]; }

  /// A stage with implicit diffusion: columns are eliminated as the right side is formed, plane by
  /// plane, then lines within the planes are solved, then columns the way down.
  void advance_implicitly(const FieldSet<Real>& from, FieldSet<Real>& to) {
    const double buoyancy = each_block_of_columns([&](const Columns& block) {
      double largest = 0.0;
      for (std::int64_t i = 0; i < n_.ni; ++i) {
        for (std::int64_t j = block.rows.begin; j < block.rows.end; ++j) {
          const Real rate = eliminate_one_row(from, to, i, j, block.cells);
          largest = larger(static_cast<double>(rate), largest);
        }
      }
      return largest;
    });
    clock_.noted.buoyancy = larger(buoyancy, clock_.noted.buoyancy);
    if (!lines().for_values()) {
      solve_within_planes(to);
    }
  }

  /// The rest of it: columns the way down, and the divergence of planes as they come out of that.
  void substitute_and_diverge(const FieldSet<Real>& from, FieldSet<Real>& to) const {
    const int lag = lines().for_values() ? 0 : 1;  // of planes whose values follow from changes
    each_block_of_columns([&](const Columns& block) {
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
            diverge_one_row(to, done, j - 1);
          }
        }
      }
      return 0.0;
    });
    each_block_of_columns([&](const Columns& block) {
      for (std::int64_t j = block.rows.begin; j < block.rows.end; ++j) {
        for (std::int64_t i = 0; !holds_row_above(block, j) && i < n_.ni; ++i) {
          if (block.cells.begin == 0) {  // whole rows
            diverge_one_row(to, i, j);
          }
        }
      }
      return 0.0;
    });
  }

  /// Whether a block has all that the divergence of its row j follows from as it goes down.
  [[nodiscard]] bool holds_row_above(const Columns& block, std::int64_t j) const {
    const bool whole = walls_.walled[0] && block.cells.end - block.cells.begin == n_.nk;
    return whole && (j + 1 < block.rows.end || (walls_.walled[1] && j + 1 == n_.nj));
  }

  /// The largest of what body(columns) returns, by the team: as many rows at a time as have three
  /// planes of all fields in a core's cache. It may store past the caches.
  template <class Body>
  double each_block_of_columns(const Body& body) const {
    double largest = 0.0;
    const std::int64_t row_bytes =
        std::int64_t{3} * count_ * layout_.row_pitch() * static_cast<std::int64_t>(sizeof(Real));
    const std::int64_t block = std::max<std::int64_t>(4, block_bytes / row_bytes);
    const std::int64_t cells_a_line = cache_line_bytes / static_cast<std::int64_t>(sizeof(Real));
#pragma omp parallel num_threads(executor_.team().threads()) reduction(max : largest)
    {
      const Columns mine = my_columns(n_, executor_.team().threads(), cells_a_line);
      for (std::int64_t j = mine.rows.begin; j < mine.rows.end; j += block) {
        if (mine.cells.begin < mine.cells.end) {
          largest =
              larger(body(Columns{{j, std::min(mine.rows.end, j + block)}, mine.cells}), largest);
        }
      }
      stream_store_fence();
    }
    return largest;
  }

  /// Returns the row's largest rate of buoyancy, by the part that begins it.
  template <Terms Which, Diffusion How>
  Real eliminate_terms_of_row(const FieldSet<Real>& from, FieldSet<Real>& to, std::int64_t i,
                              std::int64_t j, const Range& cells) {
    const auto around = [](std::int64_t n, std::int64_t count) {
      return n == 0 ? count - 1 : n - 1;
    };
    const FieldSet<Real>& kept = *kept_pressure_;
    const FieldView<const Real> pressure = kept[0];
    return with_cells_along_rows([&]<class Cells>(const Cells& along) {
      using Metric = typename Cells::Metric;
      const RowToEliminate<Real, Metric> row{
          .advance = {.stencil = stencil_of_row<Pack<Real>, Metric>(from, i, j),
                      .source = sources_ ? (*sources_)[0].row(i, j) : nullptr,
                      .source_factor = source_factors_.data(),
                      .tendency = tendencies_[0].row(i, j),
                      .next = to[0].row(i, j),
                      .cells = cells.end},
          .begin = cells.begin,
          .carried = (*carried_)[0].row(0, j),
          .carried_stride = carried_->stride(),
          .lines = lines().at(0, i),
          .pressure = pressure.row(i, j),
          .pressure_below = {pressure.row(around(i, n_.ni), j), pressure.row(i, around(j, n_.nj))}};
      eliminate_row<Which, How>(row, along, medium_, slots_[slot_]);
      return cells.begin == 0 ? buoyancy_rate_of_row<Which>(from, along, i, j) : Real(0);
    });
  }

  Real eliminate_one_row(const FieldSet<Real>& from, FieldSet<Real>& to, std::int64_t i,
                         std::int64_t j, const Range& cells) {
    const bool usual = terms_of(medium_, sources_ != nullptr) == Terms::usual;
    constexpr Diffusion within_planes = Diffusion::within_planes;
    constexpr Diffusion explicit_axes = Diffusion::explicit_axes;
    const bool for_values = lines().for_values();
    const Real buoyancy =
        for_values
            ? (usual ? eliminate_terms_of_row<Terms::usual, within_planes>(from, to, i, j, cells)
                     : eliminate_terms_of_row<Terms::all, within_planes>(from, to, i, j, cells))
            : (usual ? eliminate_terms_of_row<Terms::usual, explicit_axes>(from, to, i, j, cells)
                     : eliminate_terms_of_row<Terms::all, explicit_axes>(from, to, i, j, cells));
    if (for_values) {
      add_walls(from, to, i, j, cells);
    }
    if (!drive_.walls.empty()) {
      add_wall_changes(to, i, j, cells);
    }
    stop_at_walls(to, i, j, cells);
    for (int field = 0; field < 3; ++field) {
      stop_at_wall(field, i, j, cells, (*carried_)[field].row(0, j));
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
    const bool beside_row = i <= 1 || i + 1 == n_.ni || j <= 1 || j + 1 == n_.nj;
    for (int field = 0; field < count_; ++field) {
      const Real scale = lines().at(0, i)[field].scale;
      Real* const carried = (*carried_)[field].row(0, j);
      Real* const row = to[field].row(i, j);
      for (std::int64_t k = cells.begin; k < cells.end; ++k) {
        if (beside_row || k <= 1 || k + 1 == n_.nk) {
          const std::int64_t index[3] = {i, j, k};
          carried[k] += scale * wall_changes_.at(field, index, {n_.ni, n_.nj, n_.nk});
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
    executor_.each(n_.ni, [&](std::int64_t i) {
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
      solve_along_rows<together>(factors, fields, n_.nk, change.row(i, j), layout_.row_pitch());
    }
    for (; j < n_.nj; ++j) {
      solve_along_rows<1>(factors, fields, n_.nk, change.row(i, j), layout_.row_pitch());
    }
  }

  template <Terms Which, class Cells>
  [[nodiscard]] Real buoyancy_rate_of_row(const FieldSet<Real>& from, const Cells& along,
                                          std::int64_t i, std::int64_t j) const {
    const CellOnWalls walls = walls_.around<std::int64_t>({i, j, 0}, {n_.ni, n_.nj, n_.nk});
    return largest_buoyancy_rate<Which>(stencil_of_row<Real>(from, i, j), along, medium_, walls,
                                        walls_.walled[2], n_.nk);
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
      advance_row<Which>(row, along, medium_, slots_[slot_].tendencies);
      return buoyancy_rate_of_row<Which>(from, along, i, j);
    });
  }

  /// Ghosts are not yet in place: upper faces are those of the next cell around, and beyond a wall
  /// lies the ghost, which is zero for good.
  void find_divergence(const FieldSet<Real>& flow) const {
    each_row([&](std::int64_t i, std::int64_t j) { diverge_one_row(flow, i, j); });
  }

  void diverge_one_row(const FieldSet<Real>& flow, std::int64_t i, std::int64_t j) const {
    const poisson::CellSlots<Real> right_side = pressure_->right_side();
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
      close_rows(flow, i, j);
      if (keeps_pressure()) {
        keep_pressure(pressure, i, j);
      }
      return with_cells_along_rows(
          [&](const auto& along) { return largest_advective_rate(stencil, along, n_.nk); });
    });
    clock_.noted.advection = larger(advection, clock_.noted.advection);
    if (bounded_.any()) {
      clock_.noted.exchange = larger(bounded_.largest_exchange(flow), clock_.noted.exchange);
    }
  }

  /// Ghosts at the ends of a row of all fields.
  void close_rows(FieldSet<Real>& flow, std::int64_t i, std::int64_t j) const {
    for (int field = 0; field < count_; ++field) {
      ghosts_[static_cast<std::size_t>(field)].close(flow[field], i, j);
    }
  }

  /// Of a row, with what the gradient at its first cell reads.
  void keep_pressure(const poisson::CellSlots<Real>& potential, std::int64_t i, std::int64_t j) {
    const auto beyond = [&](std::int64_t n, std::int64_t count) {
      return std::clamp<std::int64_t>(n, 0, count - 1);
    };
    const auto row_at = [&](std::int64_t at_i, std::int64_t at_j) -> const Real* {
      return &potential(beyond(at_i, n_.ni), beyond(at_j, n_.nj), 0);
    };
    RowOfPotential<Real> row{.here = row_at(i, j),
                             .below = {row_at(i - 1, j), row_at(i, j - 1)},
                             .above = {row_at(i + 1, j), row_at(i, j + 1)},
                             .implicit_along_row = lines().along(2),
                             .cells = n_.nk};
    const std::array<std::int64_t, 2> at{i, j};
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
      if (lines().along(static_cast<int>(axis))) {
        row.weights[axis] = NeighbourWeights<Real>::of(metric(axis, at[axis]), false);
      } else {
        row.below[axis] = row.here;
        row.above[axis] = row.here;
      }
    }
    Real* const kept = (*kept_pressure_)[0].row(i, j);
    if (lines().for_values()) {
      keep_pressure_across_planes(row, slots_[slot_], kept);
    } else {
      with_cells_along_rows(
          [&](const auto& along) { keep_pressure_row(row, along, slots_[slot_], kept); });
    }
    close_row_of_pressure(i, j);
  }

  void close_row_of_pressure(std::int64_t i, std::int64_t j) {
    Real* const kept = (*kept_pressure_)[0].row(i, j);
    kept[-1] = kept[walls_.walled[2] ? 0 : n_.nk - 1];
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
  std::vector<ImplicitLines<Real>> lines_;  ///< of each slot
  CpuBounded<Real> bounded_;
  std::unique_ptr<FieldSet<Real>> kept_pressure_;  ///< where diffusion is implicit; one field
  std::unique_ptr<FieldSet<Real>> carried_;        ///< the plane that was eliminated last
  std::array<ImplicitFactors<Real>, factor_slots> slots_{};
  std::array<StageTimes, factor_slots> times_{};
  WallChanges<Real> wall_changes_;  ///< of the stage, where diffusion is implicit
  std::array<Real, most_fields> source_factors_{};
  std::size_t slot_ = 0;  ///< in use
  bool solving_ = false;  ///< columns of a stage are on their way: the divergence ends it
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
