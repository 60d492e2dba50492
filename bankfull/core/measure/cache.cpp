#include "bankfull/core/measure/cache.hpp"

#include "bankfull/core/base/enum_names.hpp"
#include "bankfull/core/comm/rank_survey.hpp"
#include "bankfull/core/machine/cpu.hpp"
#include "bankfull/core/machine/gpu.hpp"

#include <limits>
#include <vector>

namespace bankfull {
namespace {

constexpr auto cache_fit_names = enum_names<CacheFit>(
    {{CacheFit::beyond, "beyond"}, {CacheFit::partly, "partly"}, {CacheFit::inside, "inside"}});

}  // namespace

CacheFit cache_fit(double working_set_bytes, std::int64_t cache_bytes) {
  if (working_set_bytes >= smallest_beyond(cache_bytes)) {
    return CacheFit::beyond;
  }
  return working_set_bytes > static_cast<double>(cache_bytes) ? CacheFit::partly : CacheFit::inside;
}

std::string to_string(CacheFit fit) { return cache_fit_names.to_string(fit); }

std::int64_t last_cache_bytes(Device device) {
  if (device.is_cuda()) {
    const std::vector<GpuInfo>& gpus = survey_gpus().gpus;
    const auto index = static_cast<std::size_t>(device.index);
    return index < gpus.size() ? gpus[index].l2_bytes : 0;
  }
  return last_level_cache_bytes();
}

WorkingSet working_set(const Communicator& ranks, Device device, double bytes_of_rank) {
  const std::vector<double> of_ranks = ranks.all_gather(bytes_of_rank);
  double on_device = 0.0;
  for (const int rank : ranks_on_device(ranks, device)) {
    on_device += of_ranks[static_cast<std::size_t>(rank)];
  }
  constexpr std::int64_t nothing = std::numeric_limits<std::int64_t>::max();
  const bool has_any = on_device > 0.0;
  const CacheFit fit = has_any ? cache_fit(on_device, last_cache_bytes(device)) : CacheFit::beyond;
  const std::int64_t least = ranks.min(has_any ? static_cast<std::int64_t>(on_device) : nothing);
  return {.bytes = least == nothing ? 0 : least,
          .fit = static_cast<CacheFit>(ranks.max(static_cast<std::int64_t>(fit)))};
}

}  // namespace bankfull
