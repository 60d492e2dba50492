#include "bankfull/core/field/field_set.hpp"
#include "bankfull/core/field/for_cells.hpp"
#include "bankfull/core/measure/timer.hpp"
#include "bankfull/workloads/convection/block_values.hpp"
#include "bankfull/workloads/convection/cpu/advance.hpp"
#include "bankfull/workloads/convection/cpu/bounded.hpp"
#include "bankfull/workloads/convection/cpu/flow.hpp"
#include "bankfull/workloads/convection/cpu/flow_ghosts.hpp"
#include "bankfull/workloads/convection/cpu/implicit.hpp"
#include "bankfull/workloads/convection/cpu/profiles.hpp"
#include "bankfull/workloads/convection/cpu/projection.hpp"
#include "bankfull/workloads/convection/cpu/tally.hpp"
#include "bankfull/workloads/convection/drive.hpp"
#include "bankfull/workloads/convection/flow.hpp"
#include "bankfull/workloads/convection/flow_halo.hpp"
#include "bankfull/workloads/convection/integrator.hpp"
#include "bankfull/workloads/convection/pressure.hpp"
#include "bankfull/workloads/convection/pressure_start.hpp"
#include "bankfull/workloads/convection/staged_integrator.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <type_traits>

namespace bankfull::convection {
namespace {

/// See StagedIntegrator.
template <class Real>
class CpuBackend {
 public:
  explicit CpuBackend(const Plan& plan)
      : plan_(plan),
        flow_(plan_),
        count_(flow_.count),
        n_(flow_.n),
        drive_(drive_of(plan.problem(), plan.grid())),
        sides_{FieldSet<Real>(flow_.layout, count_, Device::cpu()),
               FieldSet<Real>(flow_.layout, count_, Device::cpu())},
        tendencies_(flow_.layout, count_, Device::cpu()),
        pressure_(make_cpu_pressure<Real>(plan, &clock_.next.weight)),
        ghosts_(flow_, plan_.ghosts()),
        halo_(plan_, flow_.layout, flow_.executor.team()),
        implicit_(plan_, flow_, factor_slots, !drive_.walls.empty()),
        bounded_(plan_, flow_, halo_) {
    flow_.touch(sides_[0]);
    flow_.touch(sides_[1]);
    flow_.touch(tendencies_);
    if (extrapolates_pressure(plan_)) {
      past_ = std::make_unique<PastPressure>(flow_);
    }
    copy_sources();
  }

  void set_factors(int slot, const Stage& stage) {
    const auto n = static_cast<std::size_t>(slot);
    slots_[n] = implicit_factors_of<Real>(stage, plan_.problem().viscosity, implicit_.for_values());
    implicit_.form(n, stage.implicit_time());
    times_[n] = {clock_.progress.time, clock_.progress.time};
  }
  void use_factors(int slot) {
    slot_ = static_cast<std::size_t>(slot);
    implicit_.use(slot_);
  }

  void set_rule(const StepRule& rule) { clock_.rule = rule; }
  void restart_clock() {
    clock_.progress = clock_.next = {};
    ghosts_.move_walls(drive_.walls, 0.0);
  }
  void set_first_pressure(std::int64_t step) { past_->first = step; }
  void forget_rates() { clock_.of_flow = clock_.noted = {}; }
  [[nodiscard]] bool keeps_pressure() const { return implicit_.any(); }
  void forget_kept_pressure() { implicit_.forget_pressure(); }
  [[nodiscard]] StepState progress() const { return clock_.progress; }
  [[nodiscard]] StepState upcoming() const { return clock_.next; }

  [[nodiscard]] const StepClock& clock() const { return clock_; }
  void set_clock(const StepClock& clock) {
    const StepRule rule = clock_.rule;
    clock_ = clock;
    clock_.rule = rule;
    ghosts_.move_walls(drive_.walls, clock_.progress.time);
  }

  void choose_step() {
    clock_.noted = largest_of_ranks(plan_.ranks(), clock_.noted);
    clock_.choose();
    set_factors_of_next();
  }

  void fill_ghosts_and_end_step(std::size_t to) {
    fill_ghost_rows(to);
    clock_.noted = largest_of_ranks(plan_.ranks(), clock_.noted);
    clock_.end_step();
    set_factors_of_next();
  }

  void launch(StagePart part, std::size_t to) {
    switch (part) {
      case StagePart::advance:
        set_drive(times_[slot_]);
        advance(to);
        bounded_.correct(sides_[1 - to], sides_[to], slots_[slot_].tendencies);
        break;
      case StagePart::divergence:
        diverge(to);
        break;
      case StagePart::pressure:
        pressure_->solve();
        break;
      case StagePart::projection:
        project_and_note(sides_[to]);
        break;
      case StagePart::ghosts:
        fill_ghost_rows(to);
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
      copy_pieces([&](const Box& part, double* values) { flow.read(field, part, values); },
                  plan_.grid().extents(), sides_[side][field]);
    }
    std::fill_n(tendencies_.data(), tendencies_.size(), Real(0));
    if (past_) {
      past_->clear(flow_);
    }
    bounded_.restart();
  }

  void read(std::size_t side, int field, const Box& part, double* values) const {
    read_view(sides_[side][field], plan_.grid().extents(), part, values);
  }

  void read_kept(Kept what, std::size_t side, int field, const Box& part, double* values) const {
    with_kept(*this, what, side, field, [&](const auto& view) {
      read_view(view, extents_of_kept(plan_.grid(), what, field), part, values);
    });
  }

  void read_own_kept(Kept what, std::size_t side, int field, const Box& part,
                     double* values) const {
    with_kept(*this, what, side, field,
              [&](const auto& view) { copy_cells(view, in_block(part, plan_.block()), values); });
  }

  void set_kept(Kept what, std::size_t side, int field, const CellReader& from) {
    const Extents cells = extents_of_kept(plan_.grid(), what, field);
    with_kept(*this, what, side, field, [&](const auto& view) { copy_pieces(from, cells, view); });
    if (what == Kept::pressure) {
      implicit_.close_pressure(halo_);
    }
  }

  void fill_ghosts(std::size_t side) {
    flow_.rows.each_row(
        [&](std::int64_t i, std::int64_t j) { ghosts_.close_rows(sides_[side], i, j); });
    fill_ghost_rows(side);
  }

  [[nodiscard]] FlowTallies tallies(std::size_t side) const {
    const SourceFactors factors = source_factors_at(drive_, clock_.progress.time);
    FlowTallies found{tallied<FlowTally>(flow_, sides_[side], sources_.get(), plan_.ranks(),
                                         CountFlowOnCpu<Real>{plan_.problem().viscosity, factors}),
                      {}};
    for (int scalar = 0; scalar < plan_.fields() - 3; ++scalar) {
      const double kappa = plan_.problem().scalars[static_cast<std::size_t>(scalar)].diffusivity;
      found.scalars.push_back(tallied<ScalarTally>(flow_, sides_[side], sources_.get(),
                                                   plan_.ranks(),
                                                   CountScalarOnCpu<Real>{scalar, kappa, factors}));
    }
    return found;
  }

  [[nodiscard]] std::vector<double> profile_means(std::size_t side, int axis) const {
    return convection::profile_means(flow_, sides_[side], plan_, axis);
  }

  void prepare_to_gather(const std::vector<std::vector<FieldElement>>& /*lists*/) {}

  [[nodiscard]] std::vector<double> gathered(std::size_t side, std::size_t /*number*/,
                                             const std::vector<FieldElement>& list) const {
    const OwnedElements owned(plan_.ranks(), plan_.cut(), list);
    return owned.of_all_ranks(elements_of(sides_[side], owned.mine()));
  }

  [[nodiscard]] double corrected_variance(int scalar) const {
    return bounded_.corrected_variance(scalar);
  }

  void set_corrected_variance(int scalar, double value) {
    bounded_.set_corrected_variance(scalar, value);
  }

  void scale_pressure(double factor) const {
    const poisson::CellSlots<Real> pressure = pressure_->solution();
    flow_.rows.each_row([&](std::int64_t i, std::int64_t j) {
      Real* const row = &pressure(i, j, 0);
      std::transform(row, row + n_.nk, row,
                     [by = static_cast<Real>(factor)](Real value) { return by * value; });
    });
  }

  void extrapolate_pressure() const { extrapolate_pressure(past_->weights); }

  void extrapolate_pressure(const StartWeights& weights) const {
    const poisson::CellSlots<Real> potential = pressure_->solution();
    flow_.rows.each_row([&](std::int64_t i, std::int64_t j) {
      start_pressure_row(weights, &potential(i, j, 0), past_->pressure[0].row(i, j),
                         past_->expected_change[0].row(i, j), n_.nk);
    });
  }

  [[nodiscard]] poisson::Solver<Real>& pressure() const { return *pressure_; }

  void finish() const {}

 private:
  struct PastPressure {
    explicit PastPressure(const FlowOnCpu<Real>& flow)
        : pressure(flow.layout, 1, Device::cpu()),
          expected_change(Layout(flow.n, 1, sizeof(float)), 1, Device::cpu()) {
      clear(flow);
    }

    void clear(const FlowOnCpu<Real>& flow) {
      flow.rows.each_own_row([this](std::int64_t i, std::int64_t j) {
        std::fill_n(pressure[0].row(i, j), pressure.layout().row_pitch(), Real(0));
        std::fill_n(expected_change[0].row(i, j), expected_change.layout().row_pitch(), 0.0F);
      });
    }

    FieldSet<Real> pressure;
    FieldSet<float> expected_change;
    std::int64_t first = step_of_first_pressure;
    StartWeights weights;
  };

  void set_factors_of_next() {
    if (past_) {
      past_->weights = weights_of_start(clock_, past_->first);
    }
    const Stages stages = stages_of(clock_.rule.scheme, clock_.next.dt, clock_.next.dt_before);
    for (int n = 0; n < stages.count; ++n) {
      const int following = stages.count - 1 - n;
      set_factors(following, stages.at[n]);
      times_[static_cast<std::size_t>(following)] =
          times_of(stages, n, clock_.progress.time, clock_.next.time);
    }
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
        return body(self.implicit_.pressure());
      case Kept::potential:
        return body(self.pressure_->solution());
      case Kept::past_pressure:
        return body(self.past_->pressure[0]);
      case Kept::expected_change:
        return body(self.past_->expected_change[0]);
      case Kept::flux:
        return body(self.bounded_.kept_flux(field));
    }
  }

  /// From all cells or faces of the grid, `n`, some planes at a time, those of this rank: with the
  /// upper faces of its last cells.
  template <class View>
  void copy_pieces(const CellReader& from, const Extents& n, const View& to) const {
    const std::int64_t planes = planes_of_a_piece(n);
    std::vector<double> piece(static_cast<std::size_t>(planes * n.nj * n.nk));
    const Box& block = plan_.block();
    const std::int64_t end = block.i1 + n.ni - plan_.grid().extents().ni;
    for (std::int64_t i = block.i0; i < end; i += planes) {
      const Box part{i, std::min(i + planes, end), 0, n.nj, 0, n.nk};
      from(part, piece.data());
      copy(piece.data(), part, to);
    }
  }

  /// Copies this rank's rows from the values of whole planes, as a FlowReader gives them.
  template <class View>
  void copy(const double* values, const Box& part, const View& field) const {
    const Extents n = part.extents();
    const std::int64_t first_i = flow_.first[0];
    const std::int64_t first_j = flow_.first[1];
    const std::int64_t rows = n_.nj + n.nj - plan_.grid().extents().nj;
    flow_.executor.each(n.ni * rows, [&](std::int64_t row) {
      const std::int64_t i = row / rows;
      const std::int64_t j = row % rows;
      const double* const from = values + (i * n.nj + first_j + j) * n.nk;
      auto* const to = &field(part.i0 - first_i + i, j, 0);
      using Value = std::remove_reference_t<decltype(*to)>;
      std::transform(from, from + n.nk, to, [](double value) { return static_cast<Value>(value); });
    });
  }

  /// Collective: of all cells of the grid, or faces; view(i, j, k) is of this rank's.
  template <class View>
  void read_view(const View& view, const Extents& all, const Box& part, double* values) const {
    read_blocks(plan_.ranks(), plan_.cut(), all, part, values,
                [&](const Box& own, double* to) { copy_cells(view, own, to); });
  }

  template <class View>
  static void copy_cells(const View& view, const Box& own, double* to) {
    for_cells(own, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      *to++ = static_cast<double>(view(i, j, k));
    });
  }

  void fill_ghost_rows(std::size_t side) {
    halo_.exchange_all(sides_[side]);
    ghosts_.fill_ghost_rows(sides_[side]);
  }

  void copy_sources() {
    if (!has_sources(plan_.problem())) {
      return;
    }
    const std::vector<std::vector<double>> sources =
        steady_sources(plan_.problem(), plan_.grid(), plan_.block());
    sources_ = std::make_unique<FieldSet<Real>>(flow_.layout, count_, Device::cpu());
    flow_.touch(*sources_);
    for (int field = 0; field < count_; ++field) {
      const std::vector<double>& values = sources[static_cast<std::size_t>(field)];
      if (values.empty()) {
        continue;
      }
      const FieldView<Real> source = (*sources_)[field];
      flow_.rows.each_row([&](std::int64_t i, std::int64_t j) {
        const double* const from = values.data() + (i * n_.nj + j) * n_.nk;
        std::transform(from, from + n_.nk, source.row(i, j),
                       [](double value) { return static_cast<Real>(value); });
      });
    }
  }

  /// Forces are those at the beginning of a stage, walls those at its end, for the ghosts of the
  /// flow that it leaves: of the flow that it reads they are in place.
  void set_drive(const StageTimes& times) {
    const SourceFactors factors = source_factors_at(drive_, times.begin);
    std::ranges::transform(factors.of, source_factors_.begin(),
                           [](double factor) { return static_cast<Real>(factor); });
    ghosts_.move_walls(drive_.walls, times.end);
    if (keeps_pressure() && !drive_.walls.empty()) {
      implicit_.set_wall_changes(drive_.walls, times);
    }
  }

  void advance(std::size_t to) {
    const StageOnCpu<Real> stage{.from = sides_[1 - to],
                                 .to = sides_[to],
                                 .tendencies = tendencies_,
                                 .sources = sources_.get(),
                                 .source_factors = source_factors_.data(),
                                 .factors = slots_[slot_]};
    solving_ = keeps_pressure();
    const double buoyancy = solving_ ? implicit_.advance(stage) : advance_fields(flow_, stage);
    clock_.noted.buoyancy = larger(buoyancy, clock_.noted.buoyancy);
  }

  void diverge(std::size_t to) {
    const poisson::CellSlots<Real> right_side = pressure_->right_side();
    if (solving_) {
      implicit_.substitute_and_diverge(
          sides_[1 - to], sides_[to], [&] { halo_.exchange_velocities(sides_[to]); },
          [&](std::int64_t i, std::int64_t j) {
            diverge_one_row(flow_, sides_[to], i, j, right_side);
          });
    } else if (pressure_->takes_divergence()) {
      pressure_->take_divergence(velocity_of(sides_[to]));
    } else {
      halo_.exchange_velocities(sides_[to]);
      find_divergence(flow_, sides_[to], right_side);
    }
    solving_ = false;
  }

  [[nodiscard]] poisson::FaceVelocity<Real> velocity_of(const FieldSet<Real>& fields) const {
    return {.along_i = fields[0].row(0, 0),
            .along_j = fields[1].row(0, 0),
            .along_k = fields[2].row(0, 0),
            .plane_pitch = flow_.layout.plane_pitch(),
            .row_pitch = flow_.layout.row_pitch()};
  }

  void project_and_note(FieldSet<Real>& fields) {
    const poisson::CellSlots<Real> pressure = pressure_->solution();
    const double advection = project(flow_, fields, pressure, [&](std::int64_t i, std::int64_t j) {
      ghosts_.close_rows(fields, i, j);
      if (keeps_pressure()) {
        implicit_.keep_pressure(pressure, slots_[slot_], i, j);
      }
    });
    clock_.noted.advection = larger(advection, clock_.noted.advection);
    if (keeps_pressure()) {
      implicit_.exchange_pressure(halo_);
    }
    if (bounded_.any()) {
      halo_.exchange_velocities(fields);
      clock_.noted.exchange = larger(bounded_.largest_exchange(fields), clock_.noted.exchange);
    }
  }

  const Plan& plan_;
  FlowOnCpu<Real> flow_;
  int count_;
  Extents n_;
  Drive drive_;
  std::array<FieldSet<Real>, 2> sides_;
  FieldSet<Real> tendencies_;
  std::unique_ptr<FieldSet<Real>> sources_;
  StepClock clock_;
  std::unique_ptr<poisson::Solver<Real>> pressure_;
  std::unique_ptr<PastPressure> past_;  ///< where the pressure is extrapolated
  FlowGhosts<Real> ghosts_;
  FlowHalo<Real> halo_;
  ImplicitOnCpu<Real> implicit_;
  CpuBounded<Real> bounded_;
  std::array<ImplicitFactors<Real>, factor_slots> slots_{};
  std::array<StageTimes, factor_slots> times_{};
  std::array<Real, max_fields> source_factors_{};
  std::size_t slot_ = 0;  ///< in use
  bool solving_ = false;  ///< columns of a stage are partly solved: the divergence completes them
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
