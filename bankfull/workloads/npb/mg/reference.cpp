#include "bankfull/core/field/for_cells.hpp"
#include "bankfull/workloads/npb/mg/mg.hpp"

#include <cmath>
#include <cstdlib>
#include <numeric>

namespace bankfull::npb::mg {
namespace {

/// A periodic grid of side^3 points.
struct Grid {
  std::int64_t side;
  std::vector<double> values;

  explicit Grid(std::int64_t n) : side(n), values(static_cast<std::size_t>(n * n * n), 0.0) {}

  double& operator()(std::int64_t i3, std::int64_t i2, std::int64_t i1) {
    const auto wrapped = [this](std::int64_t i) { return (i + side) % side; };
    return values[static_cast<std::size_t>((wrapped(i3) * side + wrapped(i2)) * side +
                                           wrapped(i1))];
  }
};

/// Sum over the 27 points around (i3, i2, i1).
double apply(const Weights& weights, Grid& grid, std::int64_t i3, std::int64_t i2,
             std::int64_t i1) {
  double sum = 0.0;
  for_cells({-1, 2, -1, 2, -1, 2}, [&](auto d3, auto d2, auto d1) {
    const auto distance = std::abs(d3) + std::abs(d2) + std::abs(d1);
    sum += weights[static_cast<std::size_t>(distance)] * grid(i3 + d3, i2 + d2, i1 + d1);
  });
  return sum;
}

Box all_points(const Grid& grid) { return box_of({grid.side, grid.side, grid.side}); }

/// r = v - A u; v may be r.
void residual(Grid& u, Grid& v, Grid& r) {
  for_cells(all_points(r), [&](auto i3, auto i2, auto i1) {
    r(i3, i2, i1) = v(i3, i2, i1) - apply(operator_weights, u, i3, i2, i1);
  });
}

/// u += S r.
void smooth(const Weights& weights, Grid& r, Grid& u) {
  for_cells(all_points(u),
            [&](auto i3, auto i2, auto i1) { u(i3, i2, i1) += apply(weights, r, i3, i2, i1); });
}

/// coarse = P fine: coarse point i lies on the fine point 2 i + 1.
void restrict_to(Grid& fine, Grid& coarse) {
  for_cells(all_points(coarse), [&](auto i3, auto i2, auto i1) {
    coarse(i3, i2, i1) = apply(restriction_weights, fine, 2 * i3 + 1, 2 * i2 + 1, 2 * i1 + 1);
  });
}

/// fine += Q coarse, trilinear: along each axis an odd point lies on a coarse one, an even point
/// between two.
void interpolate(Grid& coarse, Grid& fine) {
  for_cells(all_points(fine), [&](auto i3, auto i2, auto i1) {
    double sum = 0.0;
    for (const auto c3 : {(i3 + 1) / 2 - 1, i3 / 2}) {
      for (const auto c2 : {(i2 + 1) / 2 - 1, i2 / 2}) {
        for (const auto c1 : {(i1 + 1) / 2 - 1, i1 / 2}) {
          sum += coarse(c3, c2, c1);
        }
      }
    }
    fine(i3, i2, i1) += 0.125 * sum;
  });
}

double norm(const Grid& r) {
  const double sum = std::inner_product(r.values.begin(), r.values.end(), r.values.begin(), 0.0);
  return std::sqrt(sum / static_cast<double>(r.values.size()));
}

class Reference final : public Benchmark {
 public:
  explicit Reference(Class size)
      : Benchmark(Kernel::mg, size),
        smoother_(smoother_weights(size)),
        v_(mg_parameters(size).side) {
    for (int level = 1; level <= level_count(size); ++level) {
      u_.emplace_back(std::int64_t{1} << level);
      r_.emplace_back(std::int64_t{1} << level);
    }
    const Charges charges = find_charges(size, 1, *make_self_communicator());
    for (const Point& point : charges.positive) {
      v_(point.i3, point.i2, point.i1) = 1.0;
    }
    for (const Point& point : charges.negative) {
      v_(point.i3, point.i2, point.i1) = -1.0;
    }
  }

  void rewind() override { u_.back() = Grid(v_.side); }

  void warm_up() override {
    residual(u_.back(), v_, r_.back());
    cycle();
  }

  void run() override {
    residual(u_.back(), v_, r_.back());
    norm_ = norm(r_.back());
    in_units(pauses(), mg_parameters(size()).iterations, [&](std::int64_t /*n*/) {
      cycle();
      residual(u_.back(), v_, r_.back());
    });
    norm_ = norm(r_.back());
  }

  std::vector<Check> checks() override { return checks_of(norm_, size()); }

  [[nodiscard]] Work work() const override { return {.model = "none stated"}; }

 private:
  void cycle() {
    const std::size_t finest = u_.size() - 1;
    for (std::size_t level = finest; level > 0; --level) {
      restrict_to(r_[level], r_[level - 1]);
    }
    for (std::size_t level = 0; level <= finest; ++level) {
      if (level < finest) {
        u_[level] = Grid(u_[level].side);
      }
      if (level > 0) {
        interpolate(u_[level - 1], u_[level]);
        residual(u_[level], level < finest ? r_[level] : v_, r_[level]);
      }
      smooth(smoother_, r_[level], u_[level]);
    }
  }

  Weights smoother_;
  Grid v_;
  std::vector<Grid> u_;  ///< the coarsest first
  std::vector<Grid> r_;
  double norm_ = 0.0;
};

}  // namespace

std::unique_ptr<Benchmark> make_reference(Class size) { return std::make_unique<Reference>(size); }

}  // namespace bankfull::npb::mg
