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
    if (panels_.kept() == Kept::upper) {
      for (int n = 0; n < threads; ++n) {
        pairs_.emplace_back(MemorySpace::host, static_cast<std::size_t>(panels_.rows()));
      }
    }
#pragma omp parallel num_threads(team_.threads())
    {
      const Range mine = my_share(panels_.rows());
      for (const Buffer<double>* vector : {&x_, &z_, &r_, &p_, &q_}) {
        std::fill(vector->data() + mine.begin, vector->data() + mine.end, 0.0);
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
    // A thread's pairs are written, and their sums read; the diagonal is among the matrix' bytes.
    const auto pairs = static_cast<double>(pairs_.size());
    const auto matrix = static_cast<double>(panels_.bytes());
    const Traffic product{matrix + (1.0 + 2.0 * pairs) * rows, (1.0 + 2.0 * pairs) * rows, 0.0};
    const Traffic vectors{6.0 * rows, 3.0 * rows, 0.0};
    const Traffic solve = (steps_an_iteration + 1.0) * product + steps_an_iteration * vectors;
    Traffic all = static_cast<double>(cg.iterations) * solve;
    all.flops = facts_of({.size = size_}).operations;
    return all;
  }

  [[nodiscard]] std::string traffic_model() const override {
    return panels_.kept() == Kept::upper
               ? "a product reads the entries right of the diagonal once, 10 bytes each, and each "
                 "thread's pairs of x and sum; each vector once a use"
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
    if (panels_.kept() == Kept::upper) {
      multiply_by_upper(v);
    } else {
      multiply_by_all(v);
    }
    const Range mine = my_share(panels_.rows());
    const double* const q = q_.data();
    double vq = 0.0;
#pragma omp simd reduction(+ : vq)
    for (std::int64_t n = mine.begin; n < mine.end; ++n) {
      vq = std::fma(v[n], q[n], vq);
    }
    return sum_(vq);
  }

  void multiply_by_all(const double* v) {
    multiply_all(panels_, panels_.part(share_number()), v, q_.data());
#pragma omp barrier
    add_diagonal(v, 1.0);
  }

  void multiply_by_upper(const double* v) {
    const Part& part = panels_.part(share_number());
    Pair* const own = pairs_[static_cast<std::size_t>(share_number())].data();
    for (std::int64_t n = part.rows.begin; n < panels_.rows(); ++n) {
      own[n] = {v[n], 0.0};
    }
    multiply_upper(panels_, part, own);
#pragma omp barrier
    add_diagonal(v, 0.0);
    const Range mine = my_share(panels_.rows());
    double* const q = q_.data();
    for (std::size_t thread = 0; thread < pairs_.size(); ++thread) {
      const Pair* const pairs = pairs_[thread].data();
      const std::int64_t first = panels_.part(static_cast<int>(thread)).rows.begin;
      for (std::int64_t n = std::max(first, mine.begin); n < mine.end; ++n) {
        q[n] += pairs[n].sum;
      }
    }
  }

  /// q = kept q + D v in this thread's share.
  void add_diagonal(const double* v, double kept) {
    const Range mine = my_share(panels_.rows());
    const double* const diagonal = panels_.diagonal();
    double* const q = q_.data();
#pragma omp simd
    for (std::int64_t n = mine.begin; n < mine.end; ++n) {
      q[n] = std::fma(diagonal[n], v[n], kept * q[n]);
    }
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
  std::vector<Buffer<Pair>> pairs_;  ///< one array a thread, with `Kept::upper`
  double zeta_ = 0.0;
};

}  // namespace

std::unique_ptr<Benchmark> make_cpu(Class size, int threads) {
  return std::make_unique<CpuSolver>(size, threads);
}

}  // namespace bankfull::npb::cg
