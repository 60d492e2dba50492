#pragma once

#include "bankfull/core/comm/transport.hpp"
#include "bankfull/core/machine/device.hpp"
#include "bankfull/workloads/npb/classes.hpp"

#include <string>
#include <vector>

namespace bankfull::npb {

enum class Schedule {
  tuned,      ///< what is measured
  reference,  ///< serial, reads like the specification; what others are compared with
};

std::string to_string(Schedule schedule);

/// Throws UsageError for an unknown name.
Schedule parse_schedule(const std::string& text);

/// Order of operations in a step of CG's conjugate gradients.
enum class CgOrder {
  automatic,          ///< NASA's, but on GPUs where a run is not one kernel
  nasa,               ///< as NPB's programs have it: two sums over ranks a step
  chronopoulos_gear,  ///< one sum over ranks a step, the same numbers but for rounding; on GPUs
};

std::string to_string(CgOrder order);

/// Throws UsageError for an unknown name.
CgOrder parse_cg_order(const std::string& text);

/// More would never end.
inline constexpr int max_repeats = 10'000;

/// What to run: plain data, checked by `make_plan`.
struct Problem {
  std::vector<Kernel> kernels{all_kernels.begin(), all_kernels.end()};
  Class size = Class::a;
  Schedule schedule = Schedule::tuned;
  CgOrder cg_order = CgOrder::automatic;
  Device device = {};
  int threads = 1;
  int repeats = 3;
  Transport transport = Transport::automatic;  ///< between ranks
  double perturbation =
      0.0;  ///< the measured path multiplies its operator by 1 + this; references do not
};

}  // namespace bankfull::npb
