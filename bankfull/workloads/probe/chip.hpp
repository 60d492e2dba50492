#pragma once

#include "bankfull/core/measure/experiment.hpp"
#include "bankfull/workloads/probe/problem.hpp"

#include <cstdint>

namespace bankfull::probe {

/// What lies inside one processor, appended to the result.
///
/// GPU: shared memory and L1, shared memory of other blocks, the halves of L2, launches, and
/// bandwidth by bytes in flight. CPU: cores against cores, NUMA nodes against each other, and what
/// the hardware's prefetchers do to latency.
void measure_chip(const Problem& problem, const RunContext& context, Experiment& experiment,
                  RunResult& result);

/// Bytes of the device that the chip part of a completed problem holds at a time.
std::int64_t chip_bytes(const Problem& problem);

namespace detail {
/// The parts for one kind of device.
void measure_cpu_chip(const Problem& problem, const RunContext& context, Experiment& experiment,
                      RunResult& result);
void measure_gpu_chip(const Problem& problem, const RunContext& context, Experiment& experiment,
                      RunResult& result);

// The parts of `measure_gpu_chip`.
void measure_chip_memory(const Problem& problem, const RunContext& context, Experiment& experiment,
                         RunResult& result);
void measure_l2_halves(const Problem& problem, const RunContext& context, Experiment& experiment,
                       RunResult& result);
void measure_launches(const Problem& problem, const RunContext& context, Experiment& experiment,
                      RunResult& result);
void measure_in_flight(const Problem& problem, const RunContext& context,
                       const Experiment& experiment, RunResult& result);

/// Bytes of the array that is read by bytes in flight, and of the chain whose latency they are
/// compared with.
std::int64_t in_flight_bytes(const Problem& problem);
}  // namespace detail

}  // namespace bankfull::probe
