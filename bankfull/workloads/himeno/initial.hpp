#pragma once

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/numerics/random/counter.hpp"
#include "bankfull/workloads/himeno/point.hpp"
#include "bankfull/workloads/himeno/problem.hpp"

#include <cstdint>

namespace bankfull::himeno {

/// What the fields hold before the first sweep.
struct InitialState {
  enum class Kind {
    official,  ///< p = i^2/(I-1)^2, a = (1, 1, 1, 1/6), b = 0, c = 1, bnd = 1, wrk1 = 0
    random,    ///< everything random, which reveals index errors that constants hide
  };

  Kind kind = Kind::official;
  std::uint64_t seed = 0;
};

/// The initial value of one cell, in fp64; cells count from -1 (boundary) to n (boundary).
class InitialValue {
 public:
  InitialValue(const InitialState& state, const GridSize& grid) : state_(state), grid_(grid) {}

  BANKFULL_HOST_DEVICE double pressure(std::int64_t i, std::int64_t j, std::int64_t k) const {
    if (state_.kind == InitialState::Kind::random) {
      return random(coefficient_count, i, j, k);
    }
    const auto top = static_cast<double>(grid_.i - 1);
    const auto here = static_cast<double>(i + 1);
    return here * here / (top * top);
  }

  BANKFULL_HOST_DEVICE double coefficient(int field, std::int64_t i, std::int64_t j,
                                          std::int64_t k) const {
    if (state_.kind == InitialState::Kind::random) {
      // Scaled so that iterations do not blow up.
      return 0.25 * random(field, i, j, k);
    }
    switch (field) {
      case a3:
        return 1.0 / 6.0;
      case b0:
      case b1:
      case b2:
      case wrk1:
        return 0.0;
      default:
        return 1.0;
    }
  }

 private:
  BANKFULL_HOST_DEVICE double random(int field, std::int64_t i, std::int64_t j,
                                     std::int64_t k) const {
    const std::int64_t cell = ((i + 1) * grid_.j + (j + 1)) * grid_.k + (k + 1);
    return random_symmetric(state_.seed + static_cast<std::uint64_t>(field),
                            static_cast<std::uint64_t>(cell));
  }

  InitialState state_;
  GridSize grid_;
};

}  // namespace bankfull::himeno
