#include "bankfull/core/exec/launch.cuh"

#include "bankfull/core/base/error.hpp"

#include <cstdlib>
#include <cxxabi.h>
#include <fmt/format.h>
#include <memory>
#include <string>

namespace bankfull {
namespace {

/// The kernel as its source names it, template arguments included.
std::string name_of(const void* kernel) {
  const char* symbol = nullptr;
  if (cudaFuncGetName(&symbol, kernel) != cudaSuccess || symbol == nullptr) {
    return "of unknown name";
  }
  struct Free {
    // The demangler allocates with malloc.
    void operator()(char* text) const noexcept {
      std::free(text);  // NOLINT(cppcoreguidelines-no-malloc)
    }
  };
  int status = 0;
  const std::unique_ptr<char, Free> readable(
      abi::__cxa_demangle(symbol, nullptr, nullptr, &status));
  return readable == nullptr ? symbol : readable.get();
}

std::string text_of(const dim3& extents) {
  return fmt::format("{} x {} x {}", extents.x, extents.y, extents.z);
}

}  // namespace

void detail::check_launch(cudaError_t status, const void* kernel, const LaunchShape& shape,
                          const std::source_location& where) {
  if (status == cudaSuccess) {
    return;
  }
  const std::string name = name_of(kernel);
  // Otherwise CUDA would report this failure again to the next caller that queries the last error.
  static_cast<void>(cudaGetLastError());
  throw RuntimeFailure(fmt::format(
      "CUDA failed while launching kernel {} with a grid of {} blocks, {} threads per block and {} "
      "bytes of dynamic shared memory at {}:{}: {} ({})",
      name, text_of(shape.grid), text_of(shape.block), shape.shared_bytes, where.file_name(),
      where.line(), cudaGetErrorName(status), cudaGetErrorString(status)));
}

}  // namespace bankfull
