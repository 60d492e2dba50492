#pragma once

#include "bankfull/core/measure/experiment.hpp"
#include "bankfull/workloads/probe/problem.hpp"

#include <vector>

namespace bankfull::probe {

/// Two different processors.
struct CorePair {
  int first = 0;
  int second = 0;

  friend constexpr bool operator==(const CorePair&, const CorePair&) = default;
};

/// `most` of the processors, evenly spaced, with the first and the last; all where there are no
/// more. Requires `most` of at least 2.
std::vector<int> sample_evenly(const std::vector<int>& processors, int most);

/// Every pair once, the first processor before the second in the list.
std::vector<CorePair> core_pairs(const std::vector<int>& processors);

/// What two threads yield that pass a cache line back and forth.
struct PingPong {
  std::vector<double> seconds = {};  ///< of one way, a sample each
  bool answered = true;              ///< the second thread answered as often as the first asked
};

/// `samples` times `rounds` rounds between threads on the two processors. A sample ends early, with
/// the rounds that it had, after about `most_seconds`: other work may keep one of the threads
/// from running.
PingPong ping_pong(const CorePair& pair, int samples, int rounds, double most_seconds);

/// The latency between all pairs of at most 24 cores open to this process (series by first core, a
/// measurement of the slowest pair), and the check that all rounds were answered.
void measure_core_pairs(const Problem& problem, const RunContext& context,
                        const Experiment& experiment, RunResult& result);

}  // namespace bankfull::probe
