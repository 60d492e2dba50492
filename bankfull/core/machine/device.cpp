#include "bankfull/core/machine/device.hpp"

#include "bankfull/build_config.hpp"
#include "bankfull/core/base/build_facts.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/machine/gpu.hpp"

#include <charconv>

namespace bankfull {
namespace {

int parse_index(const std::string& request, const std::string& digits) {
  int index = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (error != std::errc{} || end != digits.data() + digits.size() || index < 0) {
    throw UsageError("--device " + request + " is not a device", "use auto, cpu, cuda or cuda:N");
  }
  return index;
}

Device require_gpu(const std::string& request, int index) {
  if constexpr (!build::cuda) {
    throw UsageError("--device " + request + ": this program has no CUDA backend (" +
                         build_facts().cuda_unavailable_reason + ")",
                     "use --device cpu, or rebuild where nvcc is found");
  }
  const GpuSurvey& survey = survey_gpus();
  if (survey.gpus.empty()) {
    throw UsageError("--device " + request + ": no usable GPU (" + survey.none_because + ")",
                     "use --device cpu");
  }
  const int count = static_cast<int>(survey.gpus.size());
  if (index >= count) {
    throw UsageError("--device " + request + ": this machine has " + std::to_string(count) +
                         (count == 1 ? " GPU" : " GPUs"),
                     "use cuda:0" + (count == 1 ? "" : " to cuda:" + std::to_string(count - 1)));
  }
  return Device::cuda(index);
}

}  // namespace

std::string to_string(Device device) {
  return device.is_cuda() ? "cuda:" + std::to_string(device.index) : "cpu";
}

Device detail::gpu_of_rank(int gpus, int local_rank, int local_size) {
  if (local_size > gpus) {
    const std::string count = std::to_string(gpus);
    throw UsageError(std::to_string(local_size) + " ranks on this node, " + count +
                         (gpus == 1 ? " GPU" : " GPUs"),
                     "start at most " + count + (gpus == 1 ? " rank" : " ranks") +
                         " a node, name one GPU for all with --device cuda:0, or use --device cpu");
  }
  return Device::cuda(local_rank);
}

Device resolve_device(const std::string& request, int local_rank, int local_size) {
  if (request == "cpu") {
    return Device::cpu();
  }
  const auto own_gpu = [&] {
    const int gpus = static_cast<int>(survey_gpus().gpus.size());
    return detail::gpu_of_rank(gpus, local_rank, local_size);
  };
  if (request == "auto") {
    return survey_gpus().gpus.empty() ? Device::cpu() : own_gpu();
  }
  if (request == "cuda") {
    static_cast<void>(require_gpu(request, 0));
    return own_gpu();
  }
  const std::string prefix = "cuda:";
  if (request.starts_with(prefix)) {
    return require_gpu(request, parse_index(request, request.substr(prefix.size())));
  }
  throw UsageError("--device " + request + " is not a device", "use auto, cpu, cuda or cuda:N");
}

}  // namespace bankfull
