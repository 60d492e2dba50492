#include "bankfull/workloads/convection/reference_pressure.hpp"

#include "bankfull/core/base/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
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

}  // namespace

ReferencePressure::ReferencePressure(poisson::Domain domain)
    : domain_(std::move(domain)),
      solution_(static_cast<std::size_t>(domain_.extents().count())),
      residual_(solution_.size()),
      direction_(solution_.size()),
      product_(solution_.size()) {}

void ReferencePressure::apply(const std::vector<double>& p, std::vector<double>& result) const {
  const std::array<const poisson::Axis*, 3> axes{&domain_.i, &domain_.j, &domain_.k};
  const Extents n = domain_.extents();
  const std::array<std::int64_t, 3> pitch{n.nj * n.nk, n.nk, 1};
  for (std::int64_t cell = 0; cell < n.count(); ++cell) {
    const std::array<std::int64_t, 3> index{cell / pitch[0], cell / n.nk % n.nj, cell % n.nk};
    const auto width = [&](std::size_t a) {
      return axes[a]->widths[static_cast<std::size_t>(index[a])];
    };
    const double volume = width(0) * width(1) * width(2);
    double sum = 0.0;
    for (std::size_t a = 0; a < 3; ++a) {
      const std::int64_t count = axes[a]->cells();
      const double area = volume / width(a);
      for (const int side : {0, 1}) {
        std::int64_t beside = index[a] + (side == 0 ? -1 : 1);
        if ((beside < 0 || beside == count) && !axes[a]->periodic) {
          continue;
        }
        beside = (beside + count) % count;
        const auto other = static_cast<std::size_t>(cell + (beside - index[a]) * pitch[a]);
        sum += area / axes[a]->distance(index[a] + side) *
               (p[static_cast<std::size_t>(cell)] - p[other]);
      }
    }
    result[static_cast<std::size_t>(cell)] = sum;
  }
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
  direction_ = residual_;
  constexpr double rounding = 1e-15;
  const double enough = rounding * largest(residual_);
  double square = dot(residual_, residual_);
  const std::int64_t most_steps = 100 * (n.ni + n.nj + n.nk) + 1000;
  for (std::int64_t step = 0; square > 0.0 && largest(residual_) > enough; ++step) {
    if (step == most_steps) {
      throw RuntimeFailure("conjugate gradients do not converge");
    }
    apply(direction_, product_);
    const double alpha = square / dot(direction_, product_);
    for (std::size_t m = 0; m < solution_.size(); ++m) {
      solution_[m] += alpha * direction_[m];
      residual_[m] -= alpha * product_[m];
    }
    remove_mean(residual_);  // rounding, which no step of the method takes away
    const double next = dot(residual_, residual_);
    const double beta = next / std::exchange(square, next);
    for (std::size_t m = 0; m < solution_.size(); ++m) {
      direction_[m] = residual_[m] + beta * direction_[m];
    }
  }
  remove_mean(solution_);
  return solution_;
}

}  // namespace bankfull::convection
