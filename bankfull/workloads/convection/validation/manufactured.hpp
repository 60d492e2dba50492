#pragma once

#include "bankfull/workloads/convection/problem.hpp"

#include <array>
#include <vector>

namespace bankfull::convection {

/// f(x) = sum of amplitude cos(wave number x + phase).
struct FourierModes {
  struct FourierMode {
    double amplitude = 1.0;
    double number = 0.0;
    double phase = 0.0;
  };
  std::vector<FourierMode> waves;

  /// Its derivative of this order at x.
  [[nodiscard]] double at(double x, int order) const;
};

/// A smooth function of position whose derivatives are exact: constant + slope . position + sum of
/// products of FourierModes along x, y, z.
class SmoothField {
 public:
  SmoothField() = default;
  SmoothField(double constant, const Vector& slope) : constant_(constant), slope_(slope) {}
  explicit SmoothField(const std::array<FourierModes, 3>& factors) {
    terms_.push_back({1.0, factors});
  }

  [[nodiscard]] double operator()(const Vector& place) const;
  [[nodiscard]] SmoothField derivative(std::size_t axis) const;
  [[nodiscard]] SmoothField plus(double factor, const SmoothField& other) const;

 private:
  struct Product {
    double factor = 1.0;
    std::array<FourierModes, 3> along;
    std::array<int, 3> orders = {};  ///< of the derivatives
  };
  double constant_ = 0.0;
  Vector slope_ = {};
  std::vector<Product> terms_;
};

/// What the two walls across an axis are, in a flow that is known everywhere.
enum class EndsOfFlow {
  periodic,
  no_slip,
  free_slip,
  no_slip_below_free_slip,  ///< no-slip at the lower end, free-slip at the upper
  moving,                   ///< the upper wall moves, along the axes that are periodic
};

enum class EndsOfScalar {
  periodic,
  fixed,
  profile,  ///< fixed, linear along the wall
  insulating,
  flux,                   ///< fixed flux, in at one end and out at the other
  fixed_below_insulating  ///< fixed at the lower end, insulating at the upper
};

/// A steady flow that is known everywhere, and forces and sources that keep it steady (method of
/// manufactured solutions; P. J. Roache, J. Fluids Eng. 124 (2002) 4-10).
struct ManufacturedFlow {
  Problem problem;  ///< starts from the flow itself
  std::array<SmoothField, 3> velocity;
  std::vector<SmoothField> scalars;
};

struct ManufacturedEnds {
  std::array<EndsOfFlow, 3> flow;
  std::array<EndsOfScalar, 3> scalar;
};

/// `axes` give the box and its cells; they are made periodic as `ends` say. An axis of one cell
/// must be periodic; nothing varies along it. Viscosity, diffusivity, buoyancy and rotation are
/// chosen so that every term counts.
ManufacturedFlow manufactured_flow(const std::array<AxisCells, 3>& axes,
                                   const ManufacturedEnds& ends);

}  // namespace bankfull::convection
