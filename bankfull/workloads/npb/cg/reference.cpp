#include "bankfull/workloads/npb/cg/cg.hpp"

#include <cmath>
#include <map>

namespace bankfull::npb::cg {
namespace {

using Vector = std::vector<double>;
using Rows = std::vector<std::map<std::int32_t, double>>;

/// The sum of outer products as it is written.
Rows sum_of_products(Class size) {
  const std::int64_t rows = cg_parameters(size).rows;
  const SparseVectors x = draw_vectors(size);
  Rows matrix(static_cast<std::size_t>(rows));
  for (std::int64_t i = 0; i < rows; ++i) {
    const auto begin = static_cast<std::size_t>(x.starts[static_cast<std::size_t>(i)]);
    const auto end = static_cast<std::size_t>(x.starts[static_cast<std::size_t>(i) + 1]);
    for (std::size_t n = begin; n < end; ++n) {
      for (std::size_t m = begin; m < end; ++m) {
        matrix[static_cast<std::size_t>(x.indices[n])][x.indices[m]] +=
            vector_weight(size, i) * x.values[n] * x.values[m];
      }
    }
    matrix[static_cast<std::size_t>(i)][static_cast<std::int32_t>(i)] += diagonal_shift(size);
  }
  return matrix;
}

double dot(const Vector& x, const Vector& y) {
  double sum = 0.0;
  for (std::size_t n = 0; n < x.size(); ++n) {
    sum += x[n] * y[n];
  }
  return sum;
}

/// y += a x
void add_multiple(double a, const Vector& x, Vector& y) {
  for (std::size_t n = 0; n < x.size(); ++n) {
    y[n] += a * x[n];
  }
}

class Reference final : public Benchmark {
 public:
  explicit Reference(Class size) : size_(size), matrix_(sum_of_products(size)) { rewind(); }

  void rewind() override { x_.assign(matrix_.size(), 1.0); }

  void warm_up() override { iterate(); }

  void run() override {
    for (int n = 0; n < cg_parameters(size_).iterations; ++n) {
      iterate();
    }
  }

  std::vector<Check> checks() override { return checks_of(zeta_, size_); }

  [[nodiscard]] Traffic traffic() const override { return {}; }
  [[nodiscard]] std::string traffic_model() const override { return "none stated"; }

 private:
  [[nodiscard]] Vector multiply(const Vector& x) const {
    Vector y(x.size(), 0.0);
    for (std::size_t row = 0; row < y.size(); ++row) {
      for (const auto& [column, value] : matrix_[row]) {
        y[row] += value * x[static_cast<std::size_t>(column)];
      }
    }
    return y;
  }

  /// z with A z = x, nearly; also forms the norm of what is left.
  Vector solve() {
    Vector z(x_.size(), 0.0);
    Vector r = x_;
    Vector p = r;
    double rho = dot(r, r);
    for (int step = 0; step < steps_an_iteration; ++step) {
      const Vector q = multiply(p);
      const double alpha = rho / dot(p, q);
      add_multiple(alpha, p, z);
      add_multiple(-alpha, q, r);
      const double rho_before = rho;
      rho = dot(r, r);
      const double beta = rho / rho_before;
      for (std::size_t n = 0; n < p.size(); ++n) {
        p[n] = r[n] + beta * p[n];
      }
    }
    Vector left = multiply(z);
    add_multiple(-1.0, x_, left);
    residual_norm_ = std::sqrt(dot(left, left));
    return z;
  }

  void iterate() {
    const Vector z = solve();
    zeta_ = cg_parameters(size_).shift + 1.0 / dot(x_, z);
    const double scale = 1.0 / std::sqrt(dot(z, z));
    for (std::size_t n = 0; n < z.size(); ++n) {
      x_[n] = scale * z[n];
    }
  }

  Class size_;
  Rows matrix_;
  Vector x_;
  double zeta_ = 0.0;
  double residual_norm_ = 0.0;
};

}  // namespace

std::unique_ptr<Benchmark> make_reference(Class size) { return std::make_unique<Reference>(size); }

}  // namespace bankfull::npb::cg
