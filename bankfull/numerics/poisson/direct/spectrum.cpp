#include "bankfull/numerics/poisson/direct/spectrum.hpp"

#include "bankfull/numerics/poisson/direct/constant_mode.hpp"

#include <cmath>
#include <numbers>
#include <numeric>

namespace bankfull::poisson {
namespace {

constexpr std::int64_t row_bytes = 128;
constexpr std::int64_t cache_set_bytes =
    4096;  // cells so far apart compete for the same cache sets

constexpr std::int64_t padded_to(std::int64_t count, std::int64_t multiple) {
  return (count + multiple - 1) / multiple * multiple;
}

std::int64_t scale_of_transform(const Axis& axis) { return has_own_basis(axis) ? 1 : axis.cells(); }

}  // namespace

SpectrumLayout::SpectrumLayout(const Extents& extents, std::size_t element_bytes,
                               std::int64_t spare) {
  const auto bytes = static_cast<std::int64_t>(element_bytes);
  row_pitch = padded_to(2 * half_spectrum(extents.nk), row_bytes / bytes);
  plane_pitch = (extents.nj + spare) * row_pitch;
  if (plane_pitch * bytes % cache_set_bytes == 0) {
    plane_pitch += row_bytes / bytes;
  }
  size = extents.ni * plane_pitch;
}

AxisModes::AxisModes(const Axis& axis) {
  const auto cells = static_cast<double>(axis.cells());
  const double width = axis.widths.front();
  const double angle = std::numbers::pi / (axis.periodic ? cells : 2.0 * cells);
  for (std::int64_t m = 0; m <= axis.cells(); ++m) {
    const double at = angle * static_cast<double>(m);
    const double root = 2.0 / width * std::sin(at);
    decay.push_back(root * root);
    twist.push_back(axis.periodic ? Complex<double>{1.0, 0.0}
                                  : Complex<double>{std::cos(at), -std::sin(at)});
  }
}

AxisModes::AxisModes(const EigenBasis& basis)
    : decay(basis.decay), twist(basis.decay.size() + 1, Complex<double>{1.0, 0.0}) {
  decay.push_back(decay.front());
}

double length_of_transforms(const Domain& domain) {
  return static_cast<double>(scale_of_transform(domain.j) * scale_of_transform(domain.k));
}

double gpu_length_of_transforms(const Domain& domain) {
  const bool by_products = has_own_basis(domain.j) || has_own_basis(domain.k);
  return by_products ? 1.0 : length_of_transforms(domain);
}

template <class Real>
EliminationTable<Real>::EliminationTable(const Domain& domain, double transforms) {
  const Axis& axis = domain.i;
  const ConstantMode constant(axis);
  const AxisCouplings& couplings = constant.couplings();
  std::vector<double> response = axis.widths;
  constant.respond(response);
  const double whole = std::reduce(axis.widths.begin(), axis.widths.end());
  for (std::size_t n = 0; n < response.size(); ++n) {
    cells.push_back({static_cast<Real>(axis.widths[n]), static_cast<Real>(couplings.above[n]),
                     static_cast<Real>(-axis.widths[n] / transforms),
                     static_cast<Real>(response[n])});
  }
  closing = static_cast<Real>(couplings.closing);
  length = static_cast<Real>(whole);
  mean_response = static_cast<Real>(
      std::inner_product(response.begin(), response.end(), axis.widths.begin(), 0.0) / whole);
}

template struct EliminationTable<float>;
template struct EliminationTable<double>;

}  // namespace bankfull::poisson
