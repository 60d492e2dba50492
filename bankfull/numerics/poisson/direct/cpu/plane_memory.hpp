#pragma once

#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/numerics/poisson/direct/spectrum.hpp"
#include "bankfull/numerics/poisson/poisson.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace bankfull::poisson {

/// The planes of a field, shared among the threads of a team, and what each of these works in. All
/// of it is 0 at first. Before plane 0 there may be others, which are nobody's.
template <class Real>
class CpuPlaneMemory {
 public:
  /// `layout`: of all planes, `before` of them before the first one.
  CpuPlaneMemory(const SpectrumLayout& layout, std::int64_t before, std::int64_t work_reals,
                 const Team& team)
      : layout_(layout),
        before_(before),
        planes_(layout.size / layout.plane_pitch - before),
        work_reals_(work_reals),
        field_(MemorySpace::host, static_cast<std::size_t>(layout.size)),
        work_(MemorySpace::host, static_cast<std::size_t>(team.threads() * work_reals)) {
#pragma omp parallel num_threads(team.threads())
    {
      const Range mine = my_planes();
      std::fill(plane(mine.begin > 0 ? mine.begin : -before_), plane(mine.end), Real{0});
      std::fill_n(my_work(), work_reals_, Real{0});
    }
  }

  [[nodiscard]] const SpectrumLayout& layout() const { return layout_; }
  [[nodiscard]] std::int64_t planes() const { return planes_; }
  [[nodiscard]] Real* plane(std::int64_t i) const {
    return field_.data() + (i + before_) * layout_.plane_pitch;
  }
  [[nodiscard]] CellSlots<Real> slots() const {
    const std::int64_t rows = layout_.plane_pitch / layout_.row_pitch;
    return {plane(0),
            layout_.plane_pitch,
            layout_.row_pitch,
            0,
            0,
            Box{-before_, planes_, 0, rows, 0, layout_.row_pitch}};
  }

  // Inside a parallel region, of the calling thread.

  [[nodiscard]] Range my_planes() const { return my_share(planes_); }
  [[nodiscard]] Real* my_work() const { return work_.data() + share_number() * work_reals_; }

 private:
  SpectrumLayout layout_;
  std::int64_t before_;
  std::int64_t planes_;
  std::int64_t work_reals_;
  Buffer<Real> field_;
  Buffer<Real> work_;
};

}  // namespace bankfull::poisson
