#include "bankfull/workloads/convection/validation/field_norms.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace bankfull::convection {
namespace {

/// The larger of both; NaN once there was one.
double worse_of(double most, double value) {
  return std::isnan(most) || value <= most ? most : value;
}

struct Largest {
  double magnitude = 0.0;
  double difference = 0.0;

  void take(const std::vector<double>& a, const std::vector<double>& b) {
    for (std::size_t n = 0; n < b.size(); ++n) {
      magnitude = std::max(magnitude, std::abs(b[n]));
      difference = worse_of(difference, std::abs(a[n] - b[n]));
    }
  }

  [[nodiscard]] double relative() const { return difference == 0.0 ? 0.0 : difference / magnitude; }
};

}  // namespace

double inner_product(const Grid& grid, int field, const std::vector<double>& a,
                     const std::vector<double>& b) {
  const Extents n = grid.extents();
  const auto width = [&](int axis, std::int64_t at) {
    const poisson::Axis& cells = grid.axis(axis).cells;
    return field == axis ? cells.distance(at) : cells.widths[static_cast<std::size_t>(at)];
  };
  double sum = 0.0;
  std::size_t element = 0;
  for (std::int64_t i = 0; i < n.ni; ++i) {
    for (std::int64_t j = 0; j < n.nj; ++j) {
      const double area = width(0, i) * width(1, j);
      for (std::int64_t k = 0; k < n.nk; ++k, ++element) {
        sum += area * width(2, k) * a[element] * b[element];
      }
    }
  }
  return sum;
}

double velocity_product(const Grid& grid, const FlowState& a, const FlowState& b) {
  double sum = 0.0;
  for (const int n : storage_axes) {
    const auto field = static_cast<std::size_t>(n);
    sum += inner_product(grid, n, a.fields[field], b.fields[field]);
  }
  return sum;
}

FlowState difference(const FlowState& a, const FlowState& b) {
  FlowState result = a;
  for (std::size_t field = 0; field < a.fields.size(); ++field) {
    for (std::size_t n = 0; n < a.fields[field].size(); ++n) {
      result.fields[field][n] -= b.fields[field][n];
    }
  }
  return result;
}

double velocity_distance(const Grid& grid, const FlowState& a, const FlowState& b) {
  const FlowState apart = difference(a, b);
  return std::sqrt(velocity_product(grid, apart, apart));
}

double scalar_distance(const Grid& grid, const FlowState& a, const FlowState& b, int scalar) {
  const FlowState apart = difference(a, b);
  const std::vector<double>& values =
      apart.fields[std::size_t{3} + static_cast<std::size_t>(scalar)];
  return std::sqrt(inner_product(grid, 3 + scalar, values, values));
}

double largest_relative_difference(const FlowState& a, const FlowState& b) {
  Largest of_velocity;
  double most = 0.0;
  for (std::size_t field = 0; field < b.fields.size(); ++field) {
    if (field < 3) {
      of_velocity.take(a.fields[field], b.fields[field]);
      continue;
    }
    Largest of_scalar;
    of_scalar.take(a.fields[field], b.fields[field]);
    most = worse_of(most, of_scalar.relative());
  }
  return worse_of(most, of_velocity.relative());
}

}  // namespace bankfull::convection
