#include "bankfull/workloads/convection/cuda_integrator.hpp"

#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/core/exec/for_each.cuh"
#include "bankfull/core/exec/graph.hpp"
#include "bankfull/core/field/field_set.hpp"
#include "bankfull/workloads/convection/cuda/advance.cuh"
#include "bankfull/workloads/convection/cuda/ghosts.cuh"
#include "bankfull/workloads/convection/cuda/projection.cuh"
#include "bankfull/workloads/convection/cuda/tally.cuh"
#include "bankfull/workloads/convection/flow.hpp"
#include "bankfull/workloads/convection/pressure.hpp"
#include "bankfull/workloads/convection/traffic.hpp"

#include <algorithm>
#include <array>

namespace bankfull::convection {
namespace {

template <class Real>
struct SetFactors {
  StageFactorsOnGpu<Real>* to;
  StageFactorsOnGpu<Real> factors;

  __device__ void operator()(std::int64_t /*only*/) const { *to = factors; }
};

/// Between a field and values in order, without ghosts.
template <class Real, bool ToField>
struct CopyValues {
  Real* field;
  std::int64_t plane;
  std::int64_t row;
  Extents cells;
  Real* values;

  __device__ void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    Real& in_field = field[i * plane + j * row + k];
    Real& in_order = values[(i * cells.nj + j) * cells.nk + k];
    if (ToField) {
      in_field = in_order;
    } else {
      in_order = in_field;
    }
  }
};

template <class T>
Buffer<T> on_gpu(const CudaExecutor& gpu, const std::vector<T>& values) {
  Buffer<T> buffer = gpu.make<T>(static_cast<std::int64_t>(values.size()));
  gpu.from_host(values, buffer.data());
  return buffer;
}

template <class Real>
class CudaIntegrator final : public Integrator {
 public:
  explicit CudaIntegrator(const Problem& problem)
      : problem_(problem),
        grid_(problem.axes),
        n_(grid_.extents()),
        count_(3 + static_cast<int>(problem.scalars.size())),
        stream_(problem.device),
        gpu_(stream_),
        layout_(n_, 1, sizeof(Real)),
        sides_{FieldSet<Real>(layout_, count_, problem.device),
               FieldSet<Real>(layout_, count_, problem.device)},
        tendencies_(layout_, count_, problem.device),
        pressure_(make_cuda_pressure<Real>(problem, grid_, stream_)),
        planes_(on_gpu(gpu_, metrics_of<Real>(grid_.axis(0)))),
        rules_(on_gpu(gpu_, continuations_of(problem, grid_))),
        factors_(MemorySpace::device, 1),
        tally_room_(MemorySpace::device, tally_bytes) {
    for (const int axis : storage_axes) {
      const auto n = static_cast<std::size_t>(axis);
      centre_lines_[n] = on_gpu(gpu_, grid_.axis(axis).centres);
      centres_.along[axis] = centre_lines_[n].data();
    }
    describe_flow();
    for (const FieldSet<Real>* set : {&sides_[0], &sides_[1], &tendencies_}) {
      fill_bytes(set->data(), 0, set->bytes(), stream_);
    }
    copy_sources();
  }

  void advance(const Stage& stage) override {
    set_factors(stage);
    if (graphs_[now_]) {
      graphs_[now_]->launch(stream_);
    } else if (solved_) {
      graphs_[now_] = std::make_unique<Graph>(stream_, [this] { queue_stage(); });
      graphs_[now_]->launch(stream_);
    } else {
      queue_stage();
      solved_ = true;
    }
    now_ = 1 - now_;
  }

  StageSeconds advance_timed(const Stage& stage) override {
    set_factors(stage);
    std::array<Event, stage_parts + 1> passed;
    for (int part = 0; part < stage_parts; ++part) {
      passed[static_cast<std::size_t>(part)].record(stream_);
      queue(static_cast<StagePart>(part));
    }
    passed.back().record(stream_);
    now_ = 1 - now_;
    StageSeconds seconds{};
    for (std::size_t part = 0; part < seconds.size(); ++part) {
      seconds[part] = Event::seconds_between(passed[part], passed[part + 1]);
    }
    return seconds;
  }

  void load(const FlowState& state) override {
    const FieldSet<Real>& room = sides_[1 - now_];
    for (int field = 0; field < count_; ++field) {
      const std::vector<double>& values = state.fields[static_cast<std::size_t>(field)];
      const std::vector<Real> narrowed(values.begin(), values.end());
      gpu_.from_host(narrowed, room.data());
      copy_values<true>(sides_[now_][field].origin, room.data());
    }
    gpu_.fill(tendencies_.data(), static_cast<std::int64_t>(tendencies_.size()), Real(0));
    pressure_->forget();
    Real* const fields = sides_[now_][0].origin;
    queue_divergence(stream_, flow_, static_cast<const Real*>(fields), pressure_->right_side());
    pressure_->solve();
    queue_projection(stream_, flow_, fields, pressure_->solution());
    queue_ghosts(stream_, flow_, centres_, rules_.data(), count_, fields);
    solved_ = true;
    stream_.synchronize();
  }

  [[nodiscard]] FlowState state() const override {
    FlowState state;
    const FieldSet<Real>& room = sides_[1 - now_];
    for (int field = 0; field < count_; ++field) {
      copy_values<false>(sides_[now_][field].origin, room.data());
      const std::vector<Real> values = gpu_.to_host(room.data(), n_.count());
      state.fields.emplace_back(values.begin(), values.end());
    }
    return state;
  }

  [[nodiscard]] Diagnosis diagnose() override {
    const CellInBox<Real> box = cell_in_box();
    const Real* const fields = sides_[now_][0].origin;
    const auto flow =
        tallied_on_gpu<FlowTally>(stream_, flow_, fields, CountFlow<Real>{box}, tally_room_);
    std::vector<ScalarTally> scalars;
    for (int s = 0; s < count_ - 3; ++s) {
      const double kappa = problem_.scalars[static_cast<std::size_t>(s)].diffusivity;
      scalars.push_back(tallied_on_gpu<ScalarTally>(stream_, flow_, fields,
                                                    CountScalar<Real>{box, s, kappa}, tally_room_));
    }
    return diagnosis_of(grid_, flow, scalars);
  }

  [[nodiscard]] poisson::Outcome pressure_outcome() const override { return pressure_->outcome(); }

  void forget_pressure() override { pressure_->forget(); }

  [[nodiscard]] StageTraffic traffic() const override {
    const double solves = std::max(1, pressure_->outcome().cycles);
    return stage_traffic(problem_, solves * pressure_->traffic());
  }

  void finish() override { stream_.synchronize(); }

 private:
  void describe_flow() {
    const std::vector<AxisMetric<Real>> rows = metrics_of<Real>(grid_.axis(1));
    const std::vector<AxisMetric<Real>> columns = metrics_of<Real>(grid_.axis(2));
    flow_ = {.strides = {sides_[0].stride(), layout_.plane_pitch(), layout_.row_pitch()},
             .cells = {static_cast<int>(n_.ni), static_cast<int>(n_.nj), static_cast<int>(n_.nk)},
             .planes = planes_.data(),
             .row = rows.front(),
             .column = columns.front(),
             .walls = wall_faces_of(grid_)};
    medium_ = medium_of<Real>(problem_, grid_);
    planes_a_block_ = planes_a_block(flow_.cells, multiprocessors_of(problem_.device));
  }

  void copy_sources() {
    const std::vector<std::vector<double>> sources = steady_sources(problem_, grid_);
    if (std::all_of(sources.begin(), sources.end(), [](const auto& s) { return s.empty(); })) {
      return;
    }
    sources_ = std::make_unique<FieldSet<Real>>(layout_, count_, problem_.device);
    fill_bytes(sources_->data(), 0, sources_->bytes(), stream_);
    for (int field = 0; field < count_; ++field) {
      const std::vector<double>& values = sources[static_cast<std::size_t>(field)];
      if (!values.empty()) {
        const std::vector<Real> narrowed(values.begin(), values.end());
        gpu_.from_host(narrowed, sides_[1].data());
        copy_values<true>((*sources_)[field].origin, sides_[1].data());
      }
    }
    fill_bytes(sides_[1].data(), 0, sides_[1].bytes(), stream_);
  }

  template <bool ToField>
  void copy_values(Real* field, Real* values) const {
    for_each(
        stream_, box_of(n_),
        CopyValues<Real, ToField>{field, layout_.plane_pitch(), layout_.row_pitch(), n_, values});
  }

  void set_factors(const Stage& stage) {
    const bool known = stage.fresh == set_stage_.fresh && stage.previous == set_stage_.previous &&
                       stage.keeps == set_stage_.keeps;
    if (!known) {
      gpu_.each(1, SetFactors<Real>{factors_.data(),
                                    {static_cast<Real>(stage.fresh),
                                     static_cast<Real>(stage.previous), stage.keeps}});
      set_stage_ = stage;
    }
  }

  void queue_stage() {
    for (int part = 0; part < stage_parts; ++part) {
      queue(static_cast<StagePart>(part));
    }
  }

  void queue(StagePart part) {
    const FieldSet<Real>& from = sides_[now_];
    Real* const next = sides_[1 - now_][0].origin;
    switch (part) {
      case StagePart::advance:
        queue_advance(stream_,
                      AdvanceArguments<Real>{.flow = flow_,
                                             .medium = medium_,
                                             .stage = factors_.data(),
                                             .fields = from[0].origin,
                                             .source = sources_ ? (*sources_)[0].origin : nullptr,
                                             .tendency = tendencies_[0].origin,
                                             .next = next,
                                             .planes_a_block = planes_a_block_});
        break;
      case StagePart::divergence:
        queue_divergence(stream_, flow_, static_cast<const Real*>(next), pressure_->right_side());
        break;
      case StagePart::pressure:
        pressure_->solve();
        break;
      case StagePart::projection:
        queue_projection(stream_, flow_, next, pressure_->solution());
        break;
      case StagePart::ghosts:
        queue_ghosts(stream_, flow_, centres_, rules_.data(), count_, next);
        break;
    }
  }

  [[nodiscard]] CellInBox<Real> cell_in_box() const {
    CellInBox<Real> box{.walls = flow_.walls,
                        .length = {},
                        .part_per_width = grid_.axis(1).cells.widths.front() *
                                          grid_.axis(2).cells.widths.front() / grid_.volume(),
                        .cells = {flow_.cells[0], flow_.cells[1], flow_.cells[2]}};
    for (const int axis : storage_axes) {
      box.length[axis] = grid_.axis(axis).length();
    }
    return box;
  }

  Problem problem_;
  Grid grid_;
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
  Buffer<unsigned char> tally_room_;
  std::array<Buffer<double>, 3> centre_lines_;
  CentreLines centres_;
  FlowOnGpu<Real> flow_{};
  Medium<Real> medium_;
  int planes_a_block_ = 1;
  std::array<std::unique_ptr<Graph>, 2> graphs_;  ///< of a stage that reads this side
  std::size_t now_ = 0;                           ///< the side that holds the flow
  bool solved_ = false;                           ///< the first solve must not be recorded
  Stage set_stage_{.fresh = 0.0, .previous = 0.0, .keeps = false};
};

}  // namespace

template <class Real>
std::unique_ptr<Integrator> make_cuda_integrator(const Problem& problem) {
  select(problem.device);
  return std::make_unique<CudaIntegrator<Real>>(problem);
}

template std::unique_ptr<Integrator> make_cuda_integrator<float>(const Problem&);
template std::unique_ptr<Integrator> make_cuda_integrator<double>(const Problem&);

}  // namespace bankfull::convection
