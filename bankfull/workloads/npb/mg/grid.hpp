#pragma once

#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/memory/buffer.hpp"

#include <algorithm>
#include <cstdint>

namespace bankfull::npb::mg {

/// A periodic grid of side^3 points without ghosts; rows along i1 start on a cache line.
class Grid {
 public:
  Grid(std::int64_t side, const Team& team)
      : side_(side),
        row_pitch_(pitch_of(side)),
        plane_pitch_(side * row_pitch_ + line),
        buffer_(MemorySpace::host, static_cast<std::size_t>(side * plane_pitch_)) {
    clear(team);
  }

  [[nodiscard]] std::int64_t side() const { return side_; }

  /// Row (i3, i2) of the periodic grid; both from -side on.
  [[nodiscard]] double* row(std::int64_t i3, std::int64_t i2) const {
    // Sides are powers of two.
    const std::int64_t mask = side_ - 1;
    return buffer_.data() + (i3 & mask) * plane_pitch_ + (i2 & mask) * row_pitch_;
  }

  void clear(const Team& team) {
#pragma omp parallel num_threads(team.threads())
    {
      const Range planes = my_share(side_);
      std::fill_n(buffer_.data() + planes.begin * plane_pitch_, planes.size() * plane_pitch_, 0.0);
    }
  }

  void swap(Grid& other) noexcept { std::swap(*this, other); }

 private:
  static constexpr std::int64_t line = 8;

  /// An odd number of cache lines: rows a power of two apart would share cache sets.
  static constexpr std::int64_t pitch_of(std::int64_t side) {
    return (side + line - 1) / line / 2 * 2 * line + line;
  }

  std::int64_t side_;
  std::int64_t row_pitch_;
  std::int64_t plane_pitch_;
  Buffer<double> buffer_;
};

}  // namespace bankfull::npb::mg
