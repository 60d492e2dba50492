#include "bankfull/core/exec/cufft.hpp"

#include "bankfull/core/base/dynamic_library.hpp"
#include "bankfull/core/base/error.hpp"

#include <array>
#include <cufft.h>
#include <fmt/format.h>
#include <type_traits>

namespace bankfull {
namespace {

/// The functions of the version whose header this was compiled with.
struct CufftFunctions : DynamicLibrary {
  CufftFunctions() : DynamicLibrary(fmt::format("libcufft.so.{}", CUFFT_VER_MAJOR)) {}

  DynamicFunction<decltype(cufftCreate)> create{*this, "cufftCreate"};
  DynamicFunction<decltype(cufftDestroy)> destroy{*this, "cufftDestroy"};
  DynamicFunction<decltype(cufftSetStream)> set_stream{*this, "cufftSetStream"};
  DynamicFunction<decltype(cufftSetAutoAllocation)> set_auto_allocation{*this,
                                                                        "cufftSetAutoAllocation"};
  DynamicFunction<decltype(cufftSetWorkArea)> set_work_area{*this, "cufftSetWorkArea"};
  DynamicFunction<decltype(cufftMakePlanMany64)> plan{*this, "cufftMakePlanMany64"};
  DynamicFunction<decltype(cufftExecR2C)> forward_single{*this, "cufftExecR2C"};
  DynamicFunction<decltype(cufftExecC2R)> back_single{*this, "cufftExecC2R"};
  DynamicFunction<decltype(cufftExecD2Z)> forward_double{*this, "cufftExecD2Z"};
  DynamicFunction<decltype(cufftExecZ2D)> back_double{*this, "cufftExecZ2D"};
};

const CufftFunctions& cufft() {
  static const CufftFunctions functions;
  return functions;
}

void cufft_check(cufftResult status, const char* while_doing) {
  if (status != CUFFT_SUCCESS) {
    throw RuntimeFailure(fmt::format("cuFFT failed while {}: error {} of cufft.h", while_doing,
                                     static_cast<int>(status)));
  }
}

template <class Real>
cufftType kind_of(FourierDirection direction) {
  const bool forward = direction == FourierDirection::forward;
  if constexpr (std::is_same_v<Real, float>) {
    return forward ? CUFFT_R2C : CUFFT_C2R;
  } else {
    return forward ? CUFFT_D2Z : CUFFT_Z2D;
  }
}

}  // namespace

const std::string& cufft_unavailable_reason() { return cufft().unavailable_reason(); }

detail::CufftPlan::CufftPlan() {
  cufft().require("cuFFT");
  cufft_check(cufft().create(&handle_), "starting");
}

detail::CufftPlan::~CufftPlan() { static_cast<void>(cufft().destroy(handle_)); }

template <class Real>
PlaneFft<Real>::PlaneFft(const Stream& stream, const RealPlanes& planes, FourierDirection direction)
    : direction_(direction) {
  select(stream.device());
  cufft_check(cufft().set_auto_allocation(plan_.handle(), 0), "leaving memory to its user");
  std::array<long long, 2> length{planes.nj, planes.nk};
  std::array<long long, 2> reals{planes.nj, planes.row_pitch};
  std::array<long long, 2> elements{planes.nj, planes.row_pitch / 2};
  const bool forward = direction == FourierDirection::forward;
  cufft_check(
      cufft().plan(plan_.handle(), 2, length.data(), forward ? reals.data() : elements.data(), 1,
                   forward ? planes.plane_pitch : planes.plane_pitch / 2,
                   forward ? elements.data() : reals.data(), 1,
                   forward ? planes.plane_pitch / 2 : planes.plane_pitch, kind_of<Real>(direction),
                   planes.count, &work_bytes_),
      "planning");
  cufft_check(cufft().set_stream(plan_.handle(), stream.handle()), "taking a stream");
}

template <class Real>
void PlaneFft<Real>::work_in(void* memory) const {
  cufft_check(cufft().set_work_area(plan_.handle(), memory), "taking memory");
}

template <class Real>
void PlaneFft<Real>::queue(Real* planes) const {
  const bool forward = direction_ == FourierDirection::forward;
  if constexpr (std::is_same_v<Real, float>) {
    auto* const spectrum = reinterpret_cast<cufftComplex*>(planes);
    cufft_check(forward ? cufft().forward_single(plan_.handle(), planes, spectrum)
                        : cufft().back_single(plan_.handle(), spectrum, planes),
                "queueing a transform");
  } else {
    auto* const spectrum = reinterpret_cast<cufftDoubleComplex*>(planes);
    cufft_check(forward ? cufft().forward_double(plan_.handle(), planes, spectrum)
                        : cufft().back_double(plan_.handle(), spectrum, planes),
                "queueing a transform");
  }
}

template class PlaneFft<float>;
template class PlaneFft<double>;

}  // namespace bankfull
