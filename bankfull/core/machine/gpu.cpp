#include "bankfull/core/machine/gpu.hpp"

#include "bankfull/build_config.hpp"
#include "bankfull/core/base/build_facts.hpp"
#include "bankfull/core/base/error.hpp"

namespace bankfull {
namespace {

GpuSurvey survey_by_backend() {
  if constexpr (build::cuda) {
    return detail::survey_cuda_gpus();
  }
  return {
      .gpus = {},
      .none_because = "this program has no CUDA backend: " + build_facts().cuda_unavailable_reason,
      .driver = {},
      .driver_cuda = {}};
}

}  // namespace

const GpuSurvey& survey_gpus() {
  static const GpuSurvey found = survey_by_backend();
  return found;
}

GpuClocks gpu_clocks(int index) {
  if constexpr (build::cuda) {
    return detail::cuda_gpu_clocks(survey_gpus().gpus.at(static_cast<std::size_t>(index)));
  }
  return {};
}

std::int64_t gpu_free_bytes(int index) {
  if constexpr (build::cuda) {
    return detail::cuda_free_bytes(index);
  }
  throw RuntimeFailure("this program has no CUDA backend, so it sees no GPU memory");
}

}  // namespace bankfull
