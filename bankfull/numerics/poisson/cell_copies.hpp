#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/field/view.hpp"
#include "bankfull/numerics/poisson/poisson.hpp"

#include <cstdint>

namespace bankfull::poisson {

/// Copies cells between a field and a solver's slots; a body of for_each.
template <class From, class To>
struct CopyCells {
  From from;  ///< is read at (i, j, k)
  To to;      ///< is written there

  /// Copies one cell.
  BANKFULL_HOST_DEVICE void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    to(i, j, k) = from(i, j, k);
  }
};

/// clang 16 cannot deduce the arguments of an aggregate.
template <class From, class To>
CopyCells<From, To> copy_cells(const From& from, const To& to) {
  return {from, to};
}

/// Queues it for all cells of a box. Defined in cell_copies_cuda.cu, which exists in builds with
/// CUDA only.
template <class From, class To>
void queue_copy(const Stream& stream, const Box& box, const CopyCells<From, To>& cells);

}  // namespace bankfull::poisson
