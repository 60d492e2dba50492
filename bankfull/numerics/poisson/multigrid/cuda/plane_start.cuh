#pragma once

#include "bankfull/core/exec/stream.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/numerics/poisson/multigrid/cuda/control.hpp"
#include "bankfull/numerics/poisson/multigrid/cuda/level_tables.cuh"
#include "bankfull/numerics/poisson/multigrid/plane_start.hpp"

#include <cstddef>
#include <numeric>

namespace bankfull::poisson::multigrid::cuda {

/// What the sum of f is in: |f| is scaled to less than 4, and the shares add up to 1.
inline constexpr double units_of_sum = 0x1p60;

/// Where a solve from nothing begins, see plane_start.hpp: what it is formed from, and where. A
/// rank forms that of all planes, and keeps what its window has.
struct PlaneStart {
  const AxisPlane* planes;
  int count;           ///< of planes
  double length;       ///< of the axis
  bool is_around;      ///< the axis is periodic, and has several cells
  long long* sums;     ///< of f in each plane, weighted by volume, in units of the scaled f's
  double* parts;       ///< halves of these sums, which ranks add up; or nullptr
  double* room;        ///< a number per plane
  int first;           ///< plane of the window, below 0 where it begins around the axis
  int window;          ///< planes of the window, for each of which:
  double* means;       ///< the mean of f
  double* potentials;  ///< p

  /// The number in the whole level of a plane of the window.
  [[nodiscard]] __device__ __forceinline__ int number_of(int plane) const {
    const int number = (first + plane) % count;
    return number < 0 ? number + count : number;
  }
};

/// The sum of the values of this lane and of those before it.
template <class T>
__device__ __forceinline__ T sum_up_to_lane(T value, int lane) {
  for (int lanes = 1; lanes < 32; lanes *= 2) {
    const T before = __shfl_up_sync(~0U, value, lanes);
    value += lane >= lanes ? before : T{0};
  }
  return value;
}

/// By one warp, when the mean, the scale and the sums of planes are known. Not inlined, as the
/// kernels that call it have other things to do with their registers.
static __device__ __noinline__ void form_plane_start(const Control& control,
                                                     const PlaneStart& start) {
  const auto lane = static_cast<int>(threadIdx.x);
  const double mean = control.mean;
  const double scale = control.scale;
  const auto unscaled = [scale](long long sum) {
    return static_cast<double>(sum) / units_of_sum / scale;
  };
  long long sum = 0;       // of the planes before, as the next two
  double potential = 0.0;  // were the first gradient 0
  double mean_potential = 0.0;
  for (int begin = 0; begin < start.count; begin += 32) {
    const int plane = begin + lane;
    const bool is_there = plane < start.count;
    const AxisPlane own = is_there ? start.planes[plane] : AxisPlane{0.0, 0.0, 0.0, 0.0};
    sum += sum_up_to_lane(is_there ? __ldcg(start.sums + plane) : 0LL, lane);
    const double flow = start.length * (unscaled(sum) - mean * own.share_up_to);
    const double rise = own.distance * flow;
    const double risen = sum_up_to_lane(rise, lane);
    const double here = potential + (risen - rise);
    if (is_there) {
      start.room[plane] = here;
    }
    mean_potential += own.share * here;
    sum = __shfl_sync(~0U, sum, 31);
    potential += __shfl_sync(~0U, risen, 31);
  }
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    mean_potential += __shfl_xor_sync(~0U, mean_potential, lanes);
  }
  __syncwarp();
  // Around, p ends where it began.
  const double slope = start.is_around ? -potential / start.length : 0.0;
  const bool is_finite = isfinite(mean);
  for (int plane = lane; plane < start.window; plane += 32) {
    const int number = start.number_of(plane);
    const AxisPlane own = start.planes[number];
    start.means[plane] = is_finite ? unscaled(__ldcg(start.sums + number)) / own.share : mean;
    start.potentials[plane] =
        is_finite ? start.room[number] + (slope * own.centre - mean_potential) : 0.0;
  }
}

/// What a PlaneStart points to, in GPU memory.
class PlaneStartTables {
 public:
  /// `axis`: i of the whole finest level. `window`: cells that a rank has of it, or all of them.
  PlaneStartTables(const Axis& axis, std::int64_t window, bool has_other_ranks,
                   const Stream& stream)
      : is_around_(axis.periodic && axis.cells() > 1),
        length_(std::accumulate(axis.widths.begin(), axis.widths.end(), 0.0)),
        planes_(uploaded(axis_planes(axis), stream)),
        sums_(MemorySpace::device, axis.widths.size()),
        parts_(MemorySpace::device, has_other_ranks ? 2 * axis.widths.size() : 0),
        room_(MemorySpace::device, axis.widths.size()),
        means_(MemorySpace::device, static_cast<std::size_t>(window)),
        potentials_(MemorySpace::device, static_cast<std::size_t>(window)) {}

  /// `first`: number of the window's first plane, below 0 where it begins around the axis.
  [[nodiscard]] PlaneStart view(int first) const {
    return {.planes = planes_.data(),
            .count = static_cast<int>(planes_.size()),
            .length = length_,
            .is_around = is_around_,
            .sums = sums_.data(),
            .parts = parts_.size() > 0 ? parts_.data() : nullptr,
            .room = room_.data(),
            .first = first,
            .window = static_cast<int>(means_.size()),
            .means = means_.data(),
            .potentials = potentials_.data()};
  }

 private:
  bool is_around_;
  double length_;
  Buffer<AxisPlane> planes_;
  Buffer<long long> sums_;
  Buffer<double> parts_;
  Buffer<double> room_;
  Buffer<double> means_;
  Buffer<double> potentials_;
};

}  // namespace bankfull::poisson::multigrid::cuda
