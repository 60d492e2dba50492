#include "bankfull/workloads/hpcg/cpu/backend.hpp"

namespace bankfull::hpcg::cpu {

CpuBackend::CpuBackend(const Problem& problem, const Communicator& ranks, std::int64_t rows,
                       std::int64_t vector_size)
    : ranks_(ranks),
      executor_(problem.threads),
      rows_(rows),
      b_(make_vector(executor_, vector_size)),
      x_(make_vector(executor_, vector_size)),
      r_(make_vector(executor_, vector_size)),
      z_(make_vector(executor_, vector_size)),
      p_(make_vector(executor_, vector_size)),
      ap_(make_vector(executor_, vector_size)) {}

CgTimes CpuBackend::take_times() {
  const CgTimes times = times_;
  times_ = {};
  return times;
}

double CpuBackend::sum_over_ranks(double mine) {
  double sum = 0.0;
  timed(&CgTimes::allreduce, [&] { sum = ranks_.sum(mine); });
  return sum;
}

}  // namespace bankfull::hpcg::cpu
