#include "bankfull/core/measure/cache.hpp"

#include "bankfull/core/base/enum_names.hpp"
#include "bankfull/core/machine/cpu.hpp"
#include "bankfull/core/machine/gpu.hpp"

namespace bankfull {
namespace {

constexpr auto cache_fit_names = enum_names<CacheFit>(
    {{CacheFit::beyond, "beyond"}, {CacheFit::partly, "partly"}, {CacheFit::inside, "inside"}});

}  // namespace

CacheFit cache_fit(double working_set_bytes, std::int64_t cache_bytes) {
  constexpr double negligible = 4.0;  // caches: no more than a quarter of the data is found in one
  const auto cache = static_cast<double>(cache_bytes);
  if (working_set_bytes >= negligible * cache) {
    return CacheFit::beyond;
  }
  return working_set_bytes > cache ? CacheFit::partly : CacheFit::inside;
}

std::string to_string(CacheFit fit) { return cache_fit_names.to_string(fit); }

std::int64_t last_cache_bytes(Device device) {
  if (device.is_cuda()) {
    return survey_gpus().gpus.at(static_cast<std::size_t>(device.index)).l2_bytes;
  }
  return last_level_cache_bytes();
}

}  // namespace bankfull
