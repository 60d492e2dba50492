#pragma once

#include "bankfull/core/exec/cpu_executor.hpp"
#include "bankfull/core/memory/buffer.hpp"

#include <cstdint>
#include <vector>

namespace bankfull::hpcg::cpu {

/// Sum over n of term(n), by the team; the same bits in every run of as many threads.
template <class Term>
double sum_of(const Team& team, std::int64_t count, Term term) {
  std::vector<double> sums(static_cast<std::size_t>(team.threads()));
#pragma omp parallel num_threads(team.threads())
  {
    const Range mine = my_share(count);
    double sum = 0.0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t n = mine.begin; n < mine.end; ++n) {
      sum += term(n);
    }
    sums[static_cast<std::size_t>(share_number())] = sum;
  }
  double total = 0.0;
  for (const double sum : sums) {
    total += sum;
  }
  return total;
}

struct Product {
  const double* x;
  const double* y;
  double operator()(std::int64_t n) const { return x[n] * y[n]; }
};

inline double dot(const Team& team, const double* x, const double* y, std::int64_t count) {
  return sum_of(team, count, Product{x, y});
}

/// A vector of zeros whose pages the team's threads touch first.
inline Buffer<double> make_vector(const CpuExecutor& executor, std::int64_t size) {
  auto vector = executor.make<double>(size);
  executor.fill(vector.data(), size, 0.0);
  return vector;
}

}  // namespace bankfull::hpcg::cpu
