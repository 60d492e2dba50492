#pragma once

#include "bankfull/numerics/poisson/direct/modes.hpp"

#include <cstdint>
#include <memory>
#include <type_traits>

// FFTW's plans, declared so that headers need no library.
struct fftw_plan_s;
struct fftwf_plan_s;

namespace bankfull::poisson {

// Exists in builds with build::fftw only.

/// Transforms of one row of reals and of all columns of one spectrum, by one thread each; different
/// threads may run them at once. All memory passed is aligned to 64 bytes and does not overlap.
/// Transforms are not normalised.
template <class Real>
class PlaneTransforms {
 public:
  /// Spectra have `rows` rows of `row_length` / 2 + 1 elements, `pitch` elements apart.
  PlaneTransforms(std::int64_t rows, std::int64_t row_length, std::int64_t pitch);

  void row_forward(const Real* values, Complex<Real>* spectrum) const;

  /// Destroys the spectrum.
  void row_back(Complex<Real>* spectrum, Real* values) const;

  void columns_forward(const Complex<Real>* from, Complex<Real>* to) const;
  void columns_back(const Complex<Real>* from, Complex<Real>* to) const;

 private:
  using Plan = std::conditional_t<std::is_same_v<Real, float>, fftwf_plan_s, fftw_plan_s>;
  struct Release {
    void operator()(Plan* plan) const noexcept;
  };
  using PlanOwner = std::unique_ptr<Plan, Release>;

  PlanOwner row_forward_;
  PlanOwner row_back_;
  PlanOwner columns_forward_;
  PlanOwner columns_back_;
};

}  // namespace bankfull::poisson
