#include "bankfull/workloads/npb/cg/panels.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace bankfull::npb::cg {
namespace {

/// Sums over the threads of a team, inside a parallel region.
class TeamSum {
 public:
  explicit TeamSum(int threads) : terms_(static_cast<std::size_t>(threads)) {}

  /// By all threads: the sum of their terms, the same bits for all. No thread returns before all
  /// have come, so this is a barrier too.
  ///
  /// Two slots in turn: who is still reading one sum is not disturbed by those at the next, and
  /// nobody gets to the one after that before all have come to the next.
  double operator()(double term) {
    Terms& own = terms_[static_cast<std::size_t>(share_number())];
    const std::size_t slot = own.calls++ % 2;
    own.value[slot] = term;
#pragma omp barrier
    double sum = 0.0;
    for (const Terms& other : terms_) {
      sum += other.value[slot];
    }
    return sum;
  }

 private:
  struct alignas(64) Terms {
    std::array<double, 2> value{};
    std::uint64_t calls = 0;
  };
  std::vector<Terms> terms_;
};

/// Conjugate gradients on a team: one parallel region for a whole run, each thread with its share
/// of the vectors, products by the parts of the matrix.
class CpuSolver final : public Benchmark {
 public:
  CpuSolver(Class size, int threads)
      : size_(size), team_(threads), panels_(make_panels(size, team_)), sum_(threads) {
    for (Buffer<double>* vector : {&x_, &z_, &r_, &p_, &q_}) {
      *vector = Buffer<double>(MemorySpace::host, static_cast<std::size_t>(panels_.rows()));
    }
    products_.resize(panels_.kept() == Kept::upper ? static_cast<std::size_t>(threads) : 1);
    for (Buffer<double>& product : products_) {
      product = Buffer<double>(MemorySpace::host, static_cast<std::size_t>(panels_.rows()));
    }
#pragma omp parallel num_threads(team_.threads())
    {
      const Range mine = my_share(panels_.rows());
      for (const Buffer<double>* vector : {&x_, &z_, &r_, &p_, &q_}) {
        std::fill(vector->data() + mine.begin, vector->data() + mine.end, 0.0);
      }
      const auto own = static_cast<std::size_t>(share_number());
      if (own < products_.size()) {
        std::fill_n(products_[own].data(), products_[own].size(), 0.0);
      }
    }
  }

  void rewind() override { std::fill_n(x_.data(), x_.size(), 1.0); }

  void warm_up() override { iterate(1); }

  void run() override { iterate(cg_parameters(size_).iterations); }

  std::vector<Check> checks() override { return checks_of(zeta_, size_); }

  [[nodiscard]] Traffic traffic() const override {
    const CgParameters& cg = cg_parameters(size_);
    const auto rows = static_cast<double>(cg.rows * 8);
    const auto products = static_cast<double>(products_.size());
    const auto matrix = static_cast<double>(panels_.bytes());
    const Traffic product{matrix + (2.0 + products) * rows, (1.0 + products) * rows, 0.0};
    const Traffic vectors{6.0 * rows, 3.0 * rows, 0.0};
    const Traffic solve = (steps_an_iteration + 1.0) * product + steps_an_iteration * vectors;
    Traffic all = static_cast<double>(cg.iterations) * solve;
    all.flops = facts_of({.size = size_}).operations;
    return all;
  }

  [[nodiscard]] std::string traffic_model() const override {
    return panels_.kept() == Kept::upper
               ? "a product reads the entries right of the diagonal once, 10 bytes each, and a "
                 "vector of sums a thread; each vector once a use"
               : "a product reads each entry once, 10 bytes; each vector once a use";
  }

 private:
  static Panels make_panels(Class size, const Team& team) {
    const Matrix matrix = assemble(size, team);
    return {matrix, better_kept(matrix, team.threads()), team};
  }

  void iterate(int iterations) {
#pragma omp parallel num_threads(team_.threads())
    {
      for (int n = 0; n < iterations; ++n) {
        iterate_once();
      }
    }
  }

  // From here on all threads of the team call, each for its share of the vectors.

  void iterate_once() {
    solve();
    const Range mine = my_share(panels_.rows());
    const double* const z = z_.data();
    double* const x = x_.data();
    double xz = 0.0;
    double zz = 0.0;
#pragma omp simd reduction(+ : xz, zz)
    for (std::int64_t n = mine.begin; n < mine.end; ++n) {
      xz = std::fma(x[n], z[n], xz);
      zz = std::fma(z[n], z[n], zz);
    }
    const double zeta = cg_parameters(size_).shift + 1.0 / sum_(xz);
    const double scale = 1.0 / std::sqrt(sum_(zz));
#pragma omp master
    zeta_ = zeta;
#pragma omp simd
    for (std::int64_t n = mine.begin; n < mine.end; ++n) {
      x[n] = scale * z[n];
    }
  }

  void solve() {
    double rho = start();
    for (int step = 0; step < steps_an_iteration; ++step) {
      const double alpha = rho / multiply_by(p_.data());
      const double rho_before = rho;
      rho = advance(alpha);
      turn(rho / rho_before);
    }
    static_cast<void>(norm_of_remainder());
  }

  /// z = 0, r = p = x; returns r.r.
  double start() {
    const Range mine = my_share(panels_.rows());
    double rr = 0.0;
    for (std::int64_t n = mine.begin; n < mine.end; ++n) {
      const double x = x_.data()[n];
      z_.data()[n] = 0.0;
      r_.data()[n] = x;
      p_.data()[n] = x;
      rr = std::fma(x, x, rr);
    }
    return sum_(rr);
  }

  /// q = A v, for v that all threads have written; returns v.q.
  double multiply_by(const double* v) {
    const int own = share_number();
    const bool shared = products_.size() == 1;
    multiply(panels_, panels_.part(own), v,
             products_[shared ? 0 : static_cast<std::size_t>(own)].data());
#pragma omp barrier
    const Range mine = my_share(panels_.rows());
    double* const q = q_.data();
    const double* const diagonal = panels_.diagonal();
#pragma omp simd
    for (std::int64_t n = mine.begin; n < mine.end; ++n) {
      q[n] = diagonal[n] * v[n];
    }
    for (const Buffer<double>& product : products_) {
      double* const sums = product.data();
#pragma omp simd
      for (std::int64_t n = mine.begin; n < mine.end; ++n) {
        q[n] += sums[n];
        sums[n] = 0.0;
      }
    }
    double vq = 0.0;
#pragma omp simd reduction(+ : vq)
    for (std::int64_t n = mine.begin; n < mine.end; ++n) {
      vq = std::fma(v[n], q[n], vq);
    }
    return sum_(vq);
  }

  /// z += a p, r -= a q; returns r.r.
  double advance(double a) {
    const Range mine = my_share(panels_.rows());
    const double* const p = p_.data();
    const double* const q = q_.data();
    double* const z = z_.data();
    double* const r = r_.data();
    double rr = 0.0;
#pragma omp simd reduction(+ : rr)
    for (std::int64_t n = mine.begin; n < mine.end; ++n) {
      z[n] = std::fma(a, p[n], z[n]);
      const double next = std::fma(-a, q[n], r[n]);
      r[n] = next;
      rr = std::fma(next, next, rr);
    }
    return sum_(rr);
  }

  /// p = r + b p.
  void turn(double b) {
    const Range mine = my_share(panels_.rows());
    const double* const r = r_.data();
    double* const p = p_.data();
#pragma omp simd
    for (std::int64_t n = mine.begin; n < mine.end; ++n) {
      p[n] = std::fma(b, p[n], r[n]);
    }
#pragma omp barrier
  }

  /// ||x - A z||, which NPB computes and does not verify.
  double norm_of_remainder() {
    multiply_by(z_.data());
    const Range mine = my_share(panels_.rows());
    const double* const x = x_.data();
    const double* const q = q_.data();
    double squares = 0.0;
#pragma omp simd reduction(+ : squares)
    for (std::int64_t n = mine.begin; n < mine.end; ++n) {
      const double left = x[n] - q[n];
      squares = std::fma(left, left, squares);
    }
    return std::sqrt(sum_(squares));
  }

  Class size_;
  Team team_;
  Panels panels_;
  TeamSum sum_;
  Buffer<double> x_;
  Buffer<double> z_;
  Buffer<double> r_;
  Buffer<double> p_;
  Buffer<double> q_;
  std::vector<Buffer<double>> products_;  ///< one, or one a thread; all 0 between products
  double zeta_ = 0.0;
};

}  // namespace

std::unique_ptr<Benchmark> make_cpu(Class size, int threads) {
  return std::make_unique<CpuSolver>(size, threads);
}

}  // namespace bankfull::npb::cg
