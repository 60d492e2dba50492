#pragma once

#include "bankfull/core/base/enum_names.hpp"
#include "bankfull/core/machine/device.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace bankfull::suite {

/// How long a suite may take: 3, 15 or 60 minutes.
enum class Level { quick, standard, full };

inline constexpr auto level_names = enum_names<Level>(
    {{Level::quick, "quick"}, {Level::standard, "standard"}, {Level::full, "full"}});

/// Seconds after which no further step of a suite begins.
double time_limit(Level level);

/// What the sizes of a suite's problems depend on.
struct Machine {
  Device device = Device::cpu();  ///< of the root
  int ranks = 1;
  int threads = 1;                ///< of each rank
  std::int64_t memory_bytes = 0;  ///< of a rank: its GPU's, or its share of the node's
};

/// A command of this program, and what it tells of the machine.
struct Step {
  std::string name;                    ///< of its files: "himeno-fp64"
  std::vector<std::string> arguments;  ///< {"himeno", "--size", "XL"}
  std::string purpose;
};

/// The steps of a suite, the most telling first: where time is up the rest is left out.
std::vector<Step> plan(Level level, const Machine& machine);

}  // namespace bankfull::suite
