#pragma once

#include "bankfull/core/base/precision.hpp"
#include "bankfull/core/comm/decomposition.hpp"
#include "bankfull/core/comm/transport.hpp"
#include "bankfull/core/field/layout.hpp"
#include "bankfull/core/machine/device.hpp"
#include "bankfull/workloads/himeno/overlap.hpp"
#include "bankfull/workloads/himeno/point.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bankfull::himeno {

/// Floating-point operations per point and iteration, by the benchmark's own count.
inline constexpr int flops_per_point = 34;

/// Fields: the coefficients, the pressure and its next iterate.
inline constexpr int field_count = coefficient_count + 2;

/// Fields that a pass reads; it writes one, the new pressure.
inline constexpr int fields_read = coefficient_count + 1;

/// Larger numbers would never end.
inline constexpr std::int64_t max_iterations = 1'000'000'000;
inline constexpr int max_repeats = 10'000;  ///< also of trial runs

/// Relaxation factor of the official program.
inline constexpr double omega = 0.8;

/// MFLOPS of the Pentium III at 600 MHz that scores 1.
inline constexpr double pentium_iii_mflops = 82.84;

/// Grid points including the boundary, named I x J x K as in the official program; K is contiguous.
/// The (I-2)(J-2)(K-2) points inside are updated.
struct GridSize {
  std::int64_t i = 0;
  std::int64_t j = 0;
  std::int64_t k = 0;

  [[nodiscard]] Extents interior() const { return {i - 2, j - 2, k - 2}; }
  [[nodiscard]] std::int64_t updated_points() const { return interior().count(); }
  friend bool operator==(const GridSize&, const GridSize&) = default;
};

/// A size of the official benchmark, with the values of gosa from its initial state.
struct StandardSize {
  std::string name;
  GridSize grid;
  double gosa_1_fp64;  ///< after one iteration, fp64 throughout
  double gosa_4_fp64;  ///< after four
  double gosa_1_fp32;  ///< fp32 arithmetic, fp64 sum
  double gosa_4_fp32;
};

const std::vector<StandardSize>& standard_sizes();

/// The standard size with this grid, if any.
const StandardSize* find_standard(const GridSize& grid);

/// "XL" or "512x512x1024".
std::string name_of(const GridSize& grid);

/// Parses XS, S, M, L, XL and any IxJxK with every dimension at least 3.
/// Throws UsageError for anything else, naming it.
GridSize parse_size(const std::string& text);

/// How a sweep traverses the grid. All give bitwise identical pressure fields.
enum class Schedule {
  reference,  ///< serial, plain loops; CPU only
  direct,     ///< one thread per point, or plain loops
  marching,   ///< threads march along i with three planes of pressure at hand (2010 paper)
  tuned,      ///< the fastest with one iteration per pass
  fused,      ///< several iterations per pass over the coefficients
};

std::vector<Schedule> all_schedules();
std::string to_string(Schedule schedule);

/// Throws UsageError for a name that is not a schedule.
Schedule parse_schedule(const std::string& text);

/// What to run; plain data, checked by `make_plan`.
struct Problem {
  GridSize grid;
  Precision precision = Precision::fp32;
  std::vector<Schedule> schedules{Schedule::tuned};
  Device device;
  int threads = 1;
  std::optional<std::int64_t> iterations;  ///< per repeat, each from the official initial state
  double target_seconds = 3.0;             ///< else as many as take this time, over all repeats
  int repeats = 5;
  int warmup = 1;             ///< repeats of three trial iterations before timing
  double perturbation = 0.0;  ///< the measured path multiplies its operator by 1 + this, the
                              ///< references do not: a test of the checks, which must fail

  // Several ranks.
  std::optional<RankGrid> rank_grid;  ///< else the one with the least communication
  Overlap overlap = Overlap::boundary;
  double split = 0.5;  ///< share of the planes in part A of Overlap::two_part
  Transport transport = Transport::automatic;
};

/// Bytes of the fields of a block of points with this many ghost layers.
std::int64_t memory_bytes(const Extents& points, int ghosts, Precision precision);

/// Bytes of a problem's fields on a single device.
std::int64_t memory_bytes(const GridSize& grid, Precision precision);

/// Throws UsageError if the problem is invalid for any number of ranks.
void check_values(const Problem& problem);

}  // namespace bankfull::himeno
