#include "bankfull/core/exec/cpu_executor.hpp"
#include "bankfull/workloads/npb/cg/block_vectors.hpp"
#include "bankfull/workloads/npb/cg/kept_entries.hpp"
#include "bankfull/workloads/npb/cg/panels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

namespace bankfull::npb::cg {
namespace {

/// Sums over the threads of a team and the teams of all ranks, inside a parallel region.
class TeamSum {
 public:
  TeamSum(int threads, const Communicator& ranks)
      : ranks_(&ranks), terms_(static_cast<std::size_t>(threads)) {}

  /// Collective, by all threads: the sum of their terms, the same bits for all. No thread returns
  /// before all have called, so this is also a barrier.
  ///
  /// Two slots alternate: a thread that still reads one sum is not disturbed by the next one, and
  /// no thread reaches the one after that before all have reached the next.
  double operator()(double term) {
    Terms& own = terms_[static_cast<std::size_t>(share_number())];
    const std::size_t slot = own.calls++ % 2;
    own.value[slot] = term;
#pragma omp barrier
    double sum = 0.0;
    for (const Terms& other : terms_) {
      sum += other.value[slot];
    }
    return ranks_->size() == 1 ? sum : sum_over_ranks(sum);
  }

 private:
  /// A barrier of all threads precedes the next write, so one place is enough.
  double sum_over_ranks(double sum) {
#pragma omp master
    over_ranks_ = ranks_->sum(sum);
#pragma omp barrier
    return over_ranks_;
  }

  /// Processors fetch lines in pairs.
  struct alignas(128) Terms {
    std::array<double, 2> value{};
    std::uint64_t calls = 0;
  };
  const Communicator* ranks_;
  std::vector<Terms> terms_;
  double over_ranks_ = 0.0;
};

/// Conjugate gradients on the teams of all ranks: one parallel region for a whole run, each thread
/// with its share of its rank's piece of the vectors, products by the parts of the rank's block. On
/// one rank, piece and block are the whole vectors and matrix, and nothing is exchanged.
class CpuSolver final : public Benchmark {
 public:
  CpuSolver(const Problem& problem, Kept kept, const Communicator& ranks)
      : Benchmark(Kernel::cg, problem.size),
        ranks_(ranks.size()),
        piece_(piece_of(cg_parameters(size()).rows, ranks.rank(), ranks.size())),
        team_(problem.threads),
        panels_(make_panels(problem, kept, ranks, team_)),
        sum_(problem.threads, ranks) {
    if (ranks.size() > 1) {
      exchanged_ = std::make_unique<BlockVectors>(cg_parameters(size()).rows, kept, ranks);
    }
    const CpuExecutor executor(problem.threads);
    for (Buffer<double>* vector : {&x_, &z_, &r_, &p_, &q_, &diagonal_}) {
      *vector = executor.make<double>(piece_.size());
      executor.fill(vector->data(), piece_.size(), 0.0);
    }
    form_diagonal(size(), piece_, team_, 1.0 + problem.perturbation, diagonal_.data());
    if (kept == Kept::upper) {
      for (int n = 0; n < problem.threads; ++n) {
        pairs_.emplace_back(MemorySpace::host,
                            static_cast<std::size_t>(panels_.part(n).tile.input_count()));
      }
    }
  }

  void rewind() override { std::fill_n(x_.data(), x_.size(), 1.0); }

  void warm_up() override { iterate(1); }

  void run() override { iterate(cg_parameters(size()).iterations); }

  std::vector<Check> checks() override { return checks_of(zeta_, size()); }

  [[nodiscard]] Work work() const override {
    const double vectors = 6.0 * static_cast<double>(x_.bytes());
    return {
        .traffic = traffic(),
        .model = panels_.block().kept == Kept::upper
                     ? "a product reads the entries right of the diagonal once, 10 bytes each; "
                       "each vector once per use; threads' pairs of x and sum stay in their caches"
                     : "a product reads each entry once, 10 bytes; each vector once per use",
        .working_set_bytes = static_cast<double>(panels_.bytes() + panels_.pair_bytes()) + vectors};
  }

  [[nodiscard]] std::vector<Figure> parameters() const override {
    return {order_parameter(CgOrder::nasa),
            {.name = "entries",
             .value = to_string(panels_.block().kept == Kept::upper ? CgEntries::upper
                                                                    : CgEntries::all)}};
  }

 private:
  [[nodiscard]] Traffic traffic() const {
    const CgParameters& cg = cg_parameters(size());
    const auto rows = static_cast<double>(piece_.size() * 8);
    const auto matrix = static_cast<double>(panels_.bytes());
    const Traffic product{matrix + 2.0 * rows, rows, 0.0};
    const Traffic vectors{6.0 * rows, 3.0 * rows, 0.0};
    const Traffic solve = (steps_per_iteration + 1.0) * product + steps_per_iteration * vectors;
    Traffic all = static_cast<double>(cg.iterations) * solve;
    all.flops = facts_of({.size = size()}).operations / ranks_;
    return all;
  }

  static Panels make_panels(const Problem& problem, Kept kept, const Communicator& ranks,
                            const Team& team) {
    const std::int64_t rows = cg_parameters(problem.size).rows;
    const Block block = block_of(rows, kept, ranks.rank(), ranks.size());
    return {problem.size, block, team, 1.0 + problem.perturbation};
  }

  void iterate(int iterations) {
    in_units(pauses(), iterations, [&](std::int64_t /*n*/) {
#pragma omp parallel num_threads(team_.threads())
      iterate_once();
    });
  }

  // From here on all threads of the team call, each for its share of the vectors.

  void iterate_once() {
    solve();
    const Range mine = my_share(piece_.size());
    const double* const z = z_.data();
    double* const x = x_.data();
    double xz = 0.0;
    double zz = 0.0;
#pragma omp simd reduction(+ : xz, zz)
    for (std::int64_t n = mine.begin; n < mine.end; ++n) {
      xz = std::fma(x[n], z[n], xz);
      zz = std::fma(z[n], z[n], zz);
    }
    const double zeta = cg_parameters(size()).shift + 1.0 / sum_(xz);
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
    for (int step = 0; step < steps_per_iteration; ++step) {
      const double alpha = rho / multiply_by(p_.data(), order_of(step));
      const double rho_before = rho;
      rho = advance(alpha);
      turn(rho / rho_before);
    }
    static_cast<void>(norm_of_remainder());
  }

  /// Of the product of a step, or of the one after the last: products alternate.
  static PanelOrder order_of(int step) {
    return step % 2 == 0 ? PanelOrder::ascending : PanelOrder::descending;
  }

  /// z = 0, r = p = x; returns r.r.
  double start() {
    const Range mine = my_share(piece_.size());
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
  double multiply_by(const double* v, PanelOrder order) {
    const double* const inputs = gather(v);
    double* const sums = exchanged_ ? exchanged_->outputs() : q_.data();
    if (panels_.block().kept == Kept::upper) {
      multiply_by_upper(order, inputs, sums);
    } else {
      multiply_all(panels_.part(share_number()), order, inputs, sums);
    }
    reduce();
    const Range mine = my_share(piece_.size());
    const double* const diagonal = diagonal_.data();
    double* const q = q_.data();
    double vq = 0.0;
#pragma omp simd reduction(+ : vq)
    for (std::int64_t n = mine.begin; n < mine.end; ++n) {
      q[n] = std::fma(diagonal[n], v[n], q[n]);
      vq = std::fma(v[n], q[n], vq);
    }
    return sum_(vq);
  }

  /// The elements of v that the block needs.
  const double* gather(const double* v) {
    if (!exchanged_) {
      return v;
    }
    exchanged_->put(v, my_share(piece_.size()));
#pragma omp barrier
#pragma omp master
    exchanged_->gather();
#pragma omp barrier
    return exchanged_->inputs();
  }

  /// q = the sums of all blocks, without the diagonal. On one rank each thread has formed its share
  /// of them.
  void reduce() {
    if (!exchanged_) {
      return;
    }
#pragma omp barrier
#pragma omp master
    exchanged_->reduce();
#pragma omp barrier
    exchanged_->take(q_.data(), my_share(piece_.size()));
  }

  void multiply_by_upper(PanelOrder order, const double* inputs, double* sums) {
    const int thread = share_number();
    multiply_upper(panels_.part(thread), order, inputs,
                   pairs_[static_cast<std::size_t>(thread)].data());
#pragma omp barrier
    const Range mine = my_share(panels_.block().input_count());
    std::fill(sums + mine.begin, sums + mine.end, 0.0);
    for (int other = 0; other < team_.threads(); ++other) {
      add_sums(panels_.part(other), pairs_[static_cast<std::size_t>(other)].data(), mine, sums);
    }
  }

  /// z += a p, r -= a q; returns r.r.
  double advance(double a) {
    const Range mine = my_share(piece_.size());
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
    const Range mine = my_share(piece_.size());
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
    multiply_by(z_.data(), order_of(steps_per_iteration));
    const Range mine = my_share(piece_.size());
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

  int ranks_;
  Range piece_;  ///< of the vectors
  Team team_;
  Panels panels_;
  TeamSum sum_;
  std::unique_ptr<BlockVectors> exchanged_;  ///< where there are other ranks
  Buffer<double> x_;
  Buffer<double> z_;
  Buffer<double> r_;
  Buffer<double> p_;
  Buffer<double> q_;
  Buffer<double> diagonal_;
  std::vector<Buffer<Pair>> pairs_;  ///< one array per thread, with `Kept::upper`
  double zeta_ = 0.0;
};

}  // namespace

std::unique_ptr<Benchmark> make_cpu(const Problem& problem, const Communicator& ranks) {
  // Ranks may have different numbers of threads, but must cut the matrix in the same way.
  const auto max_threads = static_cast<int>(ranks.max(std::int64_t{problem.threads}));
  const Kept kept = kept_entries(problem, ranks.size(), max_threads);
  return std::make_unique<CpuSolver>(problem, kept, ranks);
}

}  // namespace bankfull::npb::cg
