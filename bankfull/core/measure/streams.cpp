#include "bankfull/core/measure/streams.hpp"

#include "bankfull/build_config.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/measure/stream_names.hpp"
#include "bankfull/core/memory/capacity.hpp"

#include <algorithm>

namespace bankfull {
namespace {

bool is_possible(const Mix& mix) {
  if (mix.reads <= 0 || mix.writes <= 0) {
    return std::min(mix.reads, mix.writes) == 0 && std::max(mix.reads, mix.writes) > 0;
  }
  return mix.reads <= max_mix_reads && mix.writes <= max_mix_writes &&
         mix.reads + mix.writes <= max_mix_arrays;
}

}  // namespace

int StreamPattern::reads() const {
  switch (operation) {
    case StreamOperation::write:
      return 0;
    case StreamOperation::read:
    case StreamOperation::copy:
    case StreamOperation::scale:
      return 1;
    case StreamOperation::add:
    case StreamOperation::triad:
      return 2;
    case StreamOperation::mix:
      return mix_reads;
  }
  return 0;
}

int StreamPattern::writes() const {
  if (operation == StreamOperation::mix) {
    return mix_writes;
  }
  return operation == StreamOperation::read ? 0 : 1;
}

bool StreamPattern::multiplies() const {
  return operation == StreamOperation::scale || operation == StreamOperation::triad;
}

Traffic StreamPattern::traffic(std::int64_t elements) const {
  const auto array_bytes = static_cast<double>(elements * bytes_of(precision));
  const int additions =
      operation == StreamOperation::read ? 1 : std::max(0, reads() - 1) + std::max(0, writes() - 1);
  return {.bytes_read = reads() * array_bytes,
          .bytes_written = writes() * array_bytes,
          .flops = static_cast<double>(elements * (additions + (multiplies() ? 1 : 0)))};
}

StreamPattern pattern_of(const Mix& mix, Precision precision) {
  require(is_possible(mix),
          "a mix of " + std::to_string(mix.reads) + " streams read and " +
              std::to_string(mix.writes) + " written",
          "use at least one, and of both at most " + std::to_string(max_mix_reads) + " and " +
              std::to_string(max_mix_writes) + ", " + std::to_string(max_mix_arrays) + " in all");
  StreamPattern pattern{.operation = StreamOperation::mix, .precision = precision};
  if (mix.reads == 0 || mix.writes == 0) {
    pattern.operation = mix.writes == 0 ? StreamOperation::read : StreamOperation::write;
    return pattern;
  }
  pattern.mix_reads = mix.reads;
  pattern.mix_writes = mix.writes;
  return pattern;
}

std::string to_string(StreamOperation operation) {
  return stream_operation_names.to_string(operation);
}

std::string to_string(const StreamPattern& pattern) {
  const std::string what = pattern.operation == StreamOperation::mix
                               ? to_string(Mix{pattern.mix_reads, pattern.mix_writes})
                               : to_string(pattern.operation);
  const std::string streams =
      pattern.n_copy > 1 ? ", " + std::to_string(pattern.n_copy) + " streams" : "";
  return what + ", " + to_string(pattern.precision) + streams +
         (pattern.streaming_stores ? ", streaming stores" : "");
}

int detail::expected_element(const StreamPattern& pattern, int written, std::int64_t n) {
  const int last = pattern.reads() - 1;
  if (last < 0) {
    return stream_factor;
  }
  int sum = written + (pattern.multiplies() ? stream_factor : 1) * known_element(last, n);
  for (int array = 0; array < last; ++array) {
    sum += known_element(array, n);
  }
  return sum;
}

std::unique_ptr<Streams> make_streams(Device device, int threads, std::int64_t bytes) {
  require_capacity(device, bytes, "measuring bandwidth", "ask for a smaller working set");
  if (!device.is_cuda()) {
    return detail::make_cpu_streams(threads, bytes);
  }
  if constexpr (build::cuda) {
    return detail::make_cuda_streams(device, bytes);
  }
  throw RuntimeFailure("this program has no CUDA backend");
}

}  // namespace bankfull
