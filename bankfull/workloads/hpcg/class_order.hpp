#pragma once

#include "bankfull/numerics/sparse/colouring.hpp"

#include <cstdint>
#include <vector>

namespace bankfull::hpcg {

/// The order in which sweeps take the colours of a level. `coarse_rows` has, for each colour, the
/// number of rows that lie on the coarser level; all 0 on the coarsest.
///
/// Colours with coarse rows come second: the residual is then needed where only the first class has
/// changed since the forward sweep, and the coarse correction concerns only rows of the first. (If
/// they came first, the backward sweep would end with them, and their residual would vanish.)
std::vector<Colour> class_order(const std::vector<std::int64_t>& coarse_rows);

/// Number of leading classes of an order that hold all coarse rows; 0 without any.
int coarse_class_count(const std::vector<Colour>& order,
                       const std::vector<std::int64_t>& coarse_rows);

}  // namespace bankfull::hpcg
