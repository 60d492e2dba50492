#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/core/exec/for_each.cuh"
#include "bankfull/core/exec/graph.hpp"
#include "bankfull/core/field/field_set.hpp"
#include "bankfull/workloads/convection/cuda/advance.cuh"
#include "bankfull/workloads/convection/cuda/ghosts.cuh"
#include "bankfull/workloads/convection/cuda/projection.cuh"
#include "bankfull/workloads/convection/cuda/tally.cuh"
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

/// What the length of the steps goes by, in the GPU's memory: a recorded graph serves any step.
struct StepClock {
  StepRule rule;
  StepState progress;
  FlowRates rates;  ///< since the last choice of a step
};

/// next_step by one thread, and the factors of its stages.
template <class Real>
struct ChooseStep {
  StepClock* clock;
  StageFactorsOnGpu<Real>* factors;

  __device__ void operator()(std::int64_t /*only*/) const {
    const StepState next = next_step(clock->rule, clock->progress, clock->rates);
    clock->progress = next;
    clock->rates = {};
    const Stages stages = stages_of(clock->rule.scheme, next.dt, next.dt_before);
    for (int n = 0; n < stages.count; ++n) {
      factors[n] = factors_of<Real>(stages.at[n]);
    }
  }
};

/// Sets a field to values in order, without ghosts.
template <class Real>
struct SetField {
  FieldView<Real> field;
  Extents cells;
  const Real* values;

  __device__ void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    field(i, j, k) = values[(i * cells.nj + j) * cells.nk + k];
  }
};

/// Puts a part of a field in order.
template <class Real>
struct GatherField {
  FieldView<const Real> field;
  Box part;
  Real* values;

  __device__ void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    const Extents n = part.extents();
    values[((i - part.i0) * n.nj + j - part.j0) * n.nk + k - part.k0] = field(i, j, k);
  }
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
        pressure_(make_cuda_pressure<Real>(plan, stream_)),
        planes_(on_gpu(gpu_, metrics_of<Real>(plan_.grid().axis(0)))),
        rules_(on_gpu(gpu_, plan_.ghosts())),
        factors_(MemorySpace::device, factor_slots),
        clock_(MemorySpace::device, 1),
        tally_room_(MemorySpace::device, tally_bytes) {
    for (const int axis : storage_axes) {
      const auto n = static_cast<std::size_t>(axis);
      centre_lines_[n] = on_gpu(gpu_, plan_.grid().axis(axis).centres);
      centres_.along[axis] = centre_lines_[n].data();
    }
    describe_flow();
    for (FieldSet<Real>* set : {&sides_[0], &sides_[1], &tendencies_}) {
      fill_bytes(set->data(), 0, set->bytes(), stream_);
    }
    copy_sources();
  }

  void set_factors(int slot, const Stage& stage) {
    gpu_.each(1, SetFactors<Real>{factors_.data() + slot, factors_of<Real>(stage)});
  }
  void use_factors(int slot) { slot_ = slot; }

  void set_rule(const StepRule& rule) {
    copy_bytes(&clock_.data()->rule, &rule, sizeof(rule), stream_);
    stream_.synchronize();
  }
  void restart_clock() {
    const StepState start;
    copy_bytes(&clock_.data()->progress, &start, sizeof(start), stream_);
    stream_.synchronize();
  }
  [[nodiscard]] static bool keeps_pressure() { return false; }
  void forget_kept_pressure() {}
  void forget_rates() { fill_bytes(&clock_.data()->rates, 0, sizeof(FlowRates), stream_); }
  [[nodiscard]] StepState progress() const {
    StepState progress;
    copy_bytes(&progress, &clock_.data()->progress, sizeof(progress), stream_);
    stream_.synchronize();
    return progress;
  }
  void choose_step() { gpu_.each(1, ChooseStep<Real>{clock_.data(), factors_.data()}); }

  void launch(StagePart part, std::size_t to) {
    const FieldSet<Real>& from = sides_[1 - to];
    Real* const next = sides_[to][0].origin;
    switch (part) {
      case StagePart::advance:
        queue_advance(stream_,
                      AdvanceArguments<Real>{.flow = flow_,
                                             .medium = medium_,
                                             .stage = factors_.data() + slot_,
                                             .fields = from[0].origin,
                                             .source = sources_ ? (*sources_)[0].origin : nullptr,
                                             .tendency = tendencies_[0].origin,
                                             .next = next,
                                             .planes_a_block = planes_a_block_,
                                             .largest_buoyancy = &clock_.data()->rates.buoyancy});
        break;
      case StagePart::divergence:
        queue_divergence(stream_, flow_, static_cast<const Real*>(next), pressure_->right_side());
        break;
      case StagePart::pressure:
        pressure_->solve();
        solved_ = true;
        break;
      case StagePart::projection:
        queue_projection(stream_, flow_, next, pressure_->solution(),
                         &clock_.data()->rates.advection);
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

  void set_fields(const FlowState& state, std::size_t side) {
    FieldSet<Real>& room = sides_[1 - side];
    for (int field = 0; field < count_; ++field) {
      const std::vector<double>& values = state.fields[static_cast<std::size_t>(field)];
      const std::vector<Real> narrowed(values.begin(), values.end());
      gpu_.from_host(narrowed, room.data());
      set_field(sides_[side][field], room.data());
    }
    gpu_.fill(tendencies_.data(), static_cast<std::int64_t>(tendencies_.size()), Real(0));
  }

  [[nodiscard]] FlowState fields(std::size_t side) const {
    FlowState state;
    // By pieces: there may be no room on the GPU for another field.
    constexpr std::int64_t piece_values = std::int64_t{1} << 23;
    const std::int64_t planes = std::clamp<std::int64_t>(piece_values / (n_.nj * n_.nk), 1, n_.ni);
    const Buffer<Real> room = gpu_.make<Real>(planes * n_.nj * n_.nk);
    for (int field = 0; field < count_; ++field) {
      std::vector<double>& values = state.fields.emplace_back();
      values.reserve(static_cast<std::size_t>(n_.count()));
      for (std::int64_t i = 0; i < n_.ni; i += planes) {
        const Box part{i, std::min(i + planes, n_.ni), 0, n_.nj, 0, n_.nk};
        for_each(stream_, part, GatherField<Real>{sides_[side][field], part, room.data()});
        const std::vector<Real> piece = gpu_.to_host(room.data(), part.extents().count());
        values.insert(values.end(), piece.begin(), piece.end());
      }
    }
    return state;
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

  [[nodiscard]] poisson::Solver<Real>& pressure() const { return *pressure_; }

  void finish() const { stream_.synchronize(); }

 private:
  [[nodiscard]] const Real* values_of(std::size_t side) const { return sides_[side][0].origin; }

  [[nodiscard]] SourcesOnGpu<Real> sources_beside(std::size_t side) const {
    return {values_of(side), sources_ ? (*sources_)[0].origin : nullptr};
  }

  void describe_flow() {
    const std::vector<AxisMetric<Real>> rows = metrics_of<Real>(plan_.grid().axis(1));
    const std::vector<AxisMetric<Real>> columns = metrics_of<Real>(plan_.grid().axis(2));
    flow_ = {.strides = {sides_[0].stride(), layout_.plane_pitch(), layout_.row_pitch()},
             .cells = {static_cast<int>(n_.ni), static_cast<int>(n_.nj), static_cast<int>(n_.nk)},
             .planes = planes_.data(),
             .row = rows.front(),
             .column = columns.front(),
             .walls = wall_faces_of(plan_.grid())};
    medium_ = medium_of<Real>(plan_.problem(), plan_.grid());
    planes_a_block_ = planes_a_block(flow_.cells, multiprocessors_of(plan_.problem().device));
  }

  void copy_sources() {
    const std::vector<std::vector<double>> sources = steady_sources(plan_.problem(), plan_.grid());
    if (std::all_of(sources.begin(), sources.end(), [](const auto& s) { return s.empty(); })) {
      return;
    }
    sources_ = std::make_unique<FieldSet<Real>>(layout_, count_, plan_.problem().device);
    fill_bytes(sources_->data(), 0, sources_->bytes(), stream_);
    for (int field = 0; field < count_; ++field) {
      const std::vector<double>& values = sources[static_cast<std::size_t>(field)];
      if (!values.empty()) {
        const std::vector<Real> narrowed(values.begin(), values.end());
        gpu_.from_host(narrowed, sides_[1].data());
        set_field((*sources_)[field], sides_[1].data());
      }
    }
    fill_bytes(sides_[1].data(), 0, sides_[1].bytes(), stream_);
  }

  void set_field(const FieldView<Real>& field, const Real* values) const {
    for_each(stream_, box_of(n_), SetField<Real>{field, n_, values});
  }

  [[nodiscard]] CellInBox<Real> cell_in_box() const {
    CellInBox<Real> box{.walls = flow_.walls,
                        .length = {},
                        .part_per_width = plan_.grid().axis(1).cells.widths.front() *
                                          plan_.grid().axis(2).cells.widths.front() /
                                          plan_.grid().volume(),
                        .cells = {flow_.cells[0], flow_.cells[1], flow_.cells[2]}};
    for (const int axis : storage_axes) {
      box.length[axis] = plan_.grid().axis(axis).length();
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
  std::unique_ptr<poisson::Solver<Real>> pressure_;
  Buffer<AxisMetric<Real>> planes_;
  Buffer<Continuations> rules_;
  Buffer<StageFactorsOnGpu<Real>> factors_;
  Buffer<StepClock> clock_;
  Buffer<unsigned char> tally_room_;
  std::array<Buffer<double>, 3> centre_lines_;
  CentreLines centres_;
  FlowOnGpu<Real> flow_{};
  Medium<Real> medium_;
  int planes_a_block_ = 1;
  int slot_ = given_slot;  ///< of the factors in use
  /// Of the stages with a slot's factors that write a side.
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
