// The streams that ceilings come from, one at a time, on the CPU. Arguments: MiB of all arrays.

#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/measure/streams.hpp"

#include <benchmark/benchmark.h>

namespace bankfull {
namespace {

void run_stream(benchmark::State& state, const StreamPattern& pattern) {
  const std::int64_t bytes = state.range(0) << 20;
  const auto streams = make_streams(Device::cpu(), Team::default_threads(), bytes);
  const std::int64_t elements = streams->capacity(pattern);
  streams->seconds(pattern, elements, 1);  // first touch
  for (auto _ : state) {
    state.SetIterationTime(streams->seconds(pattern, elements, 1));
  }
  const double moved = pattern.traffic(elements).bytes();
  state.SetBytesProcessed(static_cast<std::int64_t>(moved) * state.iterations());
}

void register_stream(StreamOperation operation, int mix_reads, bool streaming_stores) {
  const StreamPattern pattern{.operation = operation,
                              .mix_reads = mix_reads,
                              .precision = Precision::fp32,
                              .streaming_stores = streaming_stores};
  benchmark::RegisterBenchmark(to_string(pattern).c_str(),
                               [pattern](benchmark::State& state) { run_stream(state, pattern); })
      ->Arg(4)
      ->Arg(512)
      ->UseManualTime();
}

}  // namespace
}  // namespace bankfull

int main(int argc, char** argv) {
  using bankfull::StreamOperation;
  benchmark::Initialize(&argc, argv);
  for (const bool streaming : {false, true}) {
    bankfull::register_stream(StreamOperation::copy, 1, streaming);
    bankfull::register_stream(StreamOperation::triad, 1, streaming);
    bankfull::register_stream(StreamOperation::mix, 13, streaming);
  }
  bankfull::register_stream(StreamOperation::read, 1, false);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
