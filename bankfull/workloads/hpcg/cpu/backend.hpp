#pragma once

#include "bankfull/core/comm/list_exchange.hpp"
#include "bankfull/core/exec/cpu_executor.hpp"
#include "bankfull/core/measure/timer.hpp"
#include "bankfull/workloads/hpcg/cg_backend.hpp"

#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

namespace bankfull::hpcg::cpu {

/// Sum of part() over the threads of the team; bitwise reproducible for the same number of threads.
template <class Part>
double sum_over_team(const Team& team, const Part& part) {
  std::vector<double> sums(static_cast<std::size_t>(team.threads()));
#pragma omp parallel num_threads(team.threads())
  sums[static_cast<std::size_t>(share_number())] = part();
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

inline double dot(const Team& team, const double* x, const double* y, std::int64_t count) {
  return sum_over_team(team, [=] {
    const Range mine = my_share(count);
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t n = mine.begin; n < mine.end; ++n) {
      sum += x[n] * y[n];
    }
    return sum;
  });
}

/// A vector of zeros whose pages the team's threads touch first, each those that it will work on:
/// its share of each of the ranges, which hold all elements.
inline Buffer<double> make_vector(const CpuExecutor& executor, const std::vector<Range>& ranges) {
  auto vector = executor.make<double>(ranges.back().end);
  executor.each_in(ranges, [data = vector.data()](std::int64_t n) { data[n] = 0.0; });
  return vector;
}

inline Buffer<double> make_vector(const CpuExecutor& executor, std::int64_t size) {
  return make_vector(executor, std::vector<Range>{{0, size}});
}

/// Base of the CPU backends: the vectors and scalars of conjugate gradients, and timing.
class CpuBackend : public CgBackend {
 public:
  /// `ranges` of elements are worked on one after the other; see make_vector.
  CpuBackend(const Problem& problem, const Communicator& ranks, std::int64_t rows,
             const std::vector<Range>& ranges)
      : ranks_(ranks),
        executor_(problem.threads),
        rows_(rows),
        b_(make_vector(executor_, ranges)),
        x_(make_vector(executor_, ranges)),
        r_(make_vector(executor_, ranges)),
        z_(make_vector(executor_, ranges)),
        p_(make_vector(executor_, ranges)),
        ap_(make_vector(executor_, ranges)) {}

  double squared_residual() override { return rr_; }
  CgTimes take_times() override { return std::exchange(times_, {}); }
  std::vector<Step> profile(int /*repeats*/) override { return {}; }
  [[nodiscard]] Transport transport() const override {
    return ranks_.size() == 1 ? Transport::local : Transport::mpi;
  }

 protected:
  /// Runs `body` and adds its time to a part.
  template <class Body>
  void timed(double CgTimes::*part, const Body& body) {
    const Stopwatch watch;
    body();
    times_.*part += watch.seconds();
  }

  /// Over all ranks.
  double sum_over_ranks(double mine) {
    double sum = 0.0;
    timed(&CgTimes::allreduce, [&] { sum = ranks_.sum(mine); });
    return sum;
  }

  [[nodiscard]] const Team& team() const { return executor_.team(); }

  const Communicator& ranks_;
  CpuExecutor executor_;
  std::int64_t rows_;
  Buffer<double> b_;
  Buffer<double> x_;
  Buffer<double> r_;
  Buffer<double> z_;
  Buffer<double> p_;
  Buffer<double> ap_;
  double rr_ = 0.0;
  double rz_ = 0.0;
  double previous_rz_ = 0.0;
  double pap_ = 0.0;
  CgTimes times_;
};

std::unique_ptr<CgBackend> make_reference_backend(const Problem& problem, const Communicator& ranks,
                                                  const std::vector<Level>& levels);
std::unique_ptr<CgBackend> make_tuned_backend(const Problem& problem, const Communicator& ranks,
                                              const std::vector<Level>& levels);

}  // namespace bankfull::hpcg::cpu
