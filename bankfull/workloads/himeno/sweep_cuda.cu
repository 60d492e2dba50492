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
#include <utility>

namespace bankfull::himeno {
namespace {

/// Passes that one graph holds; an even number, after which the pressures have their roles again.
constexpr int graph_passes = 16;

/// How one of the schedules that do an iteration a pass is launched.
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
  CudaSolver(const GridSize& grid, Device gpu)
      : stream_(gpu),
        fields_(grid, gpu),
        fused_(make_fused()),
        sums_(static_cast<std::size_t>(most_partials())),
        gosa_(MemorySpace::device, most_iterations_per_pass) {}

  void load(const InitialState& state) override {
    select(stream_.device());
    for_each(stream_, fields_.whole(), initialise(fields_, state));
  }

  Sweeps iterate(Schedule schedule, std::int64_t iterations) override {
    select(stream_.device());
    const std::int64_t per_pass = facts(schedule).iterations_per_pass;
    const std::int64_t passes = iterations / per_pass;
    const std::int64_t batches = passes / graph_passes;
    const Graph* const graph = batches > 0 ? &graph_of(schedule) : nullptr;
    started_.record(stream_);
    for (std::int64_t n = 0; n < batches; ++n) {
      graph->launch(stream_);
    }
    for (std::int64_t n = batches * graph_passes; n < passes; ++n) {
      pass(schedule);
    }
    // What does not fill a fused pass is done one by one.
    const std::int64_t rest = iterations - passes * per_pass;
    for (std::int64_t n = 0; n < rest; ++n) {
      pass(Schedule::tuned);
    }
    finished_.record(stream_);
    const double seconds = Event::seconds_between(started_, finished_);
    return {.seconds = seconds,
            .gosa = iterations > 0 ? read_gosa(rest > 0 ? 0 : per_pass - 1) : 0.0};
  }

  [[nodiscard]] ScheduleFacts facts(Schedule schedule) const override {
    if (schedule == Schedule::fused) {
      return {.iterations_per_pass = 2, .description = describe(fused().plan())};
    }
    return {.iterations_per_pass = 1, .description = single(schedule).description()};
  }

  [[nodiscard]] std::vector<double> pressure() const override {
    select(stream_.device());
    const Layout& layout = fields_.layout();
    std::vector<T> host(static_cast<std::size_t>(layout.size()));
    copy_bytes(host.data(), fields_.pressure().origin - layout.origin(), host.size() * sizeof(T),
               stream_);
    stream_.synchronize();
    return gather(fields_, static_cast<const T*>(host.data()) + layout.origin());
  }

 private:
  static constexpr int most_iterations_per_pass = 2;

  [[nodiscard]] SingleSweep<T> single(Schedule schedule) const {
    using Shape = TunedShape<T>;
    switch (schedule) {
      case Schedule::direct:
        return {sweep_direct<T>, tiles_of(direct_columns, direct_rows, 1),
                dim3(direct_columns, direct_rows)};
      case Schedule::marching:
        return {sweep_marching<T, marching_columns, marching_rows>,
                tiles_of(marching_columns, marching_rows, marching_planes),
                dim3(marching_columns, marching_rows)};
      case Schedule::tuned:
        return {sweep_tuned<T>, tiles_of(Shape::columns, Shape::rows, Shape::planes),
                dim3(Shape::lanes, Shape::rows)};
      default:
        throw UsageError("--schedule " + to_string(schedule) + " does not run on a GPU",
                         "use --schedule tuned");
    }
  }

  [[nodiscard]] TileGrid tiles_of(int columns, int rows, int planes) const {
    const Extents points = fields_.layout().interior();
    return tile_grid(points, columns, rows,
                     static_cast<int>(std::min<std::int64_t>(planes, points.ni)));
  }

  /// One pass over the coefficients from the present pressure to the next. Leaves gosa of its
  /// iterations in gosa_.
  void pass(Schedule schedule) {
    if (schedule == Schedule::fused) {
      fused().queue(stream_, fields_, sums_.partials());
      sums_.queue(stream_, fused().plan().blocks, 2, gosa_.data());
    } else {
      const SingleSweep<T> sweep = single(schedule);
      launch(stream_, {blocks_for(sweep.tiles), sweep.block}, sweep.kernel, arguments(sweep.tiles));
      sums_.queue(stream_, sweep.tiles.count(), 1, gosa_.data());
    }
    fields_.advance();
  }

  [[nodiscard]] SweepArguments<T> arguments(const TileGrid& tiles) const {
    const Layout& layout = fields_.layout();
    return {.tiles = tiles,
            .nj = static_cast<int>(layout.interior().nj),
            .nk = static_cast<int>(layout.interior().nk),
            .row_pitch = static_cast<int>(layout.row_pitch()),
            .plane_pitch = layout.plane_pitch(),
            .field_stride = fields_.stride(),
            .coefficients = fields_.coefficient(0).origin,
            .pressure = fields_.pressure().origin,
            .next = fields_.next().origin,
            .partial_gosa = sums_.partials(),
            .omega = static_cast<T>(omega)};
  }

  /// The passes of a schedule that begin with the present roles of the two pressures.
  const Graph& graph_of(Schedule schedule) {
    const std::pair key(schedule, static_cast<const T*>(fields_.pressure().origin));
    const auto known = graphs_.find(key);
    if (known != graphs_.end()) {
      return known->second;
    }
    const auto queue = [&] {
      for (int n = 0; n < graph_passes; ++n) {
        pass(schedule);
      }
    };
    return graphs_.emplace(key, Graph(stream_, queue)).first->second;
  }

  [[nodiscard]] double read_gosa(std::int64_t iteration_of_pass) const {
    double gosa = 0.0;
    copy_bytes(&gosa, gosa_.data() + iteration_of_pass, sizeof(gosa), stream_);
    stream_.synchronize();
    return gosa;
  }

  [[nodiscard]] int most_partials() const {
    int most = 0;
    for (const Schedule schedule : {Schedule::direct, Schedule::marching, Schedule::tuned}) {
      most = std::max(most, single(schedule).tiles.count());
    }
    return fused_ ? std::max(most, most_iterations_per_pass * fused_->plan().blocks) : most;
  }

  [[nodiscard]] const GpuInfo& gpu() const {
    return survey_gpus().gpus[static_cast<std::size_t>(stream_.device().index)];
  }

  [[nodiscard]] std::optional<FusedPass<T>> make_fused() const {
    if (compiled_capability_of(sweep_fused<T>) < bulk_copy_capability) {
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

  Stream stream_;
  Event started_;
  Event finished_;
  Fields<T> fields_;
  std::optional<FusedPass<T>> fused_;
  FixedOrderSums sums_;
  Buffer<double> gosa_;
  std::map<std::pair<Schedule, const T*>, Graph> graphs_;
};

}  // namespace

template <class T>
std::unique_ptr<Solver> detail::make_cuda_solver(const GridSize& grid, Device gpu) {
  return std::make_unique<CudaSolver<T>>(grid, gpu);
}

template std::unique_ptr<Solver> detail::make_cuda_solver<float>(const GridSize&, Device);
template std::unique_ptr<Solver> detail::make_cuda_solver<double>(const GridSize&, Device);

}  // namespace bankfull::himeno
