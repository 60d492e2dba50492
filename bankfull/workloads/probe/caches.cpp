#include "bankfull/workloads/probe/caches.hpp"

#include "bankfull/core/machine/gpu.hpp"

#include <algorithm>
#include <cstddef>

namespace bankfull::probe {
namespace {

const GpuInfo& info_of(Device gpu) {
  return survey_gpus().gpus.at(static_cast<std::size_t>(gpu.index));
}

}  // namespace

std::vector<CacheLevel> caches_of_one_thread(Device device) {
  if (!device.is_cuda()) {
    return survey_cpu().data_caches;
  }
  const GpuInfo& gpu = info_of(device);
  return {{.level = 1, .bytes = gpu.shared_bytes, .count = gpu.multiprocessors},
          {.level = 2, .bytes = gpu.l2_bytes}};
}

std::vector<CacheLevel> caches_of_all(Device device, int threads) {
  std::vector<CacheLevel> caches = caches_of_one_thread(device);
  for (CacheLevel& cache : caches) {
    cache.bytes *= device.is_cuda() ? cache.count : std::min(cache.count, threads);
  }
  return caches;
}

}  // namespace bankfull::probe
