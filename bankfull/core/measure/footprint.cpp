#include "bankfull/core/measure/footprint.hpp"

#include "bankfull/build_config.hpp"
#include "bankfull/core/base/bytes.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/format.hpp"
#include "bankfull/core/comm/rank_survey.hpp"
#include "bankfull/core/measure/cache.hpp"
#include "bankfull/core/measure/ceilings.hpp"
#include "bankfull/core/memory/capacity.hpp"

#include <algorithm>

namespace bankfull {
namespace {

/// Resident memory of a nearly idle process: code, libraries and the C library's data. With CUDA
/// this includes its runtime, whatever the device.
constexpr std::int64_t program_bytes = (build::cuda ? 13 : 9) * mib;

}  // namespace

Footprints::Footprints(Device device, int threads, const Communicator& ranks, CeilingRule ceilings)
    : device_(device),
      threads_(threads),
      sharing_(sharers_of_device(ranks, device)),
      on_node_(ranks.local_size()),
      rule_(ceilings) {}

std::int64_t Footprints::ceilings(std::int64_t working_set) const {
  const std::int64_t on_device = working_set * sharing_;
  const CacheFit fit = cache_fit(static_cast<double>(on_device), last_cache_bytes(device_));
  return on_device > 0 && measures_ceiling(rule_, fit)
             ? ceilings_bytes(device_, threads_ * sharing_, rule_, on_device)
             : 0;
}

Footprint Footprints::of(const WorkBytes& work) const {
  const std::int64_t programs = on_node_ * program_bytes;
  const std::int64_t ceiling = ceilings(work.working_set);
  if (device_.is_cuda()) {
    return {.device = std::max(sharing_ * work.device, ceiling),
            .host = programs + on_node_ * work.host};
  }
  return {.device = 0, .host = programs + std::max(on_node_ * (work.device + work.host), ceiling)};
}

bool Footprints::fits(const Footprint& footprint) const {
  return footprint.host <= free_bytes(Device::cpu(), on_node_) &&
         (!device_.is_cuda() || footprint.device <= free_bytes(device_));
}

std::string Footprints::require(const Communicator& ranks, const Footprint& footprint,
                                const std::string& what, const std::function<std::string()>& remedy,
                                Shortage shortage) const {
  try {
    ranks.agree([&] { require_here(footprint, what, remedy); });
  } catch (const UsageError& error) {
    if (shortage == Shortage::refused) {
      throw;
    }
    return error.what();
  }
  return {};
}

void Footprints::require_here(const Footprint& footprint, const std::string& what,
                              const std::function<std::string()>& remedy) const {
  if (fits(footprint)) {
    return;
  }
  const std::string advice = remedy();
  if (device_.is_cuda()) {
    require_capacity(device_, footprint.device, what, advice);
  }
  require_capacity(Device::cpu(), footprint.host, what, advice, on_node_);
}

std::string to_string(const Footprint& footprint) {
  const std::string host = format_bytes(static_cast<double>(footprint.host));
  return footprint.device > 0 ? "memory " + format_bytes(static_cast<double>(footprint.device)) +
                                    " on the GPU, " + host + " on the host"
                              : "memory " + host;
}

}  // namespace bankfull
