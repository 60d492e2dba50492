#include "bankfull/core/exec/tensor_map.hpp"

#include "bankfull/core/base/dynamic_library.hpp"
#include "bankfull/core/base/error.hpp"

#include <string>

namespace bankfull {
namespace {

/// The driver functions that this program calls itself; all others are called by the CUDA runtime.
struct DriverFunctions : DynamicLibrary {
  DriverFunctions() : DynamicLibrary("libcuda.so.1") {}
  DynamicFunction<decltype(cuTensorMapEncodeTiled)> encode{*this, "cuTensorMapEncodeTiled"};
};

const DriverFunctions& driver() {
  static const DriverFunctions functions;
  return functions;
}

template <class T>
constexpr CUtensorMapDataType data_type = sizeof(T) == 4 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32
                                                         : CU_TENSOR_MAP_DATA_TYPE_FLOAT64;

}  // namespace

template <class T>
CUtensorMap make_tensor_map(T* data, const TensorShape& shape, const std::array<int, 4>& box) {
  driver().require("Tensor maps, which drivers older than CUDA 12 lack,");
  std::array<cuuint64_t, 4> extents{};
  std::array<cuuint64_t, 3> pitch_bytes{};
  std::array<cuuint32_t, 4> box_extents{};
  const std::array<cuuint32_t, 4> every_element{1, 1, 1, 1};
  for (std::size_t n = 0; n < extents.size(); ++n) {
    extents[n] = static_cast<cuuint64_t>(shape.extents[n]);
    box_extents[n] = static_cast<cuuint32_t>(box[n]);
  }
  for (std::size_t n = 0; n < pitch_bytes.size(); ++n) {
    pitch_bytes[n] = static_cast<cuuint64_t>(shape.pitches[n]) * sizeof(T);
  }
  // No promotion: fetching more than the box from memory costs bandwidth.
  CUtensorMap map{};
  const CUresult status = driver().encode(
      &map, data_type<T>, 4, data, extents.data(), pitch_bytes.data(), box_extents.data(),
      every_element.data(), CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
      CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (status != CUDA_SUCCESS) {
    throw RuntimeFailure("the driver refused a tensor map (error " + std::to_string(status) + ")");
  }
  return map;
}

template CUtensorMap make_tensor_map<float>(float*, const TensorShape&, const std::array<int, 4>&);
template CUtensorMap make_tensor_map<double>(double*, const TensorShape&,
                                             const std::array<int, 4>&);

}  // namespace bankfull
