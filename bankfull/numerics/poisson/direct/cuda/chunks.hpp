#pragma once

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/exec/cufft.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace bankfull::poisson {

/// Transforms of many planes, some at a time: what cuFFT works in stays bounded.
template <class Real>
class ChunkedFft {
 public:
  ChunkedFft(const Stream& stream, RealPlanes planes, std::int64_t at_once,
             FourierDirection direction)
      : pitch_(planes.plane_pitch), at_once_(at_once), chunks_(planes.count / at_once) {
    const std::int64_t rest = planes.count % at_once;
    planes.count = at_once;
    whole_ = std::make_unique<PlaneFft<Real>>(stream, planes, direction);
    if (rest > 0) {
      planes.count = rest;
      rest_ = std::make_unique<PlaneFft<Real>>(stream, planes, direction);
    }
  }

  [[nodiscard]] std::size_t work_bytes() const {
    return std::max(whole_->work_bytes(), rest_ ? rest_->work_bytes() : 0);
  }

  void work_in(void* memory) const {
    whole_->work_in(memory);
    if (rest_) {
      rest_->work_in(memory);
    }
  }

  /// From the first chunk to the last.
  void queue_up(Real* planes) const {
    for (std::int64_t chunk = 0; chunk < chunks_; ++chunk) {
      whole_->queue(planes + chunk * at_once_ * pitch_);
    }
    queue_rest(planes);
  }

  /// From the last chunk to the first.
  void queue_down(Real* planes) const {
    queue_rest(planes);
    for (std::int64_t chunk = chunks_ - 1; chunk >= 0; --chunk) {
      whole_->queue(planes + chunk * at_once_ * pitch_);
    }
  }

 private:
  void queue_rest(Real* planes) const {
    if (rest_) {
      rest_->queue(planes + chunks_ * at_once_ * pitch_);
    }
  }

  std::int64_t pitch_;
  std::int64_t at_once_;
  std::int64_t chunks_;
  std::unique_ptr<PlaneFft<Real>> whole_;
  std::unique_ptr<PlaneFft<Real>> rest_;
};

/// Both ways, in memory that they share.
template <class Real>
class TransformPair {
 public:
  /// Takes fewer planes at once where cuFFT would work in more than `max_bytes`.
  TransformPair(const Stream& stream, const RealPlanes& planes, std::int64_t at_once,
                std::int64_t max_bytes) {
    for (;; at_once = (at_once + 1) / 2) {
      forward_ =
          std::make_unique<ChunkedFft<Real>>(stream, planes, at_once, FourierDirection::forward);
      back_ = std::make_unique<ChunkedFft<Real>>(stream, planes, at_once, FourierDirection::back);
      if (static_cast<std::int64_t>(work_bytes()) <= max_bytes) {
        break;
      }
      if (at_once == 1) {
        throw RuntimeFailure("cuFFT needs more memory for one plane than the solver reserves");
      }
    }
  }

  [[nodiscard]] std::size_t work_bytes() const {
    return std::max(forward_->work_bytes(), back_->work_bytes());
  }
  void work_in(void* memory) const {
    forward_->work_in(memory);
    back_->work_in(memory);
  }

  [[nodiscard]] const ChunkedFft<Real>& forward() const { return *forward_; }
  [[nodiscard]] const ChunkedFft<Real>& back() const { return *back_; }

 private:
  std::unique_ptr<ChunkedFft<Real>> forward_;
  std::unique_ptr<ChunkedFft<Real>> back_;
};

}  // namespace bankfull::poisson
