#include "bankfull/core/exec/launch.cuh"
#include "bankfull/core/measure/arithmetic.hpp"
#include "bankfull/core/memory/buffer.hpp"

#include <algorithm>

namespace bankfull {
namespace {

constexpr int threads = 1024;
constexpr int blocks_per_multiprocessor = 2;

/// Independent results per thread.
constexpr int chains = 8;
constexpr int rounds = 4096;

__global__ void __launch_bounds__(threads, blocks_per_multiprocessor)
    multiply_add_kernel(double factor, double summand, double* results) {
  double value[chains];
#pragma unroll
  for (int n = 0; n < chains; ++n) {
    value[n] = static_cast<double>(threadIdx.x) + n;
  }
#pragma unroll 8
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int n = 0; n < chains; ++n) {
      value[n] = fma(value[n], factor, summand);
    }
  }
  double sum = 0.0;
#pragma unroll
  for (int n = 0; n < chains; ++n) {
    sum += value[n];
  }
  results[blockIdx.x * threads + threadIdx.x] = sum;
}

}  // namespace

double measure_fp64_rate(Device gpu) {
  constexpr int warm_up_runs = 4;
  constexpr int runs = 12;
  const Stream stream(gpu);
  const int blocks = multiprocessors_of(gpu) * blocks_per_multiprocessor;
  const Buffer<double> results(MemorySpace::device, static_cast<std::size_t>(blocks) * threads);
  Event start;
  Event stop;
  double best = 0.0;
  for (int run = -warm_up_runs; run < runs; ++run) {
    start.record(stream);
    launch(stream, {dim3(static_cast<unsigned>(blocks)), dim3(threads)}, multiply_add_kernel, 0.5,
           1.0, results.data());
    stop.record(stream);
    const double rate =
        static_cast<double>(results.size()) * chains * rounds / Event::seconds_between(start, stop);
    best = run < 0 ? best : std::max(best, rate);
  }
  return best;
}

}  // namespace bankfull
