#pragma once

#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/convection/cuda/advance.cuh"
#include "bankfull/workloads/convection/interpolation.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace bankfull::convection {

template <class Real>
struct GatherElements {
  const Real* fields;
  const std::int64_t* offsets;
  double* to;

  __device__ void operator()(std::int64_t n) const {
    to[n] = static_cast<double>(fields[offsets[n]]);
  }
};

/// Single elements of the fields, a thread each: where they lie is in the GPU's memory from the
/// start, and nothing but their values crosses to the host.
template <class Real>
class ElementsOnGpu {
 public:
  explicit ElementsOnGpu(const CudaExecutor& gpu) : gpu_(gpu) {}

  void set(const FlowOnGpu<Real>& flow, const std::vector<std::vector<FieldElement>>& lists) {
    lists_.clear();
    for (const std::vector<FieldElement>& list : lists) {
      std::vector<std::int64_t> offsets;
      offsets.reserve(list.size());
      for (const FieldElement& one : list) {
        offsets.push_back(one.field * flow.strides.field + one.i * flow.strides.plane +
                          one.j * flow.strides.row + one.k);
      }
      const auto count = static_cast<std::int64_t>(offsets.size());
      lists_.push_back(
          {gpu_.template make<std::int64_t>(count), gpu_.template make<double>(count)});
      gpu_.from_host(offsets, lists_.back().offsets.data());
    }
  }

  /// `fields`: of element (0, 0, 0) of the first one.
  [[nodiscard]] std::vector<double> values(const Real* fields, std::size_t number) const {
    const List& list = lists_[number];
    const auto count = static_cast<std::int64_t>(list.values.size());
    gpu_.each(count, GatherElements<Real>{fields, list.offsets.data(), list.values.data()});
    return gpu_.to_host(list.values.data(), count);
  }

 private:
  struct List {
    Buffer<std::int64_t> offsets;
    Buffer<double> values;
  };

  const CudaExecutor& gpu_;
  std::vector<List> lists_;
};

}  // namespace bankfull::convection
