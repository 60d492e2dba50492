#pragma once

#include "bankfull/core/exec/stream.hpp"
#include "bankfull/core/memory/memory.hpp"
#include "bankfull/numerics/poisson/poisson.hpp"
#include "tests/numerics/poisson/domains.hpp"

#include <cstddef>
#include <vector>

namespace bankfull::poisson {

/// A copy on the host of slots in GPU memory.
template <class Real>
class HostCopy {
 public:
  HostCopy(const Domain& domain, const CellSlots<Real>& slots)
      : domain_(&domain),
        on_gpu_(slots),
        memory_(static_cast<std::size_t>((domain.extents().ni - 1) * slots.plane_pitch +
                                         (domain.extents().nj - 1) * slots.row_pitch +
                                         domain.extents().nk)) {}

  void upload(const Values& values, const Stream& stream) {
    put(*domain_, values, on_host());
    copy_bytes(on_gpu_.data, memory_.data(), memory_.size() * sizeof(Real), stream);
    stream.synchronize();
  }

  Values download(const Stream& stream) {
    copy_bytes(memory_.data(), on_gpu_.data, memory_.size() * sizeof(Real), stream);
    stream.synchronize();
    return take(*domain_, on_host());
  }

 private:
  CellSlots<Real> on_host() {
    CellSlots<Real> slots = on_gpu_;
    slots.data = memory_.data();
    return slots;
  }

  const Domain* domain_;
  CellSlots<Real> on_gpu_;
  std::vector<Real> memory_;
};

}  // namespace bankfull::poisson
