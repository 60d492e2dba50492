#include "bankfull/workloads/convection/validation/field_norms.hpp"

#include "bankfull/core/base/nan.hpp"
#include "bankfull/core/field/for_cells.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace bankfull::convection {
namespace {

struct Largest {
  double magnitude = 0.0;
  double difference = 0.0;

  void take(const std::vector<double>& a, const std::vector<double>& b) {
    for (std::size_t n = 0; n < b.size(); ++n) {
      magnitude = std::max(magnitude, std::abs(b[n]));
      difference = larger_or_nan(difference, std::abs(a[n] - b[n]));
    }
  }

  [[nodiscard]] double relative() const { return difference == 0.0 ? 0.0 : difference / magnitude; }
};

}  // namespace

double inner_product(const Grid& grid, int field, const std::vector<double>& a,
                     const std::vector<double>& b) {
  const auto width = [&](int axis, std::int64_t at) {
    const poisson::Axis& cells = grid.axis(axis).cells;
    return field == axis ? cells.distance(at) : cells.widths[static_cast<std::size_t>(at)];
  };
  double sum = 0.0;
  std::size_t element = 0;
  for_cells(box_of(grid.extents()), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    sum += width(0, i) * width(1, j) * width(2, k) * a[element] * b[element];
    ++element;
  });
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

double scalar_distance(const Grid& grid, const FlowState& a, const FlowState& b) {
  const FlowState apart = difference(a, b);
  return std::sqrt(inner_product(grid, 3, apart.fields[3], apart.fields[3]));
}

double largest_relative_difference(const FlowState& a, const FlowState& b) {
  double most = 0.0;
  Largest largest;  // of all velocities, then of a scalar
  for (std::size_t field = 0; field < b.fields.size(); ++field) {
    largest = field < 3 ? largest : Largest{};
    largest.take(a.fields[field], b.fields[field]);
    most = field < 2 ? most : larger_or_nan(most, largest.relative());
  }
  return most;
}

}  // namespace bankfull::convection
