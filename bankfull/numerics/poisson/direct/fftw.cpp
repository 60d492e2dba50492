#include "bankfull/numerics/poisson/direct/fftw.hpp"

#include "bankfull/core/base/error.hpp"

#include <fftw3.h>
#include <mutex>
#include <string>

namespace bankfull::poisson {
namespace {

// Plans that were measured save a tenth to a third of the transforms' time (128^2 to 384^2), but
// another run may choose others, whose results differ in the last bits.
constexpr unsigned fftw_planning = FFTW_ESTIMATE;

/// FFTW's functions of each precision under one name.
template <class Real>
struct Fftw;

template <>
struct Fftw<double> {
  using Element = fftw_complex;
  static constexpr auto plan_row_forward = fftw_plan_many_dft_r2c;
  static constexpr auto plan_row_back = fftw_plan_many_dft_c2r;
  static constexpr auto plan_columns = fftw_plan_many_dft;
  static constexpr auto row_forward = fftw_execute_dft_r2c;
  static constexpr auto row_back = fftw_execute_dft_c2r;
  static constexpr auto columns = fftw_execute_dft;
  static constexpr auto destroy = fftw_destroy_plan;
};

template <>
struct Fftw<float> {
  using Element = fftwf_complex;
  static constexpr auto plan_row_forward = fftwf_plan_many_dft_r2c;
  static constexpr auto plan_row_back = fftwf_plan_many_dft_c2r;
  static constexpr auto plan_columns = fftwf_plan_many_dft;
  static constexpr auto row_forward = fftwf_execute_dft_r2c;
  static constexpr auto row_back = fftwf_execute_dft_c2r;
  static constexpr auto columns = fftwf_execute_dft;
  static constexpr auto destroy = fftwf_destroy_plan;
};

/// FFTW plans and destroys plans in one thread at a time.
std::mutex& fftw_planner() {
  static std::mutex mutex;
  return mutex;
}

template <class Real>
typename Fftw<Real>::Element* fftw_elements(const Complex<Real>* spectrum) {
  // FFTW's interface has no constant input; its transforms into other memory keep it.
  return reinterpret_cast<typename Fftw<Real>::Element*>(const_cast<Complex<Real>*>(spectrum));
}

/// What plans are made for: alignment counts, and that it is not the same memory. Planning by
/// estimate reads nothing.
template <class Real>
struct FftwExamples {
  alignas(64) Real from[64 / sizeof(Real)];
  alignas(64) Real to[64 / sizeof(Real)];
};

}  // namespace

template <class Real>
PlaneTransforms<Real>::PlaneTransforms(std::int64_t rows, std::int64_t row_length,
                                       std::int64_t pitch) {
  using Api = Fftw<Real>;
  const int row = static_cast<int>(row_length);
  const int column = static_cast<int>(rows);
  const int columns = row / 2 + 1;
  const int stride = static_cast<int>(pitch);
  FftwExamples<Real> example{};
  auto* const from = reinterpret_cast<typename Api::Element*>(example.from);
  auto* const to = reinterpret_cast<typename Api::Element*>(example.to);
  const std::scoped_lock lock(fftw_planner());
  row_forward_.reset(Api::plan_row_forward(1, &row, 1, example.from, nullptr, 1, row, to, nullptr,
                                           1, stride, fftw_planning));
  row_back_.reset(Api::plan_row_back(1, &row, 1, from, nullptr, 1, stride, example.to, nullptr, 1,
                                     row, fftw_planning));
  const auto plan_columns = [&](int sign) {
    return Api::plan_columns(1, &column, columns, from, nullptr, stride, 1, to, nullptr, stride, 1,
                             sign, fftw_planning);
  };
  columns_forward_.reset(plan_columns(FFTW_FORWARD));
  columns_back_.reset(plan_columns(FFTW_BACKWARD));
  if (!row_forward_ || !row_back_ || !columns_forward_ || !columns_back_) {
    throw RuntimeFailure("FFTW has no transform of " + std::to_string(rows) + " x " +
                         std::to_string(row_length) + " cells");
  }
}

template <class Real>
void PlaneTransforms<Real>::Release::operator()(Plan* plan) const noexcept {
  const std::scoped_lock lock(fftw_planner());
  Fftw<Real>::destroy(plan);
}

template <class Real>
void PlaneTransforms<Real>::row_forward(const Real* values, Complex<Real>* spectrum) const {
  Fftw<Real>::row_forward(row_forward_.get(), const_cast<Real*>(values), fftw_elements(spectrum));
}

template <class Real>
void PlaneTransforms<Real>::row_back(Complex<Real>* spectrum, Real* values) const {
  Fftw<Real>::row_back(row_back_.get(), fftw_elements(spectrum), values);
}

template <class Real>
void PlaneTransforms<Real>::columns_forward(const Complex<Real>* from, Complex<Real>* to) const {
  Fftw<Real>::columns(columns_forward_.get(), fftw_elements(from), fftw_elements(to));
}

template <class Real>
void PlaneTransforms<Real>::columns_back(const Complex<Real>* from, Complex<Real>* to) const {
  Fftw<Real>::columns(columns_back_.get(), fftw_elements(from), fftw_elements(to));
}

template class PlaneTransforms<float>;
template class PlaneTransforms<double>;

}  // namespace bankfull::poisson
