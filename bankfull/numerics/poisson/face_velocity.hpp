#pragma once

#include <cstdint>

namespace bankfull::poisson {

/// A velocity on the lower faces of cells, of which a solver may form the divergence itself. Beyond
/// the last cell of an axis lies the first face again, or a wall, through which nothing flows:
/// nothing is read there.
template <class Real>
struct FaceVelocity {
  const Real* along_i = nullptr;  ///< at cell (0, 0, 0), on the solver's device
  const Real* along_j = nullptr;  ///< likewise
  const Real* along_k = nullptr;  ///< likewise
  std::int64_t plane_pitch = 0;   ///< of all three, in elements
  std::int64_t row_pitch = 0;     ///< likewise
};

}  // namespace bankfull::poisson
