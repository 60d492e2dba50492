#pragma once

#include "bankfull/core/comm/transport.hpp"
#include "bankfull/core/machine/device.hpp"
#include "bankfull/workloads/npb/classes.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace bankfull {
class Communicator;
}

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

/// What to run: plain data.
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

/// Bytes that one kernel allocates on the rank of `ranks` that needs most.
std::int64_t memory_bytes(Kernel kernel, const Problem& problem, int ranks);

/// Why a kernel does not run on so many ranks, as the rest of a sentence about it: "runs on powers
/// of two only". Empty where it does run.
std::string refusal_of_ranks(Kernel kernel, const Problem& problem, int ranks);

/// Collective. Throws UsageError where the problem cannot run on these ranks, with the option, its
/// value and what to do.
void validate(const Problem& problem, const Communicator& ranks);

}  // namespace bankfull::npb
