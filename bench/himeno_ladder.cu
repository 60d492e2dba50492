// How the sweep of the 2010 paper (E. H. Phillips and M. Fatica, "Implementing the Himeno benchmark
// with CUDA on GPU clusters", IPDPS 2010, section IV) becomes faster idea by idea, on one GPU of
// today, fp32.
//
//   himeno_ladder SIZE OUT.json
//
// Every rung adds one idea to the rung before. All are checked against the schedule `direct` and
// timed in turn. Needs GPU memory for three times the fields of the size.

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/exec/for_each.cuh"
#include "bankfull/core/exec/reduce.cuh"
#include "bankfull/core/measure/experiment.hpp"
#include "bankfull/core/measure/run_result_json.hpp"
#include "bankfull/core/memory/capacity.hpp"
#include "bankfull/workloads/himeno/cuda/direct.cuh"
#include "bankfull/workloads/himeno/cuda/marching.cuh"
#include "bankfull/workloads/himeno/fields.hpp"
#include "bankfull/workloads/himeno/sweep.hpp"

#include <cstdio>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace bankfull::himeno {
namespace {

constexpr Device gpu = Device::cuda(0);
constexpr int repeats = 7;

const Communicator& alone() {
  static const auto self = make_self_communicator();
  return *self;
}

/// Loads a tile's inside, edges and corners each with a question of its own, as the paper's first
/// kernel does. Without `ReadOnly` the texture path is not used.
template <bool ReadOnly>
struct LoadWithBranches {
  template <class T, int Columns, int Rows>
  static __device__ __forceinline__ void load(PlaneTile<T, Columns, Rows>& to,
                                              const SweepArguments<T>& f, const Tile& tile, int i) {
    const int tk = static_cast<int>(threadIdx.x);
    const int tj = static_cast<int>(threadIdx.y);
    const auto read = [&](int row, int column) {
      const T* at = &f.pressure(i, min(tile.j + row - 1, f.nj), min(tile.k + column - 1, f.nk));
      to.value[row][column] = ReadOnly ? __ldg(at) : *static_cast<const volatile T*>(at);
    };
    const bool low_k = tk == 0;
    const bool high_k = tk == Columns - 1;
    const bool low_j = tj == 0;
    const bool high_j = tj == Rows - 1;
    read(tj + 1, tk + 1);
    if (low_j) read(0, tk + 1);
    if (high_j) read(Rows + 1, tk + 1);
    if (low_k) read(tj + 1, 0);
    if (high_k) read(tj + 1, Columns + 1);
    if (low_k && low_j) read(0, 0);
    if (low_k && high_j) read(Rows + 1, 0);
    if (high_k && low_j) read(0, Columns + 1);
    if (high_k && high_j) read(Rows + 1, Columns + 1);
  }
};

/// All fields on the GPU with pitches of our choice.
class Workspace {
 public:
  /// Rows end to end as the official program has them, their first interior cell not aligned; or
  /// as Layout has them.
  Workspace(const GridSize& grid, bool aligned) : grid_(grid) {
    const Layout layout(grid.interior(), 1, sizeof(float));
    const std::int64_t row_pitch = aligned ? layout.row_pitch() : grid.k;
    const std::int64_t plane_pitch = aligned ? layout.plane_pitch() : grid.j * grid.k;
    const std::int64_t stride =
        aligned ? field_stride(layout, sizeof(float)) : grid.i * plane_pitch;
    const std::int64_t first = aligned ? layout.origin() : plane_pitch + row_pitch + 1;
    memory_ = Buffer<float>(MemorySpace::device, static_cast<std::size_t>(field_count * stride));
    fields_ = {{memory_.data() + first, row_pitch, plane_pitch, whole()}, stride, field_count};
  }

  [[nodiscard]] const GridSize& grid() const { return grid_; }
  [[nodiscard]] const FieldSetView<float>& fields() const { return fields_; }
  [[nodiscard]] FieldView<float> pressure(int which) const {
    return fields_[coefficient_count + which];
  }

  void load(const Stream& stream, const InitialState& state) const {
    for_each(stream, whole(),
             Initialise<float>{.value = InitialValue(state, grid_), .fields = fields_});
  }

  /// I x J x K values; for small grids.
  [[nodiscard]] std::vector<double> read_pressure(const Stream& stream, int which) const {
    std::vector<float> row(static_cast<std::size_t>(grid_.k));
    std::vector<double> values;
    for (std::int64_t i = -1; i < grid_.i - 1; ++i) {
      for (std::int64_t j = -1; j < grid_.j - 1; ++j) {
        copy_bytes(row.data(), &pressure(which)(i, j, -1), row.size() * sizeof(float), stream);
        stream.synchronize();
        values.insert(values.end(), row.begin(), row.end());
      }
    }
    return values;
  }

 private:
  [[nodiscard]] Box whole() const { return grown(box_of(grid_.interior()), 1); }

  GridSize grid_;
  Buffer<float> memory_;
  FieldSetView<float> fields_;
};

/// The official program's second half: the new pressure over the old one, a thread a point.
__global__ void copy_back(const SweepArguments<float> f, FieldView<float> pressure) {
  const Tile tile = block_tile(f.tiles);
  const int k = tile.k + static_cast<int>(threadIdx.x);
  const int j = tile.j + static_cast<int>(threadIdx.y);
  if (k < f.nk && j < f.nj) {
    pressure(tile.first, j, k) = f.next(tile.first, j, k);
  }
}

/// A kernel of one iteration, and whether its result is copied back or the pointers are swapped.
struct Sweep {
  void (*kernel)(SweepArguments<float>);
  int columns;
  int rows;
  int planes;
  bool copies_back;
};

/// Runs a kernel that is not a schedule of the library.
class VariantSolver final : public Solver {
 public:
  VariantSolver(const Workspace& fields, const Sweep& sweep)
      : Solver(alone()),
        stream_(gpu),
        fields_(fields),
        domain_(whole_domain(fields.grid())),
        sweep_(sweep),
        tiles_(tile_grid(fields.grid().interior(), sweep.columns, sweep.rows, sweep.planes)),
        sums_(static_cast<std::size_t>(tiles_.count())),
        gosa_(MemorySpace::device, 1) {}

  void prepare(Schedule, std::int64_t, Halos) override {}
  [[nodiscard]] std::optional<double> event_seconds() const override {
    return Event::seconds_between(started_, finished_);
  }
  [[nodiscard]] ScheduleFacts facts(Schedule) override { return {}; }
  [[nodiscard]] Work work(Schedule, std::int64_t iterations) const override {
    Work work = work_of(domain_, Precision::fp32, 1, iterations);
    if (sweep_.copies_back) {
      const double field =
          static_cast<double>(domain_.grid.updated_points() * iterations) * sizeof(float);
      work.traffic = work.traffic + Traffic{.bytes_read = field, .bytes_written = field};
      work.model += ", 1 copied";
    }
    return work;
  }
  [[nodiscard]] std::vector<double> pressure() const override {
    return fields_.read_pressure(stream_, present_);
  }
  [[nodiscard]] std::vector<double> pressure_in(const Box& part) const override {
    const Box whole = owned_box(domain_);
    const Extents extents = whole.extents();
    const std::vector<double> all = pressure();
    std::vector<double> values;
    for (std::int64_t i = part.i0; i < part.i1; ++i) {
      for (std::int64_t j = part.j0; j < part.j1; ++j) {
        for (std::int64_t k = part.k0; k < part.k1; ++k) {
          const std::int64_t row = (i - whole.i0) * extents.nj + (j - whole.j0);
          values.push_back(all[static_cast<std::size_t>(row * extents.nk + (k - whole.k0))]);
        }
      }
    }
    return values;
  }
  [[nodiscard]] const Domain& domain() const override { return domain_; }

 private:
  void fill(const InitialState& state) override {
    present_ = 0;
    fields_.load(stream_, state);
  }

  double sweep(Schedule, std::int64_t iterations, Halos) override {
    started_.record(stream_);
    for (std::int64_t n = 0; n < iterations; ++n) {
      pass();
    }
    finished_.record(stream_);
    double gosa = 0.0;
    copy_bytes(&gosa, gosa_.data(), sizeof(double), stream_);
    stream_.synchronize();
    return gosa;
  }

  void pass() {
    const FieldView<float> present = fields_.pressure(present_);
    const Extents n = fields_.grid().interior();
    SweepArguments<float> arguments{.tiles = tiles_,
                                    .nj = static_cast<int>(n.nj),
                                    .nk = static_cast<int>(n.nk),
                                    .coefficients = fields_.fields(),
                                    .pressure = present,
                                    .next = fields_.pressure(1 - present_),
                                    .partial_gosa = sums_.partials(),
                                    .omega = static_cast<float>(omega)};
    const dim3 block(static_cast<unsigned>(sweep_.columns), static_cast<unsigned>(sweep_.rows));
    launch(stream_, {blocks_for(tiles_), block}, sweep_.kernel, arguments);
    sums_.queue(stream_, tiles_.count(), 1, gosa_.data());
    if (sweep_.copies_back) {
      arguments.tiles = tile_grid(n, 64, 4, 1);
      launch(stream_, {blocks_for(arguments.tiles), dim3(64, 4)}, copy_back, arguments, present);
    } else {
      present_ = 1 - present_;
    }
  }

  Stream stream_;
  Event started_;
  Event finished_;
  const Workspace& fields_;
  Domain domain_;
  Sweep sweep_;
  TileGrid tiles_;
  FixedOrderSums sums_;
  Buffer<double> gosa_;
  int present_ = 0;
};

struct Rung {
  std::string idea;
  Solver* solver;
  Schedule schedule = Schedule::direct;
  bool by_events = false;            ///< timed by the GPU's clock
  std::vector<double> seconds = {};  ///< of each repeat
  std::int64_t iterations = 0;       ///< in each repeat
  double gosa = 0.0;

  Sweeps iterate(std::int64_t n) const {
    Sweeps sweeps = solver->iterate(schedule, n);
    sweeps.seconds = by_events ? solver->event_seconds().value_or(0.0) : sweeps.seconds;
    return sweeps;
  }
};

/// The rungs on one grid and the memory that they share.
class Ladder {
 public:
  explicit Ladder(const GridSize& grid) : unaligned_(grid, false), aligned_(grid, true) {
    Problem problem;
    problem.grid = grid;
    problem.device = gpu;
    library_ = make_solver(make_plan(problem, alone()), alone());
    const int ni = static_cast<int>(grid.interior().ni);
    using Branches = LoadWithBranches<false>;
    using Cached = LoadWithBranches<true>;
    const Sweep first{sweep_marching<float, 16, 16, Branches>, 16, 16, ni, false};
    const Sweep shaped{sweep_marching<float, 32, 8, Branches>, 32, 8, ni, false};
    const Sweep cached{sweep_marching<float, 32, 8, Cached>, 32, 8, ni, false};
    const Sweep branchless{sweep_marching<float, 32, 8>, 32, 8, ni, false};
    add_variant("official: 16 x 16, branches, copied back", unaligned_, copied(first));
    add_variant("pointers swapped", unaligned_, first);
    add_variant("aligned rows", aligned_, first);
    add_variant("blocks of 32 x 8", aligned_, shaped);
    add_variant("read-only cache", aligned_, cached);
    add_variant("no branches", aligned_, branchless);
    add("64 planes a block (marching)", Schedule::marching);
    add("16 bytes a thread, registers (tuned)", Schedule::tuned);
    add("three iterations a pass (fused)", Schedule::fused);
    const Sweep plain{sweep_direct<float>, direct_columns, direct_rows, 1, false};
    add_variant("baseline: plain kernel, copied back", aligned_, copied(plain));
    add("baseline: plain kernel (direct)", Schedule::direct);
  }

  std::vector<Rung>& rungs() { return rungs_; }

 private:
  static Sweep copied(Sweep sweep) {
    sweep.copies_back = true;
    return sweep;
  }
  void add(const std::string& idea, Schedule schedule) {
    rungs_.push_back({.idea = idea, .solver = library_.get(), .schedule = schedule});
  }
  void add_variant(const std::string& idea, const Workspace& fields, const Sweep& sweep) {
    variants_.push_back(std::make_unique<VariantSolver>(fields, sweep));
    rungs_.push_back({.idea = idea, .solver = variants_.back().get(), .by_events = true});
  }

  Workspace unaligned_;
  Workspace aligned_;
  std::unique_ptr<Solver> library_;
  std::vector<std::unique_ptr<Solver>> variants_;
  std::vector<Rung> rungs_;
};

constexpr InitialState random_state{.kind = InitialState::Kind::random, .seed = 11};

/// Cells that differ from `direct` after four iterations on a small grid, of every rung.
std::vector<Check> check_fields() {
  Ladder small({21, 70, 150});
  const auto outcome = [](const Rung& rung) {
    rung.solver->load(random_state);
    rung.iterate(4);
    return rung.solver->pressure();
  };
  const std::vector<double> expected = outcome(small.rungs().back());
  std::vector<Check> checks;
  for (const Rung& rung : small.rungs()) {
    const std::vector<double> got = outcome(rung);
    int different = got.size() == expected.size() ? 0 : 1;
    for (std::size_t n = 0; n < std::min(got.size(), expected.size()); ++n) {
      different += got[n] == expected[n] ? 0 : 1;
    }
    checks.push_back({.name = rung.idea + ": cells that differ",
                      .value = static_cast<double>(different),
                      .source = "schedule direct on 21x70x150, random fields"});
  }
  return checks;
}

std::vector<Check> check_gosa(Ladder& ladder) {
  const auto outcome = [](const Rung& rung) {
    rung.solver->load(random_state);
    return rung.iterate(4).gosa;
  };
  const double expected = outcome(ladder.rungs().back());
  std::vector<Check> checks;
  for (const Rung& rung : ladder.rungs()) {
    checks.push_back({.name = rung.idea + ": gosa of iteration 4",
                      .value = outcome(rung),
                      .reference = expected,
                      .tolerance = 1e-6,
                      .source = "schedule direct, random fields"});
  }
  return checks;
}

void time_in_turn(Ladder& ladder) {
  constexpr double seconds_per_repeat = 0.1;
  for (Rung& rung : ladder.rungs()) {
    // Whole passes, and an even number of them.
    const std::int64_t passes = 2 * rung.solver->facts(rung.schedule).iterations_per_pass;
    rung.solver->load({});
    rung.iterate(passes);
    rung.iterations =
        passes * (1 + static_cast<std::int64_t>(seconds_per_repeat / rung.iterate(passes).seconds));
  }
  for (int repeat = 0; repeat < repeats; ++repeat) {
    for (Rung& rung : ladder.rungs()) {
      const Sweeps sweeps = rung.iterate(rung.iterations);
      rung.seconds.push_back(sweeps.seconds);
      rung.gosa = sweeps.gosa;
    }
  }
}

Measurement measurement_of(const Rung& rung, const GridSize& grid, const Experiment& experiment) {
  Measurement m =
      experiment.measurement("himeno ladder " + name_of(grid) + " fp32: " + rung.idea, rung.seconds,
                             rung.solver->work(rung.schedule, rung.iterations));
  m.parameters = {{.name = "iterations", .value = rung.iterations}};
  m.figures = {
      {.name = "mflops", .value = m.flops_per_second().value_or(0.0) * 1e-6, .unit = "MFLOPS"},
      {.name = "gosa", .value = rung.gosa}};
  return m;
}

RunResult climb(const GridSize& grid) {
  require_capacity(gpu, 3 * memory_bytes(grid, Precision::fp32), "the ladder of " + name_of(grid),
                   "use a smaller size");
  NoProgress progress;
  const RunContext context{.ranks = alone(), .progress = progress};
  Experiment experiment(gpu, 1, context);
  experiment.expect({.reads = fields_read, .writes = 1}, Precision::fp32,
                    static_cast<double>(memory_bytes(grid, Precision::fp32)));
  RunResult result{.workload = "himeno-ladder",
                   .problem = {{.name = "size", .value = name_of(grid)}},
                   .checks = check_fields()};
  {
    Ladder ladder(grid);
    for (Check& check : check_gosa(ladder)) {
      result.checks.push_back(std::move(check));
    }
    time_in_turn(ladder);
    for (const Rung& rung : ladder.rungs()) {
      result.measurements.push_back(measurement_of(rung, grid, experiment));
    }
  }
  experiment.finish(result.measurements);
  return result;
}

void print(const RunResult& result) {
  for (const Measurement& m : result.measurements) {
    std::printf("%-72s %8.1f GFLOPS %6.1f %% of bankfull\n", m.name.c_str(),
                m.flops_per_second().value_or(0.0) * 1e-9, m.percent_of_bankfull().value_or(0.0));
  }
  for (const Check& check : result.checks) {
    if (!check.passed()) {
      std::printf("FAILED %s: %.17g instead of %.17g\n", check.name.c_str(), check.value,
                  check.reference);
    }
  }
}

ExitCode run_ladder(int argc, char** argv) {
  if (argc != 3) {
    throw UsageError("himeno_ladder takes a size and a file", "use himeno_ladder XL OUT.json");
  }
  std::ofstream file(argv[2]);
  if (!file) {
    throw UsageError(std::string(argv[2]) + " cannot be written", "name another file");
  }
  const RunResult result = climb(parse_size(argv[1]));
  print(result);
  file << to_json(result, {.command_line = std::string("himeno_ladder ") + argv[1] + ' ' + argv[2]},
                  {})
       << '\n';
  return result.verified() ? ExitCode::ok : ExitCode::verification_failed;
}

}  // namespace
}  // namespace bankfull::himeno

int main(int argc, char** argv) {
  try {
    return static_cast<int>(bankfull::himeno::run_ladder(argc, argv));
  } catch (const bankfull::UsageError& error) {
    std::fprintf(stderr, "himeno_ladder: %s\n", error.what());
    return static_cast<int>(bankfull::ExitCode::usage);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "himeno_ladder: %s\n", error.what());
    return static_cast<int>(bankfull::ExitCode::runtime_failure);
  }
}
