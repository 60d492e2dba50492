#include "bankfull/workloads/hpcg/flops.hpp"

#include <numeric>

namespace bankfull::hpcg {
namespace {

constexpr double value_bytes = 8.0;
constexpr double index_bytes = 4.0;
constexpr double global_index_bytes = 8.0;
constexpr double pointer_bytes = 8.0;
constexpr double entry_bytes = value_bytes + index_bytes;
constexpr double modelled_entries = 27.0;  ///< of a row, boundary or not

// Sizes of the official program's structures on 64-bit machines, with MPI.
constexpr double geometry_struct_bytes = 128.0;
constexpr double matrix_struct_bytes = 256.0;
constexpr double vector_struct_bytes = 24.0;
constexpr double multigrid_struct_bytes = 48.0;

double equations(const LevelSize& level) { return static_cast<double>(level.equations); }
double nonzeros(const LevelSize& level) { return static_cast<double>(level.nonzeros); }

/// Dot products, or updates of vectors: three per iteration, one to start.
double vector_operations(double iterations, double starts) { return 3.0 * iterations + starts; }

/// Reads of one sweep from front to back and one from back to front.
double smoother_reads(const LevelSize& level) {
  return 2.0 * nonzeros(level) * entry_bytes + equations(level) * value_bytes;
}

double product_reads(const LevelSize& level) {
  return nonzeros(level) * entry_bytes + equations(level) * value_bytes;
}

/// One cycle of multigrid. The official model counts as many writes as the matrix has entries, not
/// rows, for residuals and for smoothing afterwards; ours must give the same figures.
OfficialBytes cycle_bytes(const LevelSizes& levels) {
  OfficialBytes bytes;
  for (std::size_t n = 0; n + 1 < levels.size(); ++n) {
    bytes.read += 2.0 * smoother_reads(levels[n]) + product_reads(levels[n]);
    bytes.written += (equations(levels[n]) + 2.0 * nonzeros(levels[n])) * value_bytes;
  }
  bytes.read += smoother_reads(levels.back());
  bytes.written += equations(levels.back()) * value_bytes;
  return bytes;
}

double cycle_flops(const LevelSizes& levels) {
  double flops = 0.0;
  for (std::size_t n = 0; n + 1 < levels.size(); ++n) {
    // Smoothing before and after, 4 per entry each, and the residual.
    flops += 10.0 * nonzeros(levels[n]);
  }
  return flops + 4.0 * nonzeros(levels.back());
}

/// What the official program keeps of each level's matrix.
double matrix_bytes(const LevelSize& level) {
  constexpr double row_bytes = 1.0 + 4.0 * pointer_bytes +
                               modelled_entries * (index_bytes + value_bytes + global_index_bytes);
  return equations(level) * row_bytes;
}

/// Columns of all ranks, by those of rank 0.
double columns(const LevelSize& level, int ranks) {
  return static_cast<double>(level.local_columns) * ranks;
}

double finest_bytes(const LevelSize& level, const Outcome& outcome) {
  return geometry_struct_bytes + value_bytes * outcome.sets + matrix_bytes(level) +
         5.0 * value_bytes * equations(level) + 2.0 * value_bytes * columns(level, outcome.ranks);
}

double coarse_bytes(const LevelSize& level, int ranks) {
  const double transfer = (index_bytes + value_bytes) * equations(level) +
                          2.0 * value_bytes * columns(level, ranks) + geometry_struct_bytes +
                          matrix_struct_bytes + 3.0 * vector_struct_bytes + multigrid_struct_bytes;
  const double halo = (value_bytes + index_bytes) * static_cast<double>(level.sent_elements) +
                      2.0 * index_bytes * static_cast<double>(level.neighbours);
  return transfer + matrix_bytes(level) + halo;
}

std::int64_t all_iterations(const Outcome& outcome) {
  return std::int64_t{outcome.sets} * outcome.convergence.iterations;
}

/// Entries of the matrix of a grid: each of n points has up to 3 neighbours along an axis, those at
/// the ends one fewer.
std::int64_t entries_of(const Extents& cells) {
  return (3 * cells.ni - 2) * (3 * cells.nj - 2) * (3 * cells.nk - 2);
}

LevelSize size_of(const Decomposition& decomposition) {
  const Extents own = decomposition.block(0).extents();
  const RankGrid& grid = decomposition.grid();
  const auto cuts = [](int ranks) { return ranks > 1 ? 1 : 0; };
  LevelSize size;
  size.equations = decomposition.cells().count();
  size.nonzeros = entries_of(decomposition.cells());
  size.local_columns = (own.ni + cuts(grid.i)) * (own.nj + cuts(grid.j)) * (own.nk + cuts(grid.k));
  // Rank 0 has neighbours on one side of each axis, and sends them as much as it receives.
  size.sent_elements = size.local_columns - own.count();
  size.neighbours = (std::int64_t{1} << (cuts(grid.i) + cuts(grid.j) + cuts(grid.k))) - 1;
  return size;
}

}  // namespace

LevelSizes level_sizes(const Problem& problem, int ranks) {
  LevelSizes sizes;
  for (int level = 0; level < level_count; ++level) {
    sizes[static_cast<std::size_t>(level)] = size_of(decompose(problem, ranks, level));
  }
  return sizes;
}

OfficialFlops official_flops(const LevelSizes& levels, std::int64_t iterations,
                             std::int64_t starts) {
  const auto steps = static_cast<double>(iterations);
  const auto sets = static_cast<double>(starts);
  const double on_vectors = vector_operations(steps, sets) * 2.0 * equations(levels[0]);
  return {.ddot = on_vectors,
          .waxpby = on_vectors,
          .spmv = (steps + sets) * 2.0 * nonzeros(levels[0]),
          .mg = steps * cycle_flops(levels)};
}

OfficialFlops official_flops(const Outcome& outcome) {
  return official_flops(outcome.levels, all_iterations(outcome), outcome.sets);
}

OfficialBytes official_bytes(const LevelSizes& levels, std::int64_t iterations,
                             std::int64_t starts) {
  const auto steps = static_cast<double>(iterations);
  const auto sets = static_cast<double>(starts);
  const double vectors = vector_operations(steps, sets) * value_bytes;
  const double rows = equations(levels[0]);
  const OfficialBytes cycle = cycle_bytes(levels);
  // Dot products read two vectors and write a number, updates read two and write one.
  return {
      .read = 4.0 * vectors * rows + (steps + sets) * product_reads(levels[0]) + steps * cycle.read,
      .written =
          vectors + vectors * rows + (steps + sets) * rows * value_bytes + steps * cycle.written};
}

OfficialBytes official_bytes(const Outcome& outcome) {
  return official_bytes(outcome.levels, all_iterations(outcome), outcome.sets);
}

double OfficialMemory::total() const {
  return std::accumulate(levels.begin(), levels.end(), optimised);
}

OfficialMemory official_memory(const Outcome& outcome) {
  OfficialMemory memory;
  memory.optimised = outcome.optimised_bytes;
  memory.levels[0] = finest_bytes(outcome.levels[0], outcome);
  for (std::size_t n = 1; n < outcome.levels.size(); ++n) {
    memory.levels[n] = coarse_bytes(outcome.levels[n], outcome.ranks);
  }
  return memory;
}

double convergence_share(const Outcome& outcome) {
  return static_cast<double>(outcome.convergence.reference_iterations) /
         static_cast<double>(outcome.convergence.iterations);
}

double rated_seconds(const Outcome& outcome) {
  return outcome.times.total +
         outcome.sets * (outcome.optimise_seconds + outcome.setup_seconds) / 10.0;
}

double rating(const Outcome& outcome) {
  return official_flops(outcome).total() * convergence_share(outcome) / rated_seconds(outcome);
}

double rating_2_4(const Outcome& outcome) {
  return official_flops(outcome).total() * convergence_share(outcome) /
         (outcome.times.total + outcome.sets * outcome.optimise_seconds / 10.0);
}

}  // namespace bankfull::hpcg
