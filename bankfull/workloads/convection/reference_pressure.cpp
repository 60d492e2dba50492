#include "bankfull/workloads/convection/reference_pressure.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/field/for_cells.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

namespace bankfull::convection {
namespace {

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double largest(const std::vector<double>& values) {
  double most = 0.0;
  for (const double value : values) {
    most = std::max(most, std::abs(value));
  }
  return most;
}

void remove_mean(std::vector<double>& values) {
  const double mean =
      std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  for (double& value : values) {
    value -= mean;
  }
}

/// The diagonal of the matrix: the sum of the conductances of a cell's faces.
std::vector<double> diagonal_of(const poisson::Domain& domain) {
  const auto per_width = [](const poisson::Axis& axis, std::int64_t cell) {
    const std::int64_t last = axis.cells() - 1;
    return (cell > 0 || axis.periodic ? 1.0 / axis.distance(cell) : 0.0) +
           (cell < last || axis.periodic ? 1.0 / axis.distance(cell + 1) : 0.0);
  };
  const auto width = [](const poisson::Axis& axis, std::int64_t cell) {
    return axis.widths[static_cast<std::size_t>(cell)];
  };
  std::vector<double> diagonal;
  for_cells(box_of(domain.extents()), [&](std::int64_t i, std::int64_t j, std::int64_t k) {
    const double wi = width(domain.i, i);
    const double wj = width(domain.j, j);
    const double wk = width(domain.k, k);
    const double sum = wj * wk * per_width(domain.i, i) + wi * wk * per_width(domain.j, j) +
                       wi * wj * per_width(domain.k, k);
    diagonal.push_back(sum > 0.0 ? sum : 1.0);
  });
  return diagonal;
}

}  // namespace

ReferencePressure::ReferencePressure(poisson::Domain domain)
    : domain_(std::move(domain)),
      solution_(static_cast<std::size_t>(domain_.extents().count())),
      residual_(solution_.size()),
      direction_(solution_.size()),
      product_(solution_.size()),
      scaled_(solution_.size()),
      diagonal_(diagonal_of(domain_)) {}

void ReferencePressure::apply(const std::vector<double>& p, std::vector<double>& result) const {
  const std::array<const poisson::Axis*, 3> axes{&domain_.i, &domain_.j, &domain_.k};
  const Extents n = domain_.extents();
  const std::array<std::int64_t, 3> pitch{n.nj * n.nk, n.nk, 1};
  std::fill(result.begin(), result.end(), 0.0);
  for (std::size_t a = 0; a < 3; ++a) {
    const poisson::Axis& rows = *axes[a == 0 ? 1 : 0];
    const poisson::Axis& columns = *axes[a == 2 ? 1 : 2];
    const std::int64_t row_pitch = pitch[a == 0 ? 1 : 0];
    const std::int64_t column_pitch = pitch[a == 2 ? 1 : 2];
    const std::int64_t count = axes[a]->cells();
    for (std::int64_t face = axes[a]->periodic ? 0 : 1; face < count; ++face) {
      const double per_distance = 1.0 / axes[a]->distance(face);
      const std::int64_t above = face * pitch[a];
      const std::int64_t below = (face == 0 ? count - 1 : face - 1) * pitch[a];
      for (std::int64_t row = 0; row < rows.cells(); ++row) {
        for (std::int64_t column = 0; column < columns.cells(); ++column) {
          const std::int64_t here = row * row_pitch + column * column_pitch;
          const auto upper = static_cast<std::size_t>(above + here);
          const auto lower = static_cast<std::size_t>(below + here);
          const double flux = rows.widths[static_cast<std::size_t>(row)] *
                              columns.widths[static_cast<std::size_t>(column)] * per_distance *
                              (p[upper] - p[lower]);
          result[upper] += flux;
          result[lower] -= flux;
        }
      }
    }
  }
}

void ReferencePressure::scale_residual() {
  std::transform(residual_.begin(), residual_.end(), diagonal_.begin(), scaled_.begin(),
                 std::divides<>());
}

const std::vector<double>& ReferencePressure::solve(const std::vector<double>& right_side) {
  const Extents n = domain_.extents();
  std::size_t cell = 0;
  for (const double wi : domain_.i.widths) {
    for (const double wj : domain_.j.widths) {
      for (const double wk : domain_.k.widths) {
        residual_[cell] = -wi * wj * wk * right_side[cell];
        ++cell;
      }
    }
  }
  remove_mean(residual_);
  std::fill(solution_.begin(), solution_.end(), 0.0);
  scale_residual();
  direction_ = scaled_;
  constexpr double rounding = 1e-15;
  const double enough = rounding * largest(residual_);
  double square = dot(residual_, scaled_);
  const std::int64_t max_steps = 100 * (n.ni + n.nj + n.nk) + 1000;
  for (std::int64_t step = 0; square > 0.0 && largest(residual_) > enough; ++step) {
    if (step == max_steps) {
      throw RuntimeFailure("conjugate gradients do not converge");
    }
    apply(direction_, product_);
    const double curvature = dot(direction_, product_);
    if (!(curvature > 0.0)) {
      break;  // the right side is rounding, and what is left of it a constant
    }
    const double alpha = square / curvature;
    for (std::size_t m = 0; m < solution_.size(); ++m) {
      solution_[m] += alpha * direction_[m];
      residual_[m] -= alpha * product_[m];
    }
    remove_mean(residual_);  // rounding, which no step of the method takes away
    scale_residual();
    const double next = dot(residual_, scaled_);
    const double beta = next / std::exchange(square, next);
    for (std::size_t m = 0; m < solution_.size(); ++m) {
      direction_[m] = scaled_[m] + beta * direction_[m];
    }
  }
  remove_mean(solution_);
  return solution_;
}

}  // namespace bankfull::convection
