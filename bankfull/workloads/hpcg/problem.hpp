#pragma once

#include "bankfull/core/comm/decomposition.hpp"
#include "bankfull/core/comm/transport.hpp"
#include "bankfull/core/machine/device.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bankfull::hpcg {

/// Levels of the multigrid preconditioner, including the finest.
inline constexpr int level_count = 4;

/// Maximum number of entries per row of the operator.
inline constexpr int max_entries = 27;

/// Iterations of the reference that the optimised solver has to match.
inline constexpr int reference_iterations = 50;

/// Iterations that the optimised solver may take to match it.
inline constexpr int max_iterations = 10 * reference_iterations;

/// By how much a residual may exceed the reference's, relative to it: the benchmark accepts a
/// deviation in the seventh digit.
inline constexpr double residual_slack = 1e-6;

/// Minimum and maximum number of points of a rank's grid along an axis.
inline constexpr std::int64_t min_dimension = 8;
inline constexpr std::int64_t max_dimension = std::int64_t{1} << 20;

/// The same for official runs, whose sides must also be multiples of this.
inline constexpr std::int64_t official_dimension = 16;
inline constexpr std::int64_t official_multiple = std::int64_t{1} << (level_count - 1);

/// Maximum time of the timed sets in seconds: a week.
inline constexpr double longest_seconds = 7.0 * 86400.0;

/// Minimum time of an official run in seconds, and the share of memory that its data must fill.
inline constexpr double official_seconds = 1800.0;
inline constexpr double official_memory_share = 0.25;

/// The minimum ratio of the shortest to the longest side, of the local grid and of the grid of
/// ranks.
inline constexpr double smallest_ratio = 0.125;

/// Grid points of one rank, x fastest in memory, or numbers of ranks along the axes.
struct Grid3 {
  std::int64_t nx = 0;
  std::int64_t ny = 0;
  std::int64_t nz = 0;

  [[nodiscard]] std::int64_t count() const { return nx * ny * nz; }
  friend bool operator==(const Grid3&, const Grid3&) = default;
};

/// Ranks along x, y and z: k, j and i.
Grid3 grid3_of(const RankGrid& grid);
/// Points along x, y and z: k, j and i.
Grid3 grid3_of(const Extents& extents);

/// "256x256x256".
std::string to_string(const Grid3& grid);

/// Parses "256x256x256", nx x ny x nz; throws UsageError for anything else, naming the option
/// it came from.
Grid3 parse_grid(const std::string& option, const std::string& text);

/// Points of one rank on a level, where 0 is the finest: every second point of the next finer level
/// along each axis, starting with the first, so that halves are rounded up.
Grid3 level_grid(const Grid3& local, int level);

/// The ratio of the shortest side to the longest.
double aspect_ratio(const Grid3& grid);

/// How the preconditioner and the matrix run in the timed sets.
enum class Variant {
  tuned,              ///< the fastest known
  ell,                ///< paper's D: own kernels, ELLPACK, rows in the order of their colours
  csr,                ///< paper's C: own kernels, CSR, rows in the order of their colours
  cusparse_coloured,  ///< paper's B: cuSPARSE, CSR, rows in the order of their colours
  cusparse_csr,       ///< paper's A: cuSPARSE, CSR, rows in their natural order
  reference,          ///< what the optimised solver is compared with
};

std::vector<Variant> all_variants();
std::string to_string(Variant variant);

bool uses_cusparse(Variant variant);

/// Throws UsageError if the variant needs cuSPARSE and that is missing.
void require_cusparse(Variant variant);

/// Throws UsageError if the name is not a variant.
Variant parse_variant(const std::string& text);

/// How the variant `tuned` stores column indices.
enum class ColumnIndices {
  full,  ///< 32 bits
  /// Fewer bits, without loss: on CPUs 16-bit offsets from a base per slice and slot, if they fit;
  /// on GPUs codes of 2 bits, and 32 bits where these do not suffice (PackedColumns).
  slim,
};

std::vector<ColumnIndices> all_columns();
std::string to_string(ColumnIndices columns);

/// Throws UsageError for anything but "full" and "slim".
ColumnIndices parse_columns(const std::string& text);

/// How the variant `tuned` sweeps on GPUs.
enum class Sweeps {
  automatic,  ///< pipelined on large levels, fused (cuda/fused_cycle.cuh) or syncfree on others
  classes,    ///< one kernel per class of rows
  syncfree,   ///< one kernel whose rows wait for each other; see cuda/sync_free_sweep.cuh
  pipelined,  ///< persistent blocks that prefetch while they wait; see cuda/pipeline.cuh
};

std::vector<Sweeps> all_sweeps();
std::string to_string(Sweeps sweeps);

/// Throws UsageError for anything but "auto", "classes", "syncfree" and "pipelined"; for the
/// former names "waves" and "conveyors" it states the new ones.
Sweeps parse_sweeps(const std::string& text);

/// How the variant `tuned` forms A p on GPUs.
enum class Products {
  direct,
  /// A p = A z + (r.z / previous r.z) times the A p before, as in A. Chronopoulos and C. W. Gear,
  /// s-step iterative methods for symmetric linear systems, J. Comput. Appl. Math. 25 (1989). A z
  /// needs half of the matrix, because the last sweep has multiplied the other half by z.
  recurrence,
};

std::vector<Products> all_products();
std::string to_string(Products products);

/// Throws UsageError for anything but "direct" and "recurrence".
Products parse_products(const std::string& text);

/// The user's names of a problem's values, for messages about them: options, or lines of an
/// input file.
struct Origins {
  std::string local = "--local";
  std::string process_grid = "--ranks-grid";
  std::string seconds = "--seconds";
};

/// What to run; plain data, checked by `make_plan`.
struct Problem {
  Grid3 local{104, 104, 104};         ///< grid of every rank
  std::optional<Grid3> process_grid;  ///< default: the one with the least communication
  double seconds = 60.0;              ///< of the timed sets; 0 for the quick path
  bool official = false;              ///< enforce the rules of official runs
  Variant variant = Variant::tuned;
  ColumnIndices columns = ColumnIndices::full;
  Sweeps sweeps = Sweeps::automatic;
  Products products = Products::direct;
  Device device;
  int threads = 1;
  Transport transport = Transport::automatic;
  /// The measured backend multiplies its operator by 1 + this, on all levels; the references do
  /// not. If it is not 0, the checks must fail: a test of the checks.
  double perturbation = 0.0;
  Origins origins = {};
};

/// The ranks along the axes and their blocks of the global grid, as a Decomposition with i = z,
/// j = y, k = x: ranks are numbered with x fastest. `level` counts from the finest, 0.
///
/// If the problem leaves the choice open, this is the grid of ranks with the least communication
/// among those with a shape allowed in official runs, if any; ties go to more cuts along z, then y,
/// whose halos are contiguous. Throws UsageError if the process grid has a different number of
/// ranks.
Decomposition decompose(const Problem& problem, int ranks, int level = 0);

}  // namespace bankfull::hpcg
