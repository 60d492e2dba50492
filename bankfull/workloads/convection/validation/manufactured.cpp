#include "bankfull/workloads/convection/validation/manufactured.hpp"

#include <cmath>
#include <memory>
#include <numbers>
#include <utility>

namespace bankfull::convection {
namespace {

using std::numbers::pi;

/// cos(m pi s + phase), s = 0 and 1 at the ends of the axis.
FourierModes::FourierMode wave(const AxisCells& axis, double amplitude, double half_waves,
                               double phase) {
  const double number = half_waves * pi / (axis.upper - axis.lower);
  return {amplitude, number, phase - number * axis.lower};
}

FourierModes sine(const AxisCells& axis, double half_waves) {
  return {{wave(axis, 1.0, half_waves, -0.5 * pi)}};
}

FourierModes cosine(const AxisCells& axis, double half_waves) {
  return {{wave(axis, 1.0, half_waves, 0.0)}};
}

/// sin^2(pi s) by its waves: it and its slope vanish at both ends.
FourierModes sine_squared(const AxisCells& axis) {
  return {{wave(axis, 0.5, 0.0, 0.0), wave(axis, -0.5, 2.0, 0.0)}};
}

FourierModes one(const AxisCells& axis) { return {{wave(axis, 1.0, 0.0, 0.0)}}; }

/// Factors along `axis` of the vector potential A whose curl is the velocity. What is normal to the
/// walls vanishes if the components of A along the walls do; no-slip walls require their slopes
/// to vanish too, and free-slip walls their second derivatives.
struct PotentialFactors {
  FourierModes along_axis;    ///< of the component of A along the axis
  FourierModes along_others;  ///< of the two others
};

PotentialFactors potential_factors(EndsOfFlow ends, const AxisCells& axis) {
  switch (ends) {
    case EndsOfFlow::periodic: {
      constexpr double phase = 0.7;
      const FourierModes around{{wave(axis, 1.0, 2.0, phase)}};
      return axis.cells == 1 ? PotentialFactors{one(axis), one(axis)}
                             : PotentialFactors{around, around};
    }
    case EndsOfFlow::free_slip:
      return {cosine(axis, 1.0), sine(axis, 1.0)};
    case EndsOfFlow::no_slip_below_free_slip:
      // sin^2(pi s / 2), and sin(pi s) sin^2(pi s / 2).
      return {{{wave(axis, 0.5, 0.0, 0.0), wave(axis, -0.5, 1.0, 0.0)}},
              {{wave(axis, 0.5, 1.0, -0.5 * pi), wave(axis, -0.25, 2.0, -0.5 * pi)}}};
    case EndsOfFlow::no_slip:
    case EndsOfFlow::moving:
      break;
  }
  return {sine_squared(axis), sine_squared(axis)};
}

FourierModes scalar_factor(EndsOfScalar ends, const AxisCells& axis) {
  switch (ends) {
    case EndsOfScalar::periodic:
      return axis.cells == 1 ? one(axis) : FourierModes{{wave(axis, 1.0, 2.0, 0.3)}};
    case EndsOfScalar::fixed:
    case EndsOfScalar::profile:
      return sine(axis, 1.0);
    case EndsOfScalar::insulating:
    case EndsOfScalar::flux:
      return cosine(axis, 1.0);
    case EndsOfScalar::fixed_below_insulating:
      break;
  }
  return sine(axis, 0.5);
}

/// The velocity without walls that move: curl A, all components of A alike but in their size.
std::array<SmoothField, 3> curl_of_potential(const std::array<AxisCells, 3>& axes,
                                             const std::array<EndsOfFlow, 3>& ends) {
  constexpr Vector sizes{0.6, 1.0, 0.8};
  std::array<SmoothField, 3> potential;
  for (std::size_t component = 0; component < 3; ++component) {
    std::array<FourierModes, 3> factors;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const PotentialFactors of_axis = potential_factors(ends[axis], axes[axis]);
      factors[axis] = axis == component ? of_axis.along_axis : of_axis.along_others;
    }
    const double length = axes[component].upper - axes[component].lower;
    potential[component] =
        SmoothField{}.plus(sizes[component] * length / (2.0 * pi), SmoothField{factors});
  }
  std::array<SmoothField, 3> curl;
  for (std::size_t a = 0; a < 3; ++a) {
    const std::size_t b = (a + 1) % 3;
    const std::size_t c = (a + 2) % 3;
    curl[a] = potential[c].derivative(b).plus(-1.0, potential[b].derivative(c));
  }
  return curl;
}

constexpr double wall_speed = 0.5;

/// Adds the Couette flow between walls across `across`, the upper of which moves.
void add_moving_wall(Problem& problem, std::array<SmoothField, 3>& velocity, std::size_t across) {
  const AxisCells& axis = problem.axes[across];
  for (std::size_t along = 0; along < 3; ++along) {
    if (along == across || !problem.axes[along].periodic) {
      continue;
    }
    problem.walls[across][1].velocity[along] = wall_speed;
    Vector slope{};
    slope[across] = wall_speed / (axis.upper - axis.lower);
    velocity[along] = velocity[along].plus(1.0, SmoothField(-slope[across] * axis.lower, slope));
  }
}

/// Slopes of the linear part of the scalar: a flux through its own walls, a profile along them.
Vector linear_part(const std::array<EndsOfScalar, 3>& ends) {
  constexpr double steepness = 0.7;
  Vector slope{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (ends[axis] == EndsOfScalar::flux) {
      slope[axis] = steepness;
    }
    if (ends[axis] != EndsOfScalar::profile) {
      continue;
    }
    for (std::size_t along = 0; along < 3; ++along) {
      const EndsOfScalar there = ends[along];
      if (there == EndsOfScalar::profile || there == EndsOfScalar::fixed) {
        slope[along] = steepness;
      }
    }
  }
  return slope;
}

/// A flux of 0 insulates; walls across periodic axes are not used.
void set_scalar_walls(Scalar& scalar, const std::array<EndsOfScalar, 3>& ends,
                      const Vector& slope) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const bool both_fixed =
        ends[axis] == EndsOfScalar::fixed || ends[axis] == EndsOfScalar::profile;
    const bool lower_fixed = both_fixed || ends[axis] == EndsOfScalar::fixed_below_insulating;
    const double flux = scalar.diffusivity * slope[axis];
    const WallScalar fixed = WallScalar::fixed(1.0, slope);
    scalar.walls[axis] = {lower_fixed ? fixed : WallScalar::heated(-flux),
                          both_fixed ? fixed : WallScalar::heated(flux)};
  }
}

void set_flow_walls(Problem& problem, const std::array<EndsOfFlow, 3>& ends) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    problem.axes[axis].periodic = ends[axis] == EndsOfFlow::periodic;
    problem.walls[axis][0].free_slip = ends[axis] == EndsOfFlow::free_slip;
    problem.walls[axis][1].free_slip =
        ends[axis] == EndsOfFlow::free_slip || ends[axis] == EndsOfFlow::no_slip_below_free_slip;
  }
}

/// (u . grad) f - diffusivity lap f, pointwise.
class Transport {
 public:
  Transport(const std::array<SmoothField, 3>& velocity, const SmoothField& field,
            double diffusivity)
      : velocity_(velocity), diffusivity_(diffusivity) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      gradient_[axis] = field.derivative(axis);
      laplacian_ = laplacian_.plus(1.0, gradient_[axis].derivative(axis));
    }
  }

  double operator()(const Vector& place) const {
    double sum = -diffusivity_ * laplacian_(place);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      sum += velocity_[axis](place) * gradient_[axis](place);
    }
    return sum;
  }

 private:
  std::array<SmoothField, 3> velocity_;
  double diffusivity_;
  std::array<SmoothField, 3> gradient_;
  SmoothField laplacian_;
};

PointFunction function_of(const SmoothField& field) {
  return [field](double x, double y, double z) { return field({x, y, z}); };
}

/// The acceleration that balances everything else in the momentum equation along `a`.
PointFunction balancing_force(const ManufacturedFlow& flow, std::size_t a,
                              const SmoothField& pressure) {
  const std::size_t b = (a + 1) % 3;
  const std::size_t c = (a + 2) % 3;
  const auto transport =
      std::make_shared<Transport>(flow.velocity, flow.velocity[a], flow.problem.viscosity);
  const Scalar& scalar = flow.problem.scalars.front();
  const Vector& turn = flow.problem.rotation;
  const SmoothField rest = pressure.derivative(a)
                               .plus(-scalar.buoyancy[a], flow.scalars.front())
                               .plus(2.0 * turn[b], flow.velocity[c])
                               .plus(-2.0 * turn[c], flow.velocity[b]);
  return [transport, rest](double x, double y, double z) {
    const Vector place{x, y, z};
    return (*transport)(place) + rest(place);
  };
}

}  // namespace

double FourierModes::at(double x, int order) const {
  double sum = 0.0;
  for (const FourierMode& wave : waves) {
    sum += wave.amplitude * std::pow(wave.number, order) *
           std::cos(wave.number * x + wave.phase + 0.5 * pi * order);
  }
  return sum;
}

double SmoothField::operator()(const Vector& place) const {
  double sum = constant_;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    sum += slope_[axis] * place[axis];
  }
  for (const Product& term : terms_) {
    double product = term.factor;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      product *= term.along[axis].at(place[axis], term.orders[axis]);
    }
    sum += product;
  }
  return sum;
}

SmoothField SmoothField::derivative(std::size_t axis) const {
  SmoothField result(slope_[axis], {});
  result.terms_ = terms_;
  for (Product& term : result.terms_) {
    ++term.orders[axis];
  }
  return result;
}

SmoothField SmoothField::plus(double factor, const SmoothField& other) const {
  SmoothField result = *this;
  result.constant_ += factor * other.constant_;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    result.slope_[axis] += factor * other.slope_[axis];
  }
  for (Product term : other.terms_) {
    term.factor *= factor;
    result.terms_.push_back(std::move(term));
  }
  return result;
}

ManufacturedFlow manufactured_flow(const std::array<AxisCells, 3>& axes,
                                   const ManufacturedEnds& ends) {
  ManufacturedFlow flow;
  Problem& problem = flow.problem;
  problem.name = "manufactured";
  problem.axes = axes;
  problem.viscosity = 0.03;
  problem.rotation = {0.3, -0.2, 0.5};
  set_flow_walls(problem, ends.flow);
  flow.velocity = curl_of_potential(axes, ends.flow);
  std::array<FourierModes, 3> scalar_factors;
  std::array<FourierModes, 3> pressure_factors;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (ends.flow[axis] == EndsOfFlow::moving) {
      add_moving_wall(problem, flow.velocity, axis);
    }
    scalar_factors[axis] = scalar_factor(ends.scalar[axis], axes[axis]);
    const bool varies = axes[axis].cells > 1;
    pressure_factors[axis] = varies ? cosine(axes[axis], 2.0) : one(axes[axis]);
  }
  const Vector slope = linear_part(ends.scalar);
  flow.scalars.push_back(SmoothField(1.0, slope).plus(0.5, SmoothField{scalar_factors}));
  const SmoothField& temperature = flow.scalars.front();
  problem.scalars.push_back(
      {.diffusivity = 0.02, .buoyancy = {0.4, -0.3, 1.0}, .initial = function_of(temperature)});
  Scalar& scalar = problem.scalars.front();
  set_scalar_walls(scalar, ends.scalar, slope);
  const auto transport =
      std::make_shared<Transport>(flow.velocity, temperature, scalar.diffusivity);
  scalar.source = [transport](double x, double y, double z) { return (*transport)({x, y, z}); };
  for (std::size_t a = 0; a < 3; ++a) {
    problem.initial_velocity[a] = function_of(flow.velocity[a]);
    problem.force[a] = balancing_force(flow, a, SmoothField{pressure_factors});
  }
  return flow;
}

}  // namespace bankfull::convection
