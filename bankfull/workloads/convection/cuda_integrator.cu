#include "bankfull/core/comm/gpu_reduction.hpp"
#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/core/exec/for_each.cuh"
#include "bankfull/core/exec/graph.hpp"
#include "bankfull/core/field/field_set.hpp"
#include "bankfull/core/field/for_cells.hpp"
#include "bankfull/workloads/convection/block_values.hpp"
#include "bankfull/workloads/convection/cuda/advance.cuh"
#include "bankfull/workloads/convection/cuda/bounded.cuh"
#include "bankfull/workloads/convection/cuda/elements.cuh"
#include "bankfull/workloads/convection/cuda/gather.cuh"
#include "bankfull/workloads/convection/cuda/ghosts.cuh"
#include "bankfull/workloads/convection/cuda/implicit.cuh"
#include "bankfull/workloads/convection/cuda/profiles.cuh"
#include "bankfull/workloads/convection/cuda/projection.cuh"
#include "bankfull/workloads/convection/cuda/start.cuh"
#include "bankfull/workloads/convection/cuda/tally.cuh"
#include "bankfull/workloads/convection/drive.hpp"
#include "bankfull/workloads/convection/flow.hpp"
#include "bankfull/workloads/convection/flow_halo.hpp"
#include "bankfull/workloads/convection/integrator.hpp"
#include "bankfull/workloads/convection/pressure.hpp"
#include "bankfull/workloads/convection/pressure_start.hpp"
#include "bankfull/workloads/convection/staged_integrator.hpp"
#include "bankfull/workloads/convection/step_ahead.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <type_traits>
#include <vector>

namespace bankfull::convection {
namespace {

template <class Real>
__host__ __device__ StageFactorsOnGpu<Real> factors_of(const Stage& stage) {
  return {static_cast<Real>(stage.gamma), static_cast<Real>(stage.zeta), stage.store_tendency};
}

template <class Real>
__device__ StageFactorsOnGpu<Real> last_factors(const Stages& stages) {
  return factors_of<Real>(stages.at[stages.count - 1]);
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

struct SetWeights {
  StartWeights* to;
  StartWeights weights;

  __device__ void operator()(std::int64_t /*only*/) const { *to = weights; }
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

/// How the pressure is extrapolated: in the GPU's memory, as the lengths of steps are.
struct StartOnGpu {
  std::int64_t first = step_of_first_pressure;
  StartWeights weights;
  StartWeights given;  ///< of a stage that a caller chooses
};

/// The pressure of the step before the last one, and its change that was expected.
template <class Real>
struct PastPressureOnGpu {
  PastPressureOnGpu(const Layout& layout, Device gpu)
      : pressure(layout, 1, gpu),
        expected_change(Layout(layout.interior(), 1, sizeof(float)), 1, gpu),
        start(MemorySpace::device, 1) {}

  void clear(const Stream& stream) {
    fill_bytes(pressure.data(), 0, pressure.bytes(), stream);
    fill_bytes(expected_change.data(), 0, expected_change.bytes(), stream);
  }

  FieldSet<Real> pressure;
  FieldSet<float> expected_change;
  Buffer<StartOnGpu> start;
};

/// The step to come by one thread, and the factors and times of its stages. The clock lies in the
/// GPU's memory: a recorded graph serves any step.
template <class Real>
struct ChooseStep {
  StepClock* clock;
  StageFactorsOnGpu<Real>* factors;
  StageTimes* times;
  ImplicitSlot<Real>* implicit;  ///< null: diffusion is explicit
  StartOnGpu* start;             ///< null: the pressure is not extrapolated
  bool ends_step;

  __device__ void operator()(std::int64_t /*only*/ = 0) const {
    StepClock now = *clock;
    ends_step ? now.end_step() : now.choose();
    *clock = now;
    if (start != nullptr) {
      start->weights = weights_of_start(now, start->first);
    }
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

/// Has a step that was begun ahead begin by the clock, too.
struct BeginStep {
  StepClock* clock;
  StepAhead* ahead;
  StartOnGpu* start;  ///< null: the pressure is not extrapolated

  __device__ void operator()(std::int64_t /*only*/) const {
    StepClock now = *clock;
    ahead->begin(now);
    *clock = now;
    if (start != nullptr) {
      start->weights = weights_of_start(now, start->first);
    }
  }
};

/// The step to come ahead of the end of the one before, likewise.
template <class Real>
struct PlanStep {
  StepClock* clock;
  StepAhead* ahead;
  StageFactorsOnGpu<Real>* factors;  ///< of its stage
  bool begins_step;                  ///< the one before, which was begun ahead, too

  __device__ void operator()() const {
    StepClock now = *clock;
    StepAhead next = *ahead;
    if (begins_step) {
      next.begin(now);
    }
    next.plan(now);
    *clock = now;
    *ahead = next;
    const StepState& step = next.step;
    *factors = last_factors<Real>(stages_of(now.rule.scheme, step.dt, step.dt_before));
  }
};

/// The stage of a step that was begun ahead, and whether it was another one.
template <class Real>
struct AmendStep {
  const StepClock* clock;
  const StepAhead* ahead;

  __device__ bool operator()(StageFactorsOnGpu<Real>& stage) const {
    const StepState due = StepAhead::due(*clock);
    stage = last_factors<Real>(stages_of(clock->rule.scheme, due.dt, due.dt_before));
    return due.dt != ahead->step.dt;
  }
};

/// What steps need that are begun ahead.
template <class Real>
struct AheadOnGpu {
  AheadOnGpu() : step(MemorySpace::device, 1), factors(MemorySpace::device, 1) {}

  Buffer<StepAhead> step;
  Buffer<StageFactorsOnGpu<Real>> factors;
};

/// Views are those of fields or of a pressure solver's slots, of a block from cell (i0, j0, k0) on.
template <class Real, class View = FieldView<Real>>
struct SetPart {
  View field;
  OrderedPart<const double> from;
  Box block;

  __device__ void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    auto& to = field(i - block.i0, j - block.j0, k - block.k0);
    to = static_cast<std::remove_reference_t<decltype(to)>>(from(i, j, k));
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

/// Fields of a block as readers give them, in planes of the whole grid: cells of others are left.
class BlockOfFields final : public FlowReader {
 public:
  BlockOfFields(const std::vector<std::vector<double>>& fields, const Box& block)
      : fields_(fields), block_(block) {}

  void read(int field, const Box& part, double* values) const override {
    const double* const own = fields_[static_cast<std::size_t>(field)].data();
    const Extents n = part.extents();
    const Extents of_block = block_.extents();
    for_cells(common(part, block_), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      const std::int64_t row = (i - part.i0) * n.nj + j - part.j0;
      const std::int64_t own_row = (i - block_.i0) * of_block.nj + j - block_.j0;
      values[row * n.nk + k - part.k0] = own[own_row * of_block.nk + k - block_.k0];
    });
  }

 private:
  const std::vector<std::vector<double>>& fields_;
  Box block_;
};

/// Numbers in FlowRates.
constexpr int rates = 3;

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
        n_(plan_.block().extents()),
        count_(plan.fields()),
        stream_(plan.problem().device),
        gpu_(stream_),
        layout_(n_, 1, sizeof(Real)),
        sides_{FieldSet<Real>(layout_, count_, plan.problem().device),
               FieldSet<Real>(layout_, count_, plan.problem().device)},
        clock_(MemorySpace::device, 1),
        pressure_(make_cuda_pressure<Real>(plan, stream_, &clock_.data()->next.weight)),
        halo_(plan_, layout_, stream_),
        rules_(on_gpu(gpu_, continuations_of_block(plan_.ghosts(), plan_.grid(), plan_.block()))),
        factors_(MemorySpace::device, factor_slots),
        times_(MemorySpace::device, factor_slots),
        drive_(drive_of(plan.problem(), plan.grid())),
        varying_walls_(on_gpu(gpu_, drive_.walls)),
        varying_sources_(on_gpu(gpu_, drive_.sources)),
        source_factors_(on_gpu(gpu_, std::vector<Real>(max_fields, Real(1)))),
        tallies_(plan_, gpu_),
        bounded_(plan_, gpu_, halo_),
        profiles_(plan_, gpu_),
        elements_(gpu_) {
    for (int sets = keeps_both_tendencies(plan_) ? 2 : 1; sets > 0; --sets) {
      tendencies_.emplace_back(layout_, count_, plan.problem().device);
    }
    for (const int axis : storage_axes) {
      const auto n = static_cast<std::size_t>(axis);
      const GridAxis& line = plan_.grid().axis(axis);
      centre_lines_[n] = on_gpu(gpu_, line.centres);
      centres_.along[axis] = centre_lines_[n].data() + first_cell(axis);
      metrics_[n] = on_gpu(gpu_, cells_of_block(metrics_of<Real>(line), plan_.block(), axis));
    }
    if (plan_.is_shared()) {
      static_assert(sizeof(FlowRates) == rates * sizeof(double));
      over_ranks_ =
          std::make_unique<GpuReduction>(*plan_.ranks(), rates, Transport::automatic, stream_);
    }
    describe_flow();
    for (FieldSet<Real>& set : sides_) {
      fill_bytes(set.data(), 0, set.bytes(), stream_);
    }
    for (FieldSet<Real>& set : tendencies_) {
      fill_bytes(set.data(), 0, set.bytes(), stream_);
    }
    if (plan_.leaves_projections()) {
      const bool can = can_advance_unprojected(flow_, medium_, has_sources(plan.problem()),
                                               pressure_->solution());
      expects(can, "unprojected flows have a kernel");
      ahead_ = std::make_unique<AheadOnGpu<Real>>();
      fill_bytes(ahead_->step.data(), 0, ahead_->step.bytes(), stream_);
    }
    if (extrapolates_pressure(plan_)) {
      past_ = std::make_unique<PastPressureOnGpu<Real>>(layout_, plan.problem().device);
      past_->clear(stream_);
      set_first_pressure(step_of_first_pressure);
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
  void set_first_pressure(std::int64_t step) {
    const StartOnGpu start{.first = step};
    copy_bytes(past_->start.data(), &start, sizeof(start), stream_);
    stream_.synchronize();
  }
  [[nodiscard]] bool keeps_pressure() const { return implicit_ != nullptr; }
  void forget_kept_pressure() { implicit_->forget_pressure(); }
  void forget_rates() {
    fill_bytes(&clock_.data()->of_flow, 0, sizeof(FlowRates), stream_);
    fill_bytes(&clock_.data()->noted, 0, sizeof(FlowRates), stream_);
  }
  [[nodiscard]] StepState progress() const { return state_of(clock_.data()->progress); }
  [[nodiscard]] StepState upcoming() const { return state_of(clock_.data()->next); }
  void choose_step() {
    find_largest_rates();
    gpu_.each(1, choice(false));
  }

  void fill_ghosts_and_end_step(std::size_t to) {
    find_largest_rates();
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
        diverge(to);
        break;
      case StagePart::pressure:
        pressure_->solve();
        solved_ = true;
        break;
      case StagePart::projection:
        project_and_exchange(to);
        bounded_.queue_exchange(flow_, next, &clock_.data()->noted.exchange);
        break;
      case StagePart::ghosts:
        queue_ghosts(stream_, flow_, centres_, rules_.data(), count_, next);
        break;
    }
  }

  void leave_projection(std::size_t to, bool begins_step) {
    const PlanStep<Real> plan{clock_.data(), ahead_->step.data(), ahead_->factors.data(),
                              begins_step};
    queue_outer_ghosts(stream_, flow_, centres_, rules_.data(), count_, pressure_->solution(),
                       sides_[to][0].origin, plan);
  }

  void advance_unprojected(std::size_t to) {
    AdvanceArguments<Real> arguments = advance_into(to);
    arguments.stage = ahead_->factors.data();
    arguments.largest_buoyancy = &ahead_->step.data()->buoyancy;
    Real* const next_tendency = tendencies_[tendency_after(stage_ahead)][0].origin;
    const poisson::CellSlots<Real> potential = pressure_->solution();
    queue_advance_unprojected(stream_, arguments, next_tendency, potential,
                              &clock_.data()->noted.advection);
    if (keeps_both_tendencies(plan_)) {
      queue_amended_advance(stream_, arguments, next_tendency, potential,
                            AmendStep<Real>{clock_.data(), ahead_->step.data()});
    }
  }

  void begin_step_ahead() {
    gpu_.each(1,
              BeginStep{clock_.data(), ahead_->step.data(), past_ ? past_->start.data() : nullptr});
  }

  /// The stage of a kind into each side is recorded once, after the first solve, where it can be.
  template <class LaunchAll>
  void launch_stage(int kind, std::size_t to, const LaunchAll& all) {
    std::unique_ptr<Graph>& graph = graphs_[static_cast<std::size_t>(kind)][to][tendency_];
    if (!graph && solved_ && recordable()) {
      graph = std::make_unique<Graph>(stream_, all);
    }
    if (graph) {
      graph->launch(stream_);
    } else {
      all();
    }
    tendency_ = tendency_after(kind);
  }

  void mark(std::size_t n) { marks_[n].record(stream_); }
  [[nodiscard]] double seconds_after(std::size_t n) const {
    return Event::seconds_between(marks_[n], marks_[n + 1]);
  }

  void set_fields(const FlowReader& flow, std::size_t side) {
    solving_ = false;
    set_field_by_field(
        sides_[side], [&](int /*field*/) { return true; }, flow);
    FieldSet<Real>& tendencies = tendencies_[tendency_];
    gpu_.fill(tendencies.data(), static_cast<std::int64_t>(tendencies.size()), Real(0));
    if (past_) {
      past_->clear(stream_);
    }
    bounded_.restart(gpu_);
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
    PiecesToGpu pieces = pieces_of(cells);
    with_kept(*this, what, side, field,
              [&](const auto& view) { set_cells(view, cells, pieces, from); });
    if (what == Kept::pressure) {
      implicit_->exchange_pressure(halo_);
    }
    stream_.synchronize();
  }

  void fill_ghosts(std::size_t side) {
    halo_.exchange_all(sides_[side]);
    queue_ghosts(stream_, flow_, centres_, rules_.data(), count_, sides_[side][0].origin);
  }

  [[nodiscard]] FlowTallies tallies(std::size_t side) {
    return merged_by_ranks(plan_.ranks(),
                           tallies_.of(stream_, flow_, values_of(side), sources_now()));
  }

  [[nodiscard]] std::vector<double> profile_means(std::size_t side, int axis) {
    return profiles_.means(stream_, flow_, values_of(side), axis);
  }

  void prepare_to_gather(const std::vector<std::vector<FieldElement>>& lists) {
    owned_.clear();
    std::vector<std::vector<FieldElement>> mine;
    for (const std::vector<FieldElement>& list : lists) {
      mine.push_back(owned_.emplace_back(plan_.ranks(), plan_.cut(), list).mine());
    }
    elements_.set(flow_, mine);
  }

  [[nodiscard]] std::vector<double> gathered(std::size_t side, std::size_t number,
                                             const std::vector<FieldElement>& /*list*/) const {
    return owned_[number].of_all_ranks(elements_.values(values_of(side), number));
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

  void extrapolate_pressure() { queue_start(&past_->start.data()->weights); }

  void extrapolate_pressure(const StartWeights& weights) {
    gpu_.each(1, SetWeights{&past_->start.data()->given, weights});
    queue_start(&past_->start.data()->given);
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
        return body(self.tendencies_[self.tendency_][field]);
      case Kept::pressure:
        return body(self.implicit_->pressure());
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

  /// Collective: of all cells of the grid, or faces; view(i, j, k) is of this rank's.
  template <class View>
  void read_view(const View& view, const Extents& all, const Box& part, double* values) const {
    read_blocks(plan_.ranks(), plan_.cut(), all, part, values,
                [&](const Box& own, double* to) { copy_cells(view, own, to); });
  }

  template <class View>
  void copy_cells(const View& view, const Box& own, double* to) const {
    const Extents n = own.extents();
    gather(stream_, view, own, gpu_.make<double>(planes_of_a_piece(n) * n.nj * n.nk), to);
  }

  [[nodiscard]] std::int64_t first_cell(int axis) const {
    const Box& block = plan_.block();
    return std::array{block.i0, block.j0, block.k0}[static_cast<std::size_t>(axis)];
  }

  [[nodiscard]] bool recordable() const {
    return pressure_->recordable() && halo_.recordable() &&
           (over_ranks_ == nullptr || over_ranks_->recordable());
  }

  /// All ranks choose the same step.
  void find_largest_rates() const {
    if (over_ranks_ != nullptr) {
      over_ranks_->queue_largest(&clock_.data()->noted.advection, rates);
    }
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
    return {clock_.data(),
            factors_.data(),
            times_.data(),
            implicit_ ? implicit_->slots() : nullptr,
            past_ ? past_->start.data() : nullptr,
            ends_step};
  }

  /// The set that has the tendencies after a stage: one that may be repeated leaves those that it
  /// reads.
  [[nodiscard]] std::size_t tendency_after(int kind) const {
    return kind == stage_ahead && tendencies_.size() > 1 ? 1 - tendency_ : tendency_;
  }

  [[nodiscard]] AdvanceArguments<Real> advance_into(std::size_t to) {
    return {.flow = flow_,
            .medium = medium_,
            .stage = factors_.data() + slot_,
            .fields = values_of(1 - to),
            .source = sources_ ? (*sources_)[0].origin : nullptr,
            .source_factor = source_factors_.data(),
            .tendency = tendencies_[tendency_][0].origin,
            .next = sides_[to][0].origin,
            .planes_per_block = planes_per_block_,
            .largest_buoyancy = &clock_.data()->noted.buoyancy};
  }

  void queue_start(const StartWeights* weights) {
    convection::queue_start<Real>(
        gpu_, n_, {weights, pressure_->solution(), past_->pressure[0], past_->expected_change[0]});
  }

  /// The last plane waits for the velocity beyond it, the others need not.
  void diverge(std::size_t to) {
    const poisson::CellSlots<Real> right_side = pressure_->right_side();
    Real* const next = sides_[to][0].origin;
    if (solving_) {
      halo_.exchange_velocities(sides_[to]);
      implicit_->queue_divergence(flow_, values_of(1 - to), next, right_side, slot_);
      return;
    }
    if (pressure_->takes_divergence()) {
      pressure_->take_divergence(velocity_of(to));
      return;
    }
    const auto queue = [&](const PlanesOfBlock& planes) {
      queue_divergence(stream_, planes, flow_, static_cast<const Real*>(next), right_side);
    };
    if (!shares_planes_alone()) {
      halo_.exchange_velocities(sides_[to]);
      queue(all_planes(flow_));
      return;
    }
    const int last = flow_.cells[0] - 1;
    halo_.start_velocities(sides_[to]);
    queue({.first = 0, .count = last});
    halo_.finish_velocities();
    queue({.first = last, .count = 1});
  }

  /// What other ranks wait for first, and the rest while it travels.
  void project_and_exchange(std::size_t to) {
    if (!shares_planes_alone()) {
      project(to, all_planes(flow_));
      halo_.exchange_all(sides_[to]);
      if (implicit_) {
        implicit_->exchange_pressure(halo_);
      }
      return;
    }
    const int planes = flow_.cells[0];
    const bool is_thick = planes > 1;
    project(to, {.first = 0, .count = is_thick ? 2 : 1, .step = planes - 1});
    halo_.start_all(sides_[to]);
    project(to, {.first = 1, .count = std::max(0, planes - 2)});
    halo_.finish_all();
  }

  [[nodiscard]] bool shares_planes_alone() const {
    return plan_.is_shared() && plan_.cut().grid().j == 1;
  }

  void project(std::size_t to, const PlanesOfBlock& planes) {
    double* const largest = &clock_.data()->noted.advection;
    Real* const next = sides_[to][0].origin;
    const poisson::CellSlots<Real> potential = pressure_->solution();
    if (solving_) {
      implicit_->queue_projection(flow_, values_of(1 - to), next, potential, largest, slot_);
    } else if (implicit_) {
      implicit_->project_values(flow_, next, potential, largest, slot_);
    } else {
      queue_projection(stream_, planes, flow_, next, potential, largest);
    }
    solving_ = false;
  }

  [[nodiscard]] const Real* values_of(std::size_t side) const { return sides_[side][0].origin; }

  [[nodiscard]] poisson::FaceVelocity<Real> velocity_of(std::size_t side) const {
    return {.along_i = sides_[side][0].origin,
            .along_j = sides_[side][1].origin,
            .along_k = sides_[side][2].origin,
            .plane_pitch = layout_.plane_pitch(),
            .row_pitch = layout_.row_pitch()};
  }

  [[nodiscard]] SourcesOnGpu<Real> sources_now() const {
    const double time = drive_.sources.empty() ? 0.0 : progress().time;
    return {sources_ ? (*sources_)[0].origin : nullptr, source_factors_at(drive_, time)};
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
             .walls = wall_faces_of(plan_.grid(), plan_.block())};
    medium_ = medium_of<Real>(plan_.stepped(), plan_.grid());
    planes_per_block_ = planes_per_block(flow_.cells, multiprocessors_of(plan_.problem().device));
  }

  void copy_sources() {
    if (!has_sources(plan_.problem())) {
      return;
    }
    const std::vector<std::vector<double>> sources =
        steady_sources(plan_.problem(), plan_.grid(), plan_.block());
    sources_ = std::make_unique<FieldSet<Real>>(layout_, count_, plan_.problem().device);
    fill_bytes(sources_->data(), 0, sources_->bytes(), stream_);
    set_field_by_field(
        *sources_, [&](int field) { return !sources[static_cast<std::size_t>(field)].empty(); },
        BlockOfFields(sources, plan_.block()));
  }

  /// Sets the fields that are wanted; wanted(field).
  template <class Wanted>
  void set_field_by_field(FieldSet<Real>& set, const Wanted& wanted, const FlowReader& flow) const {
    const Extents cells = plan_.grid().extents();
    PiecesToGpu pieces = pieces_of(cells);
    for (int field = 0; field < count_; ++field) {
      if (wanted(field)) {
        set_cells(set[field], cells, pieces,
                  [&](const Box& part, double* values) { flow.read(field, part, values); });
      }
    }
    stream_.synchronize();
  }

  [[nodiscard]] static PiecesToGpu pieces_of(const Extents& n) {
    return PiecesToGpu(static_cast<std::size_t>(planes_of_a_piece(n) * n.nj * n.nk));
  }

  /// From all cells or faces of the grid, `n`, some planes at a time, those of this rank: with the
  /// upper faces of its last cells.
  template <class View>
  void set_cells(const View& view, const Extents& n, PiecesToGpu& pieces,
                 const CellReader& from) const {
    const std::int64_t planes = planes_of_a_piece(n);
    const Extents cells = plan_.grid().extents();
    Box own = plan_.block();
    own.i1 += n.ni - cells.ni;
    own.j1 += n.nj - cells.nj;
    own.k1 += n.nk - cells.nk;
    for (std::int64_t i = own.i0; i < own.i1; i += planes) {
      const Box part{i, std::min(i + planes, own.i1), 0, n.nj, 0, n.nk};
      double* const values = pieces.on_host[pieces.turn].data();
      pieces.copied[pieces.turn].synchronize();
      from(part, values);
      copy_bytes(pieces.on_gpu.data(), values,
                 static_cast<std::size_t>(part.extents().count()) * sizeof(double), stream_);
      pieces.copied[pieces.turn].record(stream_);
      for_each(stream_, common(part, own),
               SetPart<Real, View>{view, {part, pieces.on_gpu.data()}, own});
      pieces.turn = 1 - pieces.turn;
    }
  }

  const Plan& plan_;
  Extents n_;
  int count_;
  Stream stream_;
  CudaExecutor gpu_;
  Layout layout_;
  std::array<FieldSet<Real>, 2> sides_;
  std::vector<FieldSet<Real>> tendencies_;  ///< two sets where stages may be repeated
  std::size_t tendency_ = 0;                ///< the set of the last stage
  std::unique_ptr<FieldSet<Real>> sources_;
  Buffer<StepClock> clock_;
  std::unique_ptr<poisson::Solver<Real>> pressure_;
  std::unique_ptr<PastPressureOnGpu<Real>> past_;  ///< where the pressure is extrapolated
  FlowHalo<Real> halo_;
  std::unique_ptr<GpuReduction> over_ranks_;  ///< where there are several
  Buffer<Continuations> rules_;
  Buffer<StageFactorsOnGpu<Real>> factors_;
  Buffer<StageTimes> times_;  ///< of the stages whose factors these slots hold
  Drive drive_;
  Buffer<VaryingWall> varying_walls_;
  Buffer<VaryingSource> varying_sources_;
  Buffer<Real> source_factors_;
  TalliesOnGpu<Real> tallies_;
  CudaBounded<Real> bounded_;
  ProfilesOnGpu<Real> profiles_;
  std::unique_ptr<CopiedFields<Real>> copied_;  ///< once there is a copy
  ElementsOnGpu<Real> elements_;
  std::vector<OwnedElements> owned_;  ///< of the lists to gather
  std::array<Buffer<AxisMetric<Real>>, 3> metrics_;
  std::array<Buffer<double>, 3> centre_lines_;
  CentreLines centres_;
  FlowOnGpu<Real> flow_{};
  Medium<Real> medium_;
  std::unique_ptr<AheadOnGpu<Real>> ahead_;        ///< where projections can be left
  std::unique_ptr<ImplicitOnGpu<Real>> implicit_;  ///< where diffusion is implicit
  bool solving_ = false;  ///< lines of a stage are on their way: the projection ends it
  int planes_per_block_ = 1;
  int slot_ = given_slot;  ///< of the factors in use
  /// Graphs of the stages, by their kind, the side that they write and the set of tendencies that
  /// they read.
  std::array<std::array<std::array<std::unique_ptr<Graph>, 2>, 2>, stage_kinds> graphs_;
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
