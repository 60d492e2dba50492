#pragma once

#include "bankfull/core/field/box.hpp"

namespace bankfull {

/// body(i, j, k) for all cells of a box one after the other, k fastest.
template <class Body>
constexpr void for_cells(const Box& box, const Body& body) {
  for (std::int64_t i = box.i0; i < box.i1; ++i) {
    for (std::int64_t j = box.j0; j < box.j1; ++j) {
      for (std::int64_t k = box.k0; k < box.k1; ++k) {
        body(i, j, k);
      }
    }
  }
}

}  // namespace bankfull
