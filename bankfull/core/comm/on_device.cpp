#include "bankfull/core/comm/on_device.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/comm/rank_survey.hpp"

#include <cstdint>
#include <fmt/format.h>

namespace bankfull {

Device resolve_device(const Communicator& ranks, const std::string& request) {
  // Looking for GPUs takes time and memory on each of them: not where none is asked for.
  const bool chosen_by_rank = ranks.size() > 1 && (request == "auto" || request == "cuda");
  const bool any_chosen = ranks.max(std::int64_t{chosen_by_rank}) > 0;
  const Sharers sharers = any_chosen ? sharers_of_gpus(ranks) : Sharers{};
  Device device;
  ranks.agree([&] { device = resolve_device(request, sharers.place, sharers.count); });
  const std::int64_t on_gpu = device.is_cuda() ? 1 : 0;
  if (ranks.min(on_gpu) != ranks.max(on_gpu)) {
    throw UsageError("some ranks chose a GPU and others the CPU",
                     "give all of them --device cpu or --device cuda");
  }
  return device;
}

detail::ChosenDevice detail::choose_device(const Communicator& ranks, const DeviceRequest& request,
                                           bool has_kernels) {
  const bool is_cpu = !has_kernels && request.device == "auto";
  const Device device = resolve_device(ranks, is_cpu ? "cpu" : request.device);
  const int shared = default_threads(ranks);
  const int threads = request.threads > 0 ? request.threads : shared;
  ranks.agree([&] {
    require(has_kernels || !device.is_cuda(),
            fmt::format("the device {} was asked for, but this program's loops were compiled for "
                        "the CPU",
                        request.device),
            "compile the source that calls on_device with nvcc, or use the device cpu");
    require(request.threads >= 0, fmt::format("a team of {} threads", request.threads),
            "ask for 1 or more, or for 0 to have one per core");
    if (!device.is_cuda()) {
      static_cast<void>(Team(threads));  // throws where OpenMP gives fewer
    }
  });
  return {.device = device, .threads = threads};
}

}  // namespace bankfull
