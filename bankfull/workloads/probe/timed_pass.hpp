#pragma once

#include "bankfull/core/measure/experiment.hpp"

#include <functional>
#include <string>
#include <vector>

namespace bankfull::probe {

/// Work that is timed by its own clock: that of a team of threads or of a device.
struct TimedPass {
  std::string name;
  Work work;
  std::vector<Figure> parameters;
  std::function<double()> seconds;  ///< runs the pass once
};

/// Collective: a measurement of each pass, in their order; repeats alternate between them.
std::vector<Measurement> measure_in_turn(Experiment& experiment,
                                         const std::vector<TimedPass>& passes, int repeats);

}  // namespace bankfull::probe
