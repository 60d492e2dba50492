#pragma once

#include "bankfull/core/memory/memory.hpp"
#include "tests/workloads/hpcg/comparison.hpp"

#include <cstddef>
#include <cstdint>

namespace bankfull::hpcg {

/// Bytes that the system of a case and a path hold on this rank's device.
inline std::int64_t held_bytes(const Case& c, Variant variant) {
  const MemorySpace space = memory_space_of(c.problem.device);
  const MemoryWatch watch(space);
  const auto system = system_of(c);
  const auto path = system->make_path(variant);
  // On top of what is held, as much as was ever held makes a new maximum.
  const std::int64_t most = watch.most_bytes();
  const Memory more(space, static_cast<std::size_t>(most));
  return watch.most_bytes() - most;
}

}  // namespace bankfull::hpcg
