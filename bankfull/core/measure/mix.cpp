#include "bankfull/core/measure/mix.hpp"

#include <cmath>

namespace bankfull {
namespace {

/// Shares that differ by less are equally near: sums of bytes are rounded.
constexpr double same_share = 1e-9;

double distance(const Mix& mix, double written_share) {
  return std::abs(static_cast<double>(mix.writes) / (mix.reads + mix.writes) - written_share);
}

}  // namespace

std::optional<Mix> mix_of(const Traffic& traffic) {
  if (!(traffic.bytes() > 0.0)) {
    return std::nullopt;
  }
  const double written_share = traffic.bytes_written / traffic.bytes();
  Mix nearest{.reads = 1, .writes = 0};
  // By the number of arrays, so that 2:2 does not replace 1:1.
  for (int arrays = 1; arrays <= max_mix_arrays; ++arrays) {
    for (int writes = 1; writes <= max_mix_writes && writes <= arrays; ++writes) {
      const Mix mix{.reads = arrays - writes, .writes = writes};
      const bool measurable = mix.reads > 0 ? mix.reads <= max_mix_reads : writes == 1;
      if (measurable &&
          distance(mix, written_share) < distance(nearest, written_share) - same_share) {
        nearest = mix;
      }
    }
  }
  return nearest;
}

std::optional<Mix> ceiling_mix(const Work& work) {
  return work.is_bound_by_memory ? mix_of(work.traffic) : std::nullopt;
}

std::string to_string(const Mix& mix) {
  if (mix.writes == 0 || mix.reads == 0) {
    return mix.writes == 0 ? "read" : "write";
  }
  return std::to_string(mix.reads) + " read : " + std::to_string(mix.writes) + " write";
}

}  // namespace bankfull
