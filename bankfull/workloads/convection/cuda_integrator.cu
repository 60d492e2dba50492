#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/core/exec/for_each.cuh"
#include "bankfull/core/exec/graph.hpp"
#include "bankfull/core/field/field_set.hpp"
#include "bankfull/workloads/convection/cuda/advance.cuh"
#include "bankfull/workloads/convection/cuda/bounded.cuh"
#include "bankfull/workloads/convection/cuda/elements.cuh"
#include "bankfull/workloads/convection/cuda/gather.cuh"
#include "bankfull/workloads/convection/cuda/ghosts.cuh"
#include "bankfull/workloads/convection/cuda/implicit.cuh"
#include "bankfull/workloads/convection/cuda/profiles.cuh"
#include "bankfull/workloads/convection/cuda/projection.cuh"
#include "bankfull/workloads/convection/cuda/tally.cuh"
#include "bankfull/workloads/convection/drive.hpp"
#include "bankfull/workloads/convection/flow.hpp"
#include "bankfull/workloads/convection/integrator.hpp"
#include "bankfull/workloads/convection/pressure.hpp"
#include "bankfull/workloads/convection/staged_integrator.hpp"

#include <algorithm>
#include <array>

namespace bankfull::convection {
namespace {

template <class Real>
__host__ __device__ StageFactorsOnGpu<Real> factors_of(const Stage& stage) {
  return {static_cast<Real>(stage.gamma), static_cast<Real>(stage.zeta), stage.store_tendency};
}

template <class Real>
struct SetFactors {
  StageFactorsOnGpu<Real>* to;
  StageFactorsOnGpu<Real> factors;

  __device__ void operator()(std::int64_t /*only*/) const { *to = factors; }
};

/// From it a slot of implicit diffusion is formed.
template <class Real>
struct SetStage {
  ImplicitSlot<Real>* to;
  Stage stage;

  __device__ void operator()(std::int64_t /*only*/) const { to->stage = stage; }
};

/// A stage that a caller chooses takes no time.
struct SetTimes {
  StageTimes* to;
  const StepClock* clock;

  __device__ void operator()(std::int64_t /*only*/) const {
    *to = {clock->progress.time, clock->progress.time};
  }
};

/// What varies with time, in the GPU's memory, and what it sets.
template <class Real>
struct DriveOnGpu {
  const VaryingWall* walls;
  std::int64_t wall_count;
  const VaryingSource* sources;
  const StageTimes* times;
  Continuations* rules;
  Real* source_factors;

  /// A thread a wall or source. Forces are those at the beginning of a stage, walls those at its
  /// end, for the ghosts of the flow that it leaves: of the flow that it reads they are in place.
  __device__ void operator()(std::int64_t n) const {
    if (n < wall_count) {
      walls[n].set(rules, *times);
      return;
    }
    const VaryingSource& source = sources[n - wall_count];
    source_factors[source.field] = static_cast<Real>(source.factor.at(times->begin));
  }
};

/// The step to come by one thread, and the factors and times of its stages. The clock lies in the
/// GPU's memory: a recorded graph serves any step.
template <class Real>
struct ChooseStep {
  StepClock* clock;
  StageFactorsOnGpu<Real>* factors;
  StageTimes* times;
  ImplicitSlot<Real>* implicit;  ///< null: diffusion is explicit
  bool ends_step;

  __device__ void operator()(std::int64_t /*only*/ = 0) const {
    StepClock now = *clock;
    ends_step ? now.end_step() : now.choose();
    *clock = now;
    const Stages stages = stages_of(now.rule.scheme, now.next.dt, now.next.dt_before);
    for (int n = 0; n < stages.count; ++n) {
      const int following = stages.count - 1 - n;
      factors[following] = factors_of<Real>(stages.at[n]);
      times[following] = times_of(stages, n, now.progress.time, now.next.time);
      if (implicit != nullptr) {
        implicit[following].stage = stages.at[n];
      }
    }
  }
};

/// Views are those of fields or of a pressure solver's slots.
template <class Real, class View = FieldView<Real>>
struct SetPart {
  View field;
  OrderedPart<const double> from;

  __device__ void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    field(i, j, k) = static_cast<Real>(from(i, j, k));
  }
};

template <class Real>
struct ScaleCells {
  poisson::CellSlots<Real> cells;
  Real factor;

  __device__ void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    cells(i, j, k) *= factor;
  }
};

/// Values on their way to a GPU. The host fills one piece while the other is copied.
struct PiecesToGpu {
  explicit PiecesToGpu(std::size_t most)
      : on_host{Buffer<double>(MemorySpace::pinned, most),
                Buffer<double>(MemorySpace::pinned, most)},
        on_gpu(MemorySpace::device, most) {}

  std::array<Buffer<double>, 2> on_host;
  Buffer<double> on_gpu;
  std::array<Event, 2> copied;
  std::size_t turn = 0;
};

template <class T>
Buffer<T> on_gpu(const CudaExecutor& gpu, const std::vector<T>& values) {
  Buffer<T> buffer = gpu.make<T>(static_cast<std::int64_t>(values.size()));
  gpu.from_host(values, buffer.data());
  return buffer;
}

/// See StagedIntegrator.
template <class Real>
class CudaBackend {
 public:
  explicit CudaBackend(const Plan& plan)
      : plan_(plan),
        n_(plan_.grid().extents()),
        count_(plan.fields()),
        stream_(plan.problem().device),
        gpu_(stream_),
        layout_(n_, 1, sizeof(Real)),
        sides_{FieldSet<Real>(layout_, count_, plan.problem().device),
               FieldSet<Real>(layout_, count_, plan.problem().device)},
        tendencies_(layout_, count_, plan.problem().device),
        clock_(MemorySpace::device, 1),
        pressure_(make_cuda_pressure<Real>(plan, stream_, &clock_.data()->next.weight)),
        rules_(on_gpu(gpu_, plan_.ghosts())),
        factors_(MemorySpace::device, factor_slots),
        times_(MemorySpace::device, factor_slots),
        drive_(drive_of(plan.problem(), plan.grid())),
        varying_walls_(on_gpu(gpu_, drive_.walls)),
        varying_sources_(on_gpu(gpu_, drive_.sources)),
        source_factors_(on_gpu(gpu_, std::vector<Real>(max_fields, Real(1)))),
        tally_room_(MemorySpace::device, tally_bytes),
        bounded_(plan_, gpu_),
        profiles_(plan_, gpu_),
        elements_(gpu_) {
    for (const int axis : storage_axes) {
      const auto n = static_cast<std::size_t>(axis);
      centre_lines_[n] = on_gpu(gpu_, plan_.grid().axis(axis).centres);
      centres_.along[axis] = centre_lines_[n].data();
      metrics_[n] = on_gpu(gpu_, metrics_of<Real>(plan_.grid().axis(axis)));
      widths_[n] = on_gpu(gpu_, plan_.grid().axis(axis).cells.widths);
    }
    describe_flow();
    for (FieldSet<Real>* set : {&sides_[0], &sides_[1], &tendencies_}) {
      fill_bytes(set->data(), 0, set->bytes(), stream_);
    }
    copy_sources();
    if (plan.problem().implicit_anywhere()) {
      implicit_ = std::make_unique<ImplicitOnGpu<Real>>(
          plan_, layout_, gpu_, drive_.walls.empty() ? nullptr : rules_.data());
    }
  }

  void set_factors(int slot, const Stage& stage) {
    gpu_.each(1, SetFactors<Real>{factors_.data() + slot, factors_of<Real>(stage)});
    if (drive_.any()) {
      gpu_.each(1, SetTimes{times_.data() + slot, clock_.data()});
    }
    if (implicit_) {
      gpu_.each(1, SetStage<Real>{implicit_->slots() + slot, stage});
    }
  }
  void use_factors(int slot) { slot_ = slot; }

  void set_rule(const StepRule& rule) {
    copy_bytes(&clock_.data()->rule, &rule, sizeof(rule), stream_);
    stream_.synchronize();
  }
  void restart_clock() {
    const StepState start;
    copy_bytes(&clock_.data()->progress, &start, sizeof(start), stream_);
    copy_bytes(&clock_.data()->next, &start, sizeof(start), stream_);
    stream_.synchronize();
    queue_drive_of_now();
  }
  [[nodiscard]] StepClock clock() const {
    StepClock clock;
    copy_bytes(&clock, clock_.data(), sizeof(clock), stream_);
    stream_.synchronize();
    return clock;
  }
  void set_clock(const StepClock& clock) {
    StepClock with_rule = clock;
    with_rule.rule = this->clock().rule;
    copy_bytes(clock_.data(), &with_rule, sizeof(with_rule), stream_);
    stream_.synchronize();
    queue_drive_of_now();
  }
  [[nodiscard]] bool keeps_pressure() const { return implicit_ != nullptr; }
  void forget_kept_pressure() { implicit_->forget_pressure(); }
  void forget_rates() {
    fill_bytes(&clock_.data()->of_flow, 0, sizeof(FlowRates), stream_);
    fill_bytes(&clock_.data()->noted, 0, sizeof(FlowRates), stream_);
  }
  [[nodiscard]] StepState progress() const { return state_of(clock_.data()->progress); }
  [[nodiscard]] StepState upcoming() const { return state_of(clock_.data()->next); }
  void choose_step() { gpu_.each(1, choice(false)); }

  void fill_ghosts_and_end_step(std::size_t to) {
    queue_ghosts(stream_, flow_, centres_, rules_.data(), count_, sides_[to][0].origin,
                 choice(true));
  }

  void launch(StagePart part, std::size_t to) {
    Real* const next = sides_[to][0].origin;
    switch (part) {
      case StagePart::advance:
        queue_drive(slot_);
        solving_ = keeps_pressure();
        solving_ ? implicit_->queue_advance(advance_into(to), rules_.data(), slot_)
                 : queue_advance(stream_, advance_into(to));
        bounded_.queue(flow_, factors_.data() + slot_, values_of(1 - to), next);
        break;
      case StagePart::divergence:
        solving_ ? implicit_->queue_divergence(flow_, values_of(1 - to), next,
                                               pressure_->right_side(), slot_)
                 : queue_divergence(stream_, flow_, static_cast<const Real*>(next),
                                    pressure_->right_side());
        break;
      case StagePart::pressure:
        pressure_->solve();
        solved_ = true;
        break;
      case StagePart::projection:
        project(to);
        bounded_.queue_exchange(flow_, next, &clock_.data()->noted.exchange);
        break;
      case StagePart::ghosts:
        queue_ghosts(stream_, flow_, centres_, rules_.data(), count_, next);
        break;
    }
  }

  /// The stage of a slot into each side is recorded once, after the first solve.
  template <class LaunchAll>
  void launch_stage(int slot, std::size_t to, const LaunchAll& all) {
    std::unique_ptr<Graph>& graph = graphs_[static_cast<std::size_t>(slot)][to];
    if (!graph && solved_) {
      graph = std::make_unique<Graph>(stream_, all);
    }
    if (graph) {
      graph->launch(stream_);
    } else {
      all();
    }
  }

  void mark(std::size_t n) { marks_[n].record(stream_); }
  [[nodiscard]] double seconds_after(std::size_t n) const {
    return Event::seconds_between(marks_[n], marks_[n + 1]);
  }

  void set_fields(const FlowReader& flow, std::size_t side) {
    solving_ = false;
    set_field_by_field(
        sides_[side], [&](int /*field*/) { return true; }, flow);
    gpu_.fill(tendencies_.data(), static_cast<std::int64_t>(tendencies_.size()), Real(0));
    bounded_.restart(gpu_);
  }

  void read(std::size_t side, int field, const Box& part, double* values) const {
    gather(sides_[side][field], part, values);
  }

  void read_kept(Kept what, std::size_t side, int field, const Box& part, double* values) const {
    with_kept(*this, what, side, field, [&](const auto& view) { gather(view, part, values); });
  }

  void set_kept(Kept what, std::size_t side, int field, const CellReader& from) {
    const Extents cells = extents_of_kept(plan_.grid(), what, field);
    PiecesToGpu pieces = pieces_of(cells);
    with_kept(*this, what, side, field,
              [&](const auto& view) { set_cells(view, cells, pieces, from); });
    stream_.synchronize();
  }

  void fill_ghosts(std::size_t side) {
    queue_ghosts(stream_, flow_, centres_, rules_.data(), count_, sides_[side][0].origin);
  }

  [[nodiscard]] FlowTally tally_flow(std::size_t side) const {
    const CountFlow<Real> count{cell_in_box(), sources_beside(side), plan_.problem().viscosity};
    return tallied_on_gpu<FlowTally>(stream_, flow_, values_of(side), count, tally_room_);
  }

  [[nodiscard]] ScalarTally tally_scalar(std::size_t side, int scalar) const {
    const double kappa = plan_.problem().scalars[static_cast<std::size_t>(scalar)].diffusivity;
    const CountScalar<Real> count{cell_in_box(), sources_beside(side), scalar, kappa};
    return tallied_on_gpu<ScalarTally>(stream_, flow_, values_of(side), count, tally_room_);
  }

  [[nodiscard]] std::vector<double> profile_means(std::size_t side, int axis) {
    return profiles_.means(stream_, flow_, values_of(side), axis);
  }

  void prepare_to_gather(const std::vector<std::vector<FieldElement>>& lists) {
    elements_.set(flow_, lists);
  }

  [[nodiscard]] std::vector<double> gathered(std::size_t side, std::size_t number,
                                             const std::vector<FieldElement>& /*list*/) const {
    return elements_.values(values_of(side), number);
  }

  [[nodiscard]] double corrected_variance(int scalar) const {
    return bounded_.corrected_variance(scalar);
  }

  void set_corrected_variance(int scalar, double value) {
    bounded_.set_corrected_variance(scalar, value);
  }

  void scale_pressure(double factor) const {
    for_each(stream_, box_of(n_),
             ScaleCells<Real>{pressure_->solution(), static_cast<Real>(factor)});
  }

  [[nodiscard]] poisson::Solver<Real>& pressure() const { return *pressure_; }

  void copy_fields(std::size_t side) {
    if (!copied_) {
      copied_ = std::make_unique<CopiedFields<Real>>(plan_, layout_);
    }
    copied_->copy(sides_[side], stream_);
  }
  [[nodiscard]] const FlowReader& copied_fields() const { return *copied_; }

  void finish() const { stream_.synchronize(); }

 private:
  /// body(view) of what is kept: view(i, j, k) are cells.
  template <class Self, class Body>
  static void with_kept(Self& self, Kept what, std::size_t side, int field, const Body& body) {
    switch (what) {
      case Kept::flow:
        return body(self.sides_[side][field]);
      case Kept::tendency:
        return body(self.tendencies_[field]);
      case Kept::pressure:
        return body(self.implicit_->pressure());
      case Kept::potential:
        return body(self.pressure_->solution());
      case Kept::flux:
        return body(self.bounded_.kept_flux(field));
    }
  }

  template <class View>
  void gather(const View& view, const Box& part, double* values) const {
    const Extents n = part.extents();
    convection::gather(stream_, view, part, gpu_.make<double>(planes_of_a_piece(n) * n.nj * n.nk),
                       values);
  }

  /// Walls as they are at the clock's time.
  void queue_drive_of_now() {
    if (drive_.any()) {
      gpu_.each(1, SetTimes{times_.data() + given_slot, clock_.data()});
      queue_drive(given_slot);
    }
  }

  /// `on_gpu`: of the clock there.
  [[nodiscard]] StepState state_of(const StepState& on_gpu) const {
    StepState state;
    copy_bytes(&state, &on_gpu, sizeof(state), stream_);
    stream_.synchronize();
    return state;
  }

  [[nodiscard]] ChooseStep<Real> choice(bool ends_step) {
    return {clock_.data(), factors_.data(), times_.data(), implicit_ ? implicit_->slots() : nullptr,
            ends_step};
  }

  [[nodiscard]] AdvanceArguments<Real> advance_into(std::size_t to) {
    return {.flow = flow_,
            .medium = medium_,
            .stage = factors_.data() + slot_,
            .fields = values_of(1 - to),
            .source = sources_ ? (*sources_)[0].origin : nullptr,
            .source_factor = source_factors_.data(),
            .tendency = tendencies_[0].origin,
            .next = sides_[to][0].origin,
            .planes_per_block = planes_per_block_,
            .largest_buoyancy = &clock_.data()->noted.buoyancy};
  }

  void project(std::size_t to) {
    double* const largest = &clock_.data()->noted.advection;
    Real* const next = sides_[to][0].origin;
    const poisson::CellSlots<Real> potential = pressure_->solution();
    if (solving_) {
      implicit_->queue_projection(flow_, values_of(1 - to), next, potential, largest, slot_);
    } else if (implicit_) {
      implicit_->project_values(flow_, next, potential, largest, slot_);
    } else {
      queue_projection(stream_, flow_, next, potential, largest);
    }
    solving_ = false;
  }

  [[nodiscard]] const Real* values_of(std::size_t side) const { return sides_[side][0].origin; }

  [[nodiscard]] SourcesOnGpu<Real> sources_beside(std::size_t side) const {
    const double time = drive_.sources.empty() ? 0.0 : progress().time;
    return {values_of(side), sources_ ? (*sources_)[0].origin : nullptr,
            source_factors_at(drive_, time)};
  }

  /// Nothing where nothing varies.
  void queue_drive(int slot) {
    const auto count = static_cast<std::int64_t>(drive_.walls.size() + drive_.sources.size());
    if (count > 0) {
      gpu_.each(count,
                DriveOnGpu<Real>{.walls = varying_walls_.data(),
                                 .wall_count = static_cast<std::int64_t>(drive_.walls.size()),
                                 .sources = varying_sources_.data(),
                                 .times = times_.data() + slot,
                                 .rules = rules_.data(),
                                 .source_factors = source_factors_.data()});
    }
  }

  void describe_flow() {
    const GridAxis& rows = plan_.grid().axis(1);
    const GridAxis& columns = plan_.grid().axis(2);
    const bool uniform = rows.cells.uniform() && columns.cells.uniform();
    flow_ = {.strides = {sides_[0].stride(), layout_.plane_pitch(), layout_.row_pitch()},
             .cells = {static_cast<int>(n_.ni), static_cast<int>(n_.nj), static_cast<int>(n_.nk)},
             .planes = metrics_[0].data(),
             .rows = metrics_[1].data(),
             .columns = metrics_[2].data(),
             .row = metrics_of<Real>(rows).front(),
             .column = metrics_of<Real>(columns).front(),
             .widths = uniform ? InPlane::uniform : InPlane::stretched,
             .walls = wall_faces_of(plan_.grid())};
    medium_ = medium_of<Real>(plan_.stepped(), plan_.grid());
    planes_per_block_ = planes_per_block(flow_.cells, multiprocessors_of(plan_.problem().device));
  }

  void copy_sources() {
    const std::vector<std::vector<double>> sources = steady_sources(plan_.problem(), plan_.grid());
    if (std::all_of(sources.begin(), sources.end(), [](const auto& s) { return s.empty(); })) {
      return;
    }
    sources_ = std::make_unique<FieldSet<Real>>(layout_, count_, plan_.problem().device);
    fill_bytes(sources_->data(), 0, sources_->bytes(), stream_);
    const FlowState kept{sources};
    set_field_by_field(
        *sources_, [&](int field) { return !kept.fields[static_cast<std::size_t>(field)].empty(); },
        KeptFlow(kept, plan_.grid()));
  }

  /// Sets the fields that are wanted; wanted(field).
  template <class Wanted>
  void set_field_by_field(FieldSet<Real>& set, const Wanted& wanted, const FlowReader& flow) const {
    PiecesToGpu pieces = pieces_of(n_);
    for (int field = 0; field < count_; ++field) {
      if (wanted(field)) {
        set_cells(set[field], n_, pieces,
                  [&](const Box& part, double* values) { flow.read(field, part, values); });
      }
    }
    stream_.synchronize();
  }

  [[nodiscard]] static PiecesToGpu pieces_of(const Extents& n) {
    return PiecesToGpu(static_cast<std::size_t>(planes_of_a_piece(n) * n.nj * n.nk));
  }

  template <class View>
  void set_cells(const View& view, const Extents& n, PiecesToGpu& pieces,
                 const CellReader& from) const {
    const std::int64_t planes = planes_of_a_piece(n);
    for (std::int64_t i = 0; i < n.ni; i += planes) {
      const Box part{i, std::min(i + planes, n.ni), 0, n.nj, 0, n.nk};
      double* const values = pieces.on_host[pieces.turn].data();
      pieces.copied[pieces.turn].synchronize();
      from(part, values);
      copy_bytes(pieces.on_gpu.data(), values,
                 static_cast<std::size_t>(part.extents().count()) * sizeof(double), stream_);
      pieces.copied[pieces.turn].record(stream_);
      for_each(stream_, part, SetPart<Real, View>{view, {part, pieces.on_gpu.data()}});
      pieces.turn = 1 - pieces.turn;
    }
  }

  [[nodiscard]] CellInBox cell_in_box() const {
    CellInBox box{.walls = flow_.walls,
                  .length = {},
                  .widths = {},
                  .per_volume = 1.0 / plan_.grid().volume(),
                  .cells = {flow_.cells[0], flow_.cells[1], flow_.cells[2]}};
    for (const int axis : storage_axes) {
      box.length[axis] = plan_.grid().axis(axis).length();
      box.widths[axis] = widths_[static_cast<std::size_t>(axis)].data();
    }
    return box;
  }

  const Plan& plan_;
  Extents n_;
  int count_;
  Stream stream_;
  CudaExecutor gpu_;
  Layout layout_;
  std::array<FieldSet<Real>, 2> sides_;
  FieldSet<Real> tendencies_;
  std::unique_ptr<FieldSet<Real>> sources_;
  Buffer<StepClock> clock_;
  std::unique_ptr<poisson::Solver<Real>> pressure_;
  Buffer<Continuations> rules_;
  Buffer<StageFactorsOnGpu<Real>> factors_;
  Buffer<StageTimes> times_;  ///< of the stages whose factors these slots hold
  Drive drive_;
  Buffer<VaryingWall> varying_walls_;
  Buffer<VaryingSource> varying_sources_;
  Buffer<Real> source_factors_;
  Buffer<unsigned char> tally_room_;
  CudaBounded<Real> bounded_;
  ProfilesOnGpu<Real> profiles_;
  std::unique_ptr<CopiedFields<Real>> copied_;  ///< once there is a copy
  ElementsOnGpu<Real> elements_;
  std::array<Buffer<AxisMetric<Real>>, 3> metrics_;
  std::array<Buffer<double>, 3> widths_;
  std::array<Buffer<double>, 3> centre_lines_;
  CentreLines centres_;
  FlowOnGpu<Real> flow_{};
  Medium<Real> medium_;
  std::unique_ptr<ImplicitOnGpu<Real>> implicit_;  ///< where diffusion is implicit
  bool solving_ = false;  ///< lines of a stage are on their way: the projection ends it
  int planes_per_block_ = 1;
  int slot_ = given_slot;  ///< of the factors in use
  /// Graphs of the stages, by the slot of their factors and the side that they write.
  std::array<std::array<std::unique_ptr<Graph>, 2>, factor_slots> graphs_;
  bool solved_ = false;  ///< the first solve must not be recorded
  std::array<Event, stage_parts + 1> marks_;
};

}  // namespace

template <class Real>
std::unique_ptr<Integrator> make_cuda_integrator(const Plan& plan) {
  select(plan.problem().device);
  return std::make_unique<StagedIntegrator<CudaBackend<Real>>>(plan);
}

template std::unique_ptr<Integrator> make_cuda_integrator<float>(const Plan&);
template std::unique_ptr<Integrator> make_cuda_integrator<double>(const Plan&);

}  // namespace bankfull::convection
