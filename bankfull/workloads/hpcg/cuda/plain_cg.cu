#include "bankfull/workloads/hpcg/cuda/plain_cg.cuh"

#include <utility>

namespace bankfull::hpcg::cuda {
namespace {

struct Waxpby {
  double alpha;
  const double* x;
  double beta;
  const double* y;
  double* w;
  __device__ void operator()(std::int64_t n) const { w[n] = alpha * x[n] + beta * y[n]; }
};

struct UpdateDirection {
  const Scalars* scalars;
  bool first;
  const double* z;
  double* p;
  __device__ void operator()(std::int64_t n) const {
    p[n] = first ? z[n] : z[n] + scalars->beta() * p[n];
  }
};

struct UpdateSolution {
  const Scalars* scalars;
  const double* p;
  const double* ap;
  double* x;
  double* r;
  __device__ void operator()(std::int64_t n) const {
    const double alpha = scalars->alpha();
    x[n] += alpha * p[n];
    r[n] -= alpha * ap[n];
  }
};

struct KeepRz {
  Scalars* scalars;
  __device__ void operator()(std::int64_t /*n*/) const { scalars->previous_rz = scalars->rz; }
};

struct RestrictRow {
  const std::int32_t* fine_row;
  const double* r;
  const double* product;
  double* coarse_r;
  __device__ void operator()(std::int64_t n) const {
    coarse_r[n] = r[fine_row[n]] - product[fine_row[n]];
  }
};

struct ProlongRow {
  const std::int32_t* fine_row;
  const double* coarse_x;
  double* x;
  __device__ void operator()(std::int64_t n) const { x[fine_row[n]] += coarse_x[n]; }
};

}  // namespace

PlainCudaCg::PlainCudaCg(const BackendSetup& setup, std::vector<PlainLevel> levels,
                         const std::int32_t* new_of)
    : CudaBackend(setup, levels.front().rows, levels.front().columns),
      levels_(std::move(levels)),
      new_of_(new_of) {
  for (std::size_t n = 0; n < levels_.size(); ++n) {
    const std::int64_t columns = levels_[n].columns;
    exchanges_.push_back(make_list_exchange<double>(
        ListSetup{setup.ranks, levels_[n].neighbours, setup.problem.transport}, setup.stream()));
    scratch_.push_back(make_vector(columns));
    coarse_x_.push_back(n == 0 ? Buffer<double>{} : make_vector(columns));
    coarse_r_.push_back(n == 0 ? Buffer<double>{} : make_vector(columns));
  }
}

void PlainCudaCg::start() {
  times_.begin(stream());
  executor_.fill(x_.data(), rows_, 0.0);
  executor_.fill(p_.data(), rows_, 0.0);
  multiply_by(0, p_.data(), ap_.data());
  times_.mark(stream(), &CgTimes::spmv);
  executor_.each(rows_, Waxpby{1.0, b_.data(), -1.0, ap_.data(), r_.data()});
  times_.mark(stream(), &CgTimes::waxpby);
  queue_dot(r_.data(), r_.data(), rows_, &scalars_.data()->rr);
}

void PlainCudaCg::precondition(bool multigrid) {
  times_.begin(stream());
  executor_.each(1, KeepRz{scalars_.data()});
  if (multigrid) {
    cycle(0, r_.data(), z_.data());
  } else {
    copy_bytes(z_.data(), r_.data(), static_cast<std::size_t>(rows_) * sizeof(double), stream());
  }
  times_.mark(stream(), &CgTimes::mg);
  queue_dot(r_.data(), z_.data(), rows_, &scalars_.data()->rz);
}

void PlainCudaCg::update_direction(bool first) {
  times_.begin(stream());
  executor_.each(rows_, UpdateDirection{scalars_.data(), first, z_.data(), p_.data()});
  times_.mark(stream(), &CgTimes::waxpby);
}

void PlainCudaCg::multiply() {
  times_.begin(stream());
  multiply_by(0, p_.data(), ap_.data());
  times_.mark(stream(), &CgTimes::spmv);
  queue_dot(p_.data(), ap_.data(), rows_, &scalars_.data()->pap);
}

void PlainCudaCg::update_solution() {
  times_.begin(stream());
  executor_.each(rows_,
                 UpdateSolution{scalars_.data(), p_.data(), ap_.data(), x_.data(), r_.data()});
  times_.mark(stream(), &CgTimes::waxpby);
  queue_dot(r_.data(), r_.data(), rows_, &scalars_.data()->rr);
}

std::vector<double> PlainCudaCg::apply(Operation operation, const std::vector<double>& x) {
  const std::int64_t size = levels_.front().columns;
  const auto from = make_vector(size);
  const auto to = make_vector(size);
  load_natural(x, new_of_, from.data());
  operation == Operation::spmv ? multiply_by(0, from.data(), to.data())
                               : cycle(0, from.data(), to.data());
  return natural(to.data());
}

void PlainCudaCg::cycle(std::size_t n, const double* r, double* x) {
  smooth_from_zero(n, r, x);
  if (n + 1 == levels_.size()) {
    return;
  }
  double* const product = scratch(n);
  double* const coarse_r = coarse_r_[n + 1].data();
  double* const coarse_x = coarse_x_[n + 1].data();
  const PlainLevel& coarse = levels_[n + 1];
  multiply_by(n, x, product);
  executor_.each(coarse.rows, RestrictRow{coarse.fine_row, r, product, coarse_r});
  cycle(n + 1, coarse_r, coarse_x);
  executor_.each(coarse.rows, ProlongRow{coarse.fine_row, coarse_x, x});
  smooth(n, r, x);
}

}  // namespace bankfull::hpcg::cuda
