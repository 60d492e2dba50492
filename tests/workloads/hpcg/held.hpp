#pragma once

#include "bankfull/core/memory/memory.hpp"
#include "tests/workloads/hpcg/comparison.hpp"

#include <cstddef>
#include <cstdint>

namespace bankfull::hpcg {

/// Bytes that the system of a case and a backend hold on this rank's device.
inline std::int64_t held_bytes(const Case& c, Variant variant) {
  const MemorySpace space = memory_space_of(c.problem.device);
  const MemoryWatch watch(space);
  const auto system = system_of(c);
  const auto backend = system->make_backend(variant);
  // Allocating the previous maximum on top of what is held makes a new maximum.
  const std::int64_t most = watch.max_bytes();
  const Memory more(space, static_cast<std::size_t>(most));
  return watch.max_bytes() - most;
}

}  // namespace bankfull::hpcg
