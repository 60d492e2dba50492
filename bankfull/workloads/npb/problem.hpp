#pragma once

#include "bankfull/core/comm/transport.hpp"
#include "bankfull/core/machine/device.hpp"
#include "bankfull/workloads/npb/classes.hpp"

#include <string>
#include <vector>

namespace bankfull::npb {

enum class Schedule {
  tuned,      ///< the measured one
  reference,  ///< serial, follows the specification; others are compared with it
};

std::vector<Schedule> all_schedules();
std::string to_string(Schedule schedule);

/// Throws UsageError for an unknown name.
Schedule parse_schedule(const std::string& text);

/// Order of operations in a conjugate-gradient step of CG.
enum class CgOrder {
  automatic,          ///< NASA's, except on GPUs if a run is not a single kernel
  nasa,               ///< as in NPB's programs: two sums over ranks per step; one kernel on a GPU
                      ///< forms p.A p as r.A p
  chronopoulos_gear,  ///< one sum over ranks per step, the same values up to rounding; GPUs only
};

std::vector<CgOrder> all_cg_orders();
std::string to_string(CgOrder order);

/// Throws UsageError for an unknown name.
CgOrder parse_cg_order(const std::string& text);

/// Which entries of its symmetric matrix CG keeps on CPUs.
enum class CgEntries {
  automatic,  ///< the choice that moves fewer bytes
  upper,      ///< those right of the diagonal, each of which serves its mirror image too
  all,
};

std::vector<CgEntries> all_cg_entries();
std::string to_string(CgEntries entries);

/// Throws UsageError for an unknown name.
CgEntries parse_cg_entries(const std::string& text);

/// How IS counts keys on the threads of one rank.
enum class IsCounts {
  automatic,  ///< by the caches and the number of threads
  values,     ///< each thread counts all values
  buckets,    ///< threads sort keys into buckets, each of which one thread counts
};

std::vector<IsCounts> all_is_counts();
std::string to_string(IsCounts counts);

/// Throws UsageError for an unknown name.
IsCounts parse_is_counts(const std::string& text);

/// Larger numbers would never end.
inline constexpr int max_repeats = 10'000;

/// What to run: plain data, checked by `make_plan`.
struct Problem {
  std::vector<Kernel> kernels{all_kernels.begin(), all_kernels.end()};
  Class size = Class::a;
  Schedule schedule = Schedule::tuned;
  CgOrder cg_order = CgOrder::automatic;
  CgEntries cg_entries = CgEntries::automatic;
  IsCounts is_counts = IsCounts::automatic;
  Device device = {};
  int threads = 1;
  int repeats = 3;
  Transport transport = Transport::automatic;  ///< between ranks
  double perturbation =
      0.0;  ///< the measured path multiplies its operator by 1 + this, references do not
};

}  // namespace bankfull::npb
