#pragma once

#include "bankfull/core/exec/team.hpp"
#include "bankfull/numerics/sparse/colouring.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bankfull::hpcg {

/// The order in which sweeps take the colours of a level, 0 being the finest. `coarse_rows` has,
/// for each colour, the number of rows that lie on the coarser level; all 0 on the coarsest.
///
/// Colours with coarse rows come last: the backward sweep begins with them and changes all others
/// after them, so that the residual that it leaves at the coarse rows reflects the error. (If they
/// came first, the sweep would end with them, and their residual would vanish.)
std::vector<Colour> class_order(std::size_t level, const std::vector<std::int64_t>& coarse_rows);

/// The places in an order between which all coarse rows lie; empty without any.
Range coarse_classes(const std::vector<Colour>& order,
                     const std::vector<std::int64_t>& coarse_rows);

}  // namespace bankfull::hpcg
