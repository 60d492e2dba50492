#pragma once

#include "bankfull/core/comm/decomposition.hpp"
#include "bankfull/core/comm/transport.hpp"
#include "bankfull/core/machine/device.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bankfull::hpcg {

/// Levels of the multigrid preconditioner, the finest included.
inline constexpr int level_count = 4;

/// Entries of a row of the operator, at most.
inline constexpr int max_entries = 27;

/// Iterations of the reference that the optimised solver has to match.
inline constexpr int reference_iterations = 50;

/// Iterations that the optimised solver may take to match it.
inline constexpr int max_iterations = 10 * reference_iterations;

/// How far above the reference's a residual may be, relative to it: the benchmark accepts a
/// deviation in the seventh digit.
inline constexpr double residual_slack = 1e-6;

/// Points of a rank's grid along an axis, at least and at most.
inline constexpr std::int64_t smallest_dimension = 8;
inline constexpr std::int64_t largest_dimension = std::int64_t{1} << 20;

/// The same for official runs, whose sides must also be multiples of this.
inline constexpr std::int64_t official_dimension = 16;
inline constexpr std::int64_t official_multiple = std::int64_t{1} << (level_count - 1);

/// Seconds of the timed sets, at most: a week.
inline constexpr double longest_seconds = 7.0 * 86400.0;

/// Seconds of an official run, at least, and the share of memory that its data must fill.
inline constexpr double official_seconds = 1800.0;
inline constexpr double official_memory_share = 0.25;

/// The smallest ratio of the shortest to the longest side of the local grid and of the grid of
/// ranks.
inline constexpr double smallest_ratio = 0.125;

/// Grid points of one rank, x fastest in memory; or ranks along the axes.
struct Grid3 {
  std::int64_t nx = 0;
  std::int64_t ny = 0;
  std::int64_t nz = 0;

  [[nodiscard]] std::int64_t count() const { return nx * ny * nz; }
  friend bool operator==(const Grid3&, const Grid3&) = default;
};

/// Ranks along x, y and z.
Grid3 grid3_of(const RankGrid& grid);

/// "256x256x256".
std::string to_string(const Grid3& grid);

/// Understands "256x256x256", nx x ny x nz; throws UsageError for anything else, naming the option
/// it came from.
Grid3 parse_grid(const std::string& option, const std::string& text);

/// Points of one rank at a level, 0 being the finest: every second one along each axis of the level
/// before, the first included, so that an odd number is halved upwards.
Grid3 level_grid(const Grid3& local, int level);

/// The shortest side over the longest.
double aspect_ratio(const Grid3& grid);

/// How the preconditioner and the matrix run in the timed sets.
enum class Variant {
  tuned,              ///< the fastest that we know
  ell,                ///< paper's D: own kernels, ELLPACK, rows in the order of their colours
  csr,                ///< paper's C: own kernels, CSR, rows in the order of their colours
  cusparse_coloured,  ///< paper's B: cuSPARSE, CSR, rows in the order of their colours
  cusparse_csr,       ///< paper's A: cuSPARSE, CSR, rows in their natural order
  reference,          ///< what the optimised solver is compared with
};

std::vector<Variant> all_variants();
std::string to_string(Variant variant);

bool uses_cusparse(Variant variant);

/// Throws UsageError where cuSPARSE, which the variant uses, is missing.
void require_cusparse(Variant variant);

/// Throws UsageError for a name that is not a variant.
Variant parse_variant(const std::string& text);

/// How the variants `tuned` keep column indices.
enum class ColumnIndices {
  full,  ///< 32 bits
  slim,  ///< 16 bits from a base of each slice's slot, where they fit; lossless
};

std::string to_string(ColumnIndices columns);

/// Throws UsageError for anything but "full" and "slim".
ColumnIndices parse_columns(const std::string& text);

/// How the variant `tuned` sweeps on GPUs.
enum class Sweeps {
  automatic,  ///< pipelined on large levels, syncfree on others
  classes,    ///< a kernel for each class of rows
  syncfree,   ///< a kernel whose rows wait for each other; see cuda/sync_free_sweep.cuh
  pipelined,  ///< persistent blocks that load ahead while they wait; see cuda/pipeline.cuh
};

std::string to_string(Sweeps sweeps);

/// Throws UsageError for anything but "auto", "classes", "syncfree" and "pipelined"; of the
/// earlier names "waves" and "conveyors" it says what they are now.
Sweeps parse_sweeps(const std::string& text);

/// What the user calls a problem's values, for what is said about them: options, or lines of an
/// input file.
struct Origins {
  std::string local = "--local";
  std::string process_grid = "--ranks-grid";
  std::string seconds = "--seconds";
};

/// What to run; plain data, checked by `make_plan`.
struct Problem {
  Grid3 local{104, 104, 104};         ///< of every rank
  std::optional<Grid3> process_grid;  ///< else the one with the least communication
  double seconds = 60.0;              ///< of the timed sets; 0 for the quick path
  bool official = false;              ///< insist on the rules of official runs
  Variant variant = Variant::tuned;
  ColumnIndices columns = ColumnIndices::full;
  Sweeps sweeps = Sweeps::automatic;
  Device device;
  int threads = 1;
  Transport transport = Transport::automatic;
  /// The measured backend multiplies its operator by 1 + this, on all levels; the references do
  /// not. Not 0: a check of the checks, which must fail.
  double perturbation = 0.0;
  Origins origins = {};
};

/// The ranks along the axes and their blocks of the global grid, as a Decomposition with i = z,
/// j = y, k = x: ranks are numbered with x fastest. `level` counts from the finest, 0.
///
/// Where the problem leaves the choice, it is the grid of ranks with the least communication among
/// those of the shape that official runs must have, if any; among equals the one with more cuts
/// along z, then y, whose halos are contiguous. Throws UsageError for a process grid of another
/// number of ranks.
Decomposition decompose(const Problem& problem, int ranks, int level = 0);

}  // namespace bankfull::hpcg
