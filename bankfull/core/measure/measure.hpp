#pragma once

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/exec/device_of.hpp"
#include "bankfull/core/measure/benchmark.hpp"
#include "bankfull/core/measure/run_context.hpp"
#include "bankfull/core/measure/run_result.hpp"

#include <string>
#include <vector>

namespace bankfull {

/// How `measure` measures.
struct MeasureOptions {
  int repeats = 5;                ///< timed ones of each benchmark
  MeasurePolicy policy = {};      ///< how ceilings are measured
  std::string workload = "user";  ///< its name in the result
};

/// Collective: times the benchmarks by Experiment, in turn after a warm-up of each, measures the
/// ceilings of their mixes, checks them, and watches the machine. `device` and `threads` are those
/// of this rank. The result is that of all ranks, the same on each but for the state of the
/// machine.
///
/// Beside the memory of the benchmarks there must be as much again for the ceilings: see Ceilings.
/// A program that lacks it, pauses or shows progress uses an Experiment itself.
///
/// Throws UsageError for no benchmarks or no repeats.
RunResult measure(const Communicator& ranks, Device device, int threads,
                  const std::vector<Benchmark*>& benchmarks, const MeasureOptions& options = {});

/// The same on a Team or a Stream.
template <class On>
RunResult measure(const Communicator& ranks, const On& on,
                  const std::vector<Benchmark*>& benchmarks, const MeasureOptions& options = {}) {
  return measure(ranks, device_of(on), threads_of(on), benchmarks, options);
}

/// One line per measurement, and the verdict: "smooth: 4.31 ms, 14.1 GB/s, 92.1 % of bankfull
/// (15.3 GB/s)". What is not known is left out.
std::string summary(const RunResult& result);

/// verification_failed if a check failed, interrupted if the run was ended early, else ok.
ExitCode exit_code_of(const RunResult& result);

}  // namespace bankfull
