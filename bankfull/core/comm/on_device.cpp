#include "bankfull/core/comm/on_device.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/comm/rank_survey.hpp"

#include <fmt/format.h>

namespace bankfull::detail {

Device chosen_device(const Communicator& ranks, const DeviceRequest& request, bool has_kernels) {
  const Sharers of_gpus = sharers_of_gpus(ranks);
  Device device;
  ranks.agree([&] {
    if (!has_kernels && request.device == "auto") {
      return;
    }
    device = resolve_device(request.device, of_gpus.place, of_gpus.count);
    require(has_kernels || !device.is_cuda(),
            fmt::format("the device {} was asked for, but this program's loops were compiled for "
                        "the CPU",
                        request.device),
            "compile the source that calls on_device with nvcc, or use the device cpu");
  });
  return device;
}

Team chosen_team(const Communicator& ranks, const DeviceRequest& request) {
  const int shared = default_threads(ranks);
  ranks.agree([&] {
    require(request.threads >= 0, fmt::format("a team of {} threads", request.threads),
            "ask for 1 or more, or for 0 to have one per core");
  });
  return Team(request.threads > 0 ? request.threads : shared);
}

}  // namespace bankfull::detail
