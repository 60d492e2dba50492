#include "bankfull/core/base/error.hpp"
#include "bankfull/core/exec/for_each.cuh"
#include "bankfull/core/exec/graph.hpp"
#include "bankfull/core/exec/reduce.cuh"
#include "bankfull/core/machine/gpu.hpp"
#include "bankfull/workloads/himeno/cuda/direct.cuh"
#include "bankfull/workloads/himeno/cuda/fused_pass.cuh"
#include "bankfull/workloads/himeno/cuda/marching.cuh"
#include "bankfull/workloads/himeno/cuda/tuned.cuh"
#include "bankfull/workloads/himeno/fields.hpp"
#include "bankfull/workloads/himeno/sweep.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace bankfull::himeno {
namespace {

/// Passes that one graph holds; an even number, after which the pressures have their roles again.
constexpr int graph_passes = 16;

/// How a schedule with one iteration per pass is launched.
template <class T>
struct SingleSweep {
  void (*kernel)(SweepArguments<T>);
  TileGrid tiles;
  dim3 block;

  [[nodiscard]] std::string description() const {
    return "tile " + std::to_string(tiles.columns) + " x " + std::to_string(tiles.rows) + ", " +
           std::to_string(tiles.planes) + (tiles.planes == 1 ? " plane" : " planes") +
           " a block, " + std::to_string(tiles.count()) + " blocks of " +
           std::to_string(block.x * block.y) + " threads";
  }
};

template <class T>
class CudaSolver final : public Solver {
 public:
  CudaSolver(const Problem& problem, const Domain& domain, const Communicator& ranks)
      : Solver(ranks),
        precision_(problem.precision),
        stream_(problem.device),
        beside_(problem.device, StreamPriority::low),
        perturbation_(problem.perturbation),
        fields_(domain, problem.device),
        single_(make_runner(problem, plan_pass(problem.overlap, domain, thickness, problem.split),
                            halo_shape(1))),
        fused_(make_fused()),
        sums_(static_cast<std::size_t>(max_partials())),
        gosa_(MemorySpace::device, max_iterations_per_pass) {
    if (domain.ghosts > 1) {
      several_.emplace(make_runner(problem,
                                   plan_pass(Overlap::none, domain, thickness, problem.split),
                                   halo_shape(max_iterations_per_pass)));
    }
  }

  void prepare(Schedule schedule, std::int64_t iterations, Halos halos) override {
    select(stream_.device());
    PassRunner<T>& runner = runner_of(schedule);
    if (&runner != &single_ && halos == Halos::exchanged) {
      runner.refresh(fields_.pressure().origin);  // another schedule may have left thinner halos
    }
    if (batches_of(schedule, iterations) > 0) {
      graph_of(schedule, halos);
    }
    stream_.synchronize();
  }

  [[nodiscard]] std::vector<double> gosa_of_last_pass() const override {
    return gosa_of_last_pass_;
  }

  [[nodiscard]] std::optional<double> event_seconds() const override {
    return Event::seconds_between(started_, finished_);
  }

  [[nodiscard]] ScheduleFacts facts(Schedule schedule) override {
    const PassRunner<T>& runner = runner_of(schedule);
    return {.iterations_per_pass = iterations_per_pass(schedule),
            .iterations_per_batch = graph_passes * iterations_per_pass(schedule),
            .description = schedule == Schedule::fused
                               ? describe(fused().plan())
                               : single(schedule, domain().interior()).description(),
            .transport = runner.transport(),
            .sent_bytes = ranks().max(runner.sent_bytes()),
            .sent_bytes_single = ranks().max(single_.sent_bytes())};
  }

  [[nodiscard]] Work work(Schedule schedule, std::int64_t iterations) const override {
    return work_of(domain(), precision_, iterations_per_pass(schedule), iterations);
  }

  [[nodiscard]] std::vector<double> pressure() const override {
    return assemble(ranks(), domain(), pressure_in(owned_box(domain())));
  }

  [[nodiscard]] std::vector<double> pressure_in(const Box& part) const override {
    select(stream_.device());
    std::vector<T> host(static_cast<std::size_t>(part.extents().count()));
    const Buffer<T> packed(MemorySpace::device, host.size());
    for_each(stream_, part, copy_pressures(fields_, part, packed.data()));
    copy_bytes(host.data(), packed.data(), host.size() * sizeof(T), stream_);
    stream_.synchronize();
    return {host.begin(), host.end()};
  }

  [[nodiscard]] const Domain& domain() const override { return fields_.domain(); }

 private:
  static constexpr int max_iterations_per_pass = fused_iterations;

  /// Whole tiles of the tuned schedule.
  static constexpr BoundaryThickness thickness{
      .i = TunedShape<T>::planes, .j = TunedShape<T>::rows, .k = 128};

  PassRunner<T> make_runner(const Problem& problem, PassPlan plan, const HaloShape& shape) {
    return PassRunner<T>(
        ranks(), domain(), fields_.layout(), shape, problem.transport, std::move(plan),
        [&](const HaloSetup& setup) { return make_halo_exchange<T>(setup, stream_); });
  }

  [[nodiscard]] static int iterations_per_pass(Schedule schedule) {
    return schedule == Schedule::fused ? max_iterations_per_pass : 1;
  }

  void fill(const InitialState& state) override {
    select(stream_.device());
    for_each(stream_, fields_.whole(), initialise(fields_, state, perturbation_));
  }

  double sweep(Schedule schedule, std::int64_t iterations, Halos halos) override {
    select(stream_.device());
    PassRunner<T>& runner = runner_of(schedule);
    const std::int64_t per_pass = iterations_per_pass(schedule);
    const std::int64_t passes = iterations / per_pass;
    const std::int64_t batches = batches_of(schedule, iterations);
    const Graph* const graph = batches > 0 ? &graph_of(schedule, halos) : nullptr;
    started_.record(stream_);
    for (std::int64_t n = 0; n < batches; ++n) {
      graph->launch(stream_);
    }
    for (std::int64_t n = batches * graph_passes; n < passes; ++n) {
      pass(schedule, runner, halos);
    }
    // Iterations that do not fill a fused pass are done one by one.
    const std::int64_t rest = iterations - passes * per_pass;
    for (std::int64_t n = 0; n < rest; ++n) {
      pass(Schedule::tuned, single_, halos);
    }
    runner.complete();
    single_.complete();
    finished_.record(stream_);
    gosa_of_last_pass_.resize(static_cast<std::size_t>(rest > 0 ? 1 : per_pass));
    copy_bytes(gosa_of_last_pass_.data(), gosa_.data(), gosa_of_last_pass_.size() * sizeof(double),
               stream_);
    stream_.synchronize();
    return iterations > 0 ? gosa_of_last_pass_.back() : 0.0;
  }

  /// Launches of a recorded graph in so many iterations.
  [[nodiscard]] std::int64_t batches_of(Schedule schedule, std::int64_t iterations) {
    const std::int64_t passes = iterations / iterations_per_pass(schedule);
    return runner_of(schedule).recordable() ? passes / graph_passes : 0;
  }

  PassRunner<T>& runner_of(Schedule schedule) {
    return schedule == Schedule::fused && several_ ? *several_ : single_;
  }

  [[nodiscard]] static SingleSweep<T> single(Schedule schedule, const Extents& points) {
    using Shape = TunedShape<T>;
    switch (schedule) {
      case Schedule::direct:
        return {sweep_direct<T>, tiles_of(points, direct_columns, direct_rows, 1),
                dim3(direct_columns, direct_rows)};
      case Schedule::marching:
        return {sweep_marching<T, marching_columns, marching_rows>,
                tiles_of(points, marching_columns, marching_rows, marching_planes),
                dim3(marching_columns, marching_rows)};
      case Schedule::tuned:
        return {sweep_tuned<T>, tiles_of(points, Shape::columns, Shape::rows, Shape::planes),
                dim3(Shape::lanes, Shape::rows)};
      default:
        throw UsageError("--schedule " + to_string(schedule) + " does not run on a GPU",
                         "use --schedule tuned");
    }
  }

  static TileGrid tiles_of(const Extents& points, int columns, int rows, int planes) {
    return tile_grid(points, columns, rows,
                     static_cast<int>(std::min<std::int64_t>(planes, points.ni)));
  }

  /// One pass over the coefficients from the present pressure to the next. Leaves this rank's part
  /// of gosa of its iterations in gosa_.
  void pass(Schedule schedule, PassRunner<T>& runner, Halos halos) {
    int partials = 0;  // one per block
    bool beside = false;
    begun_.record(stream_);
    runner.run(
        fields_.next().origin, halos,
        [&](const PassStep& step) {
          beside = beside || step.beside;
          if (step.beside) {
            beside_.wait_for(begun_);
          }
          const Stream& stream = step.beside ? beside_ : stream_;
          partials += sweep_part(schedule, stream, step.part, partials);
        },
        [&] {
          if (beside) {
            swept_.record(beside_);
            stream_.wait_for(swept_);
          }
          sums_.queue(stream_, partials, iterations_per_pass(schedule), gosa_.data());
        });
    fields_.advance();
  }

  /// Queues the update of the points of `part`; the number of partial sums that it leaves in each
  /// list, after the first `partials`.
  int sweep_part(Schedule schedule, const Stream& stream, const Box& part, int partials) {
    if (schedule == Schedule::fused) {
      fused().queue(stream, fields_, sums_.partials());
      return fused().partials();
    }
    const SingleSweep<T> sweep = single(schedule, part.extents());
    launch(stream, {blocks_for(sweep.tiles), sweep.block}, sweep.kernel,
           arguments(sweep.tiles, part, partials));
    return sweep.tiles.count();
  }

  [[nodiscard]] SweepArguments<T> arguments(const TileGrid& tiles, const Box& part, int partials) {
    const Fields<T>& present = fields_;
    const Extents points = part.extents();
    return {.tiles = tiles,
            .nj = static_cast<int>(points.nj),
            .nk = static_cast<int>(points.nk),
            .coefficients = present.all().from(part.i0, part.j0, part.k0),
            .pressure = present.pressure().from(part.i0, part.j0, part.k0),
            .next = fields_.next().from(part.i0, part.j0, part.k0),
            .partial_gosa = sums_.partials() + partials,
            .omega = static_cast<T>(omega)};
  }

  /// The passes of a schedule that begin with the present roles of the two pressures.
  const Graph& graph_of(Schedule schedule, Halos halos) {
    const GraphKey key{schedule, halos, fields_.pressure().origin};
    const auto known = graphs_.find(key);
    if (known != graphs_.end()) {
      return known->second;
    }
    PassRunner<T>& runner = runner_of(schedule);
    const auto queue = [&] {
      for (int n = 0; n < graph_passes; ++n) {
        pass(schedule, runner, halos);
      }
      runner.complete();  // a recording ends with nothing in flight
    };
    return graphs_.emplace(key, Graph(stream_, queue)).first->second;
  }

  /// Partial sums that all parts of a pass leave, at most.
  [[nodiscard]] int max_partials() const {
    int most = fused_ ? max_iterations_per_pass * fused_->partials() : 0;
    for (const Schedule schedule : {Schedule::direct, Schedule::marching, Schedule::tuned}) {
      int partials = 0;
      for (const PassStep& step : single_.steps()) {
        partials += step.kind == PassStep::Kind::sweep
                        ? single(schedule, step.part.extents()).tiles.count()
                        : 0;
      }
      most = std::max(most, partials);
    }
    return most;
  }

  [[nodiscard]] const GpuInfo& gpu() const {
    return survey_gpus().gpus[static_cast<std::size_t>(stream_.device().index)];
  }

  [[nodiscard]] std::optional<FusedPass<T>> make_fused() {
    if (compiled_capability_of(sweep_fused<T, false>) < bulk_copy_capability) {
      return std::nullopt;
    }
    return FusedPass<T>(fields_, stream_, gpu().multiprocessors);
  }

  [[nodiscard]] const FusedPass<T>& fused() const {
    if (!fused_) {
      throw UsageError(
          "--schedule fused needs a GPU of compute capability 9.0 or newer and a "
          "program compiled for it, " +
              gpu().name + " has " + gpu().compute_capability,
          "use --schedule tuned");
    }
    return *fused_;
  }

  using GraphKey = std::tuple<Schedule, Halos, const T*>;

  Precision precision_;
  Stream stream_;
  Stream beside_;  ///< sweeps that fill the GPU while boundary parts and halos go first
  double perturbation_;
  Event started_;
  Event finished_;
  Event begun_;  ///< of the present pass
  Event swept_;
  Fields<T> fields_;
  PassRunner<T> single_;                  ///< passes of one iteration
  std::optional<PassRunner<T>> several_;  ///< fused passes, where there are several ranks
  std::optional<FusedPass<T>> fused_;
  FixedOrderSums sums_;
  Buffer<double> gosa_;
  std::vector<double> gosa_of_last_pass_;
  std::map<GraphKey, Graph> graphs_;
};

}  // namespace

template <class T>
std::unique_ptr<Solver> detail::make_cuda_solver(const Plan& plan, const Communicator& ranks) {
  return std::make_unique<CudaSolver<T>>(plan.problem, plan.domain, ranks);
}

template std::unique_ptr<Solver> detail::make_cuda_solver<float>(const Plan&, const Communicator&);
template std::unique_ptr<Solver> detail::make_cuda_solver<double>(const Plan&, const Communicator&);

}  // namespace bankfull::himeno
