#include "bankfull/numerics/poisson/direct.hpp"

#include "bankfull/build_config.hpp"
#include "bankfull/core/base/build_facts.hpp"
#include "bankfull/core/exec/cufft.hpp"
#include "bankfull/numerics/poisson/direct/sizes.hpp"
#include "bankfull/numerics/poisson/direct/spectrum.hpp"

namespace bankfull::poisson {

std::string direct_unavailable(Device device, const Domain& domain) {
  if (!is_transformed(domain) && !build::eigen) {
    return "two axes must be uniform, for this program has no Eigen: " +
           build_facts().eigen_unavailable_reason;
  }
  if (!device.is_cuda()) {
    return build::fftw ? "" : "this program has no FFTW: " + build_facts().fftw_unavailable_reason;
  }
  if constexpr (build::cufft) {
    return cufft_unavailable_reason().empty()
               ? ""
               : "cuFFT cannot be used: " + cufft_unavailable_reason();
  } else {
    return build::cuda
               ? "no cuFFT was found when this program was built"
               : "this program has no CUDA backend: " + build_facts().cuda_unavailable_reason;
  }
}

std::int64_t direct_bytes(const Domain& domain, std::size_t element_bytes, bool on_gpu,
                          int threads) {
  const auto bytes = static_cast<std::int64_t>(element_bytes);
  if (!on_gpu) {
    const SpectrumLayout layout(domain.extents(), element_bytes);
    return bytes * (layout.size + threads * work_reals(domain, element_bytes) +
                    matrix_reals_of_j(domain) + matrix_reals_of_k(domain, element_bytes));
  }
  const SpectrumLayout layout(domain.extents(), element_bytes, spare_rows(domain.j.cells()));
  const GpuSizes sizes(domain, element_bytes);
  return bytes * (layout.size + sizes.checkpoint_reals + sizes.table_reals) +
         sizes.max_transform_bytes;
}

}  // namespace bankfull::poisson
