#pragma once

#include "bankfull/core/exec/stream.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace bankfull {

// Everything here exists in builds with build::cufft only.

/// Why cuFFT, NVIDIA's library of Fourier transforms, cannot be used; empty if it can. It is opened
/// at run time, so that programs that do not use it run without it.
const std::string& cufft_unavailable_reason();

/// Planes of reals that are transformed in place: element (j, k) of a plane's spectrum,
/// 0 <= k <= nk / 2, takes the place of the reals 2 k and 2 k + 1 of row j.
struct RealPlanes {
  std::int64_t nj = 0;           ///< rows of a plane
  std::int64_t nk = 0;           ///< reals of a row
  std::int64_t row_pitch = 0;    ///< in reals, even, at least 2 (nk / 2 + 1)
  std::int64_t plane_pitch = 0;  ///< in reals, a multiple of row_pitch or not
  std::int64_t count = 0;        ///< transformed by one call
};

/// From reals to their spectrum, or back, which yields nj nk times the reals that went forward.
enum class FourierDirection { forward, back };

namespace detail {

/// cuFFT's handle of a plan.
class CufftPlan {
 public:
  CufftPlan();
  ~CufftPlan();
  CufftPlan(const CufftPlan&) = delete;
  CufftPlan& operator=(const CufftPlan&) = delete;

  [[nodiscard]] int handle() const { return handle_; }

 private:
  int handle_ = 0;
};

}  // namespace detail

/// Transforms of real planes, not normalised, one way. Work is queued on one stream and can be
/// recorded into a Graph after it ran once.
template <class Real>
class PlaneFft {
 public:
  /// Throws RuntimeFailure where the library is missing or does not know such a transform. Plans
  /// only: it can queue nothing before it has memory to work in.
  PlaneFft(const Stream& stream, const RealPlanes& planes, FourierDirection direction);

  /// Bytes of GPU memory that it works in; other transforms of the same stream may share them.
  [[nodiscard]] std::size_t work_bytes() const { return work_bytes_; }
  /// Has it work in this GPU memory of work_bytes() bytes, which must outlive what it queues.
  void work_in(void* memory) const;

  /// Queues the transform of all planes, in place; `planes` is element (0, 0) of the first, in GPU
  /// memory, aligned as a complex number. Throws RuntimeFailure where cuFFT refuses.
  void queue(Real* planes) const;

 private:
  FourierDirection direction_;
  detail::CufftPlan plan_;
  std::size_t work_bytes_ = 0;
};

}  // namespace bankfull
