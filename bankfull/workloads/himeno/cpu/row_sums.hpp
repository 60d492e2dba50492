#pragma once

#include "bankfull/core/exec/for_each.hpp"
#include "bankfull/core/field/box.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bankfull::himeno {

/// One sum per row and sweep, added up in a fixed order: gosa depends neither on the team nor on
/// the order in which rows are swept.
class RowSums {
 public:
  RowSums(const Extents& interior, int sweeps)
      : interior_(interior), sums_(static_cast<std::size_t>(sweeps * interior.ni * interior.nj)) {}

  /// Where several parts of a row are added up.
  void clear(int sweep) {
    std::fill_n(sums_.begin() + static_cast<std::ptrdiff_t>(index(sweep, 0, 0)),
                interior_.ni * interior_.nj, 0.0);
  }

  double& at(int sweep, std::int64_t i, std::int64_t j) { return sums_[index(sweep, i, j)]; }

  /// Of all rows: by the team, in whose caches they are.
  [[nodiscard]] double total(const Team& team, int sweep) const {
    return reduce_sum(team, {0, interior_.ni, 0, interior_.nj, 0, 1},
                      [&](std::int64_t i, std::int64_t j, std::int64_t /*k*/) {
                        return sums_[index(sweep, i, j)];
                      });
  }

 private:
  [[nodiscard]] std::size_t index(int sweep, std::int64_t i, std::int64_t j) const {
    return static_cast<std::size_t>((sweep * interior_.ni + i) * interior_.nj + j);
  }

  Extents interior_;
  std::vector<double> sums_;
};

}  // namespace bankfull::himeno
