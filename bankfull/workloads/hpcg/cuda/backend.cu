#include "bankfull/workloads/hpcg/cuda/backend.cuh"

namespace bankfull::hpcg::cuda {
namespace {

__global__ void __launch_bounds__(threads_per_block)
    dot_kernel(std::int64_t count, const double* x, const double* y, double* partials) {
  double sum = 0.0;
  const std::int64_t stride = std::int64_t{gridDim.x} * threads_per_block;
  for (std::int64_t n = std::int64_t{blockIdx.x} * threads_per_block + threadIdx.x; n < count;
       n += stride) {
    sum = fma(x[n], y[n], sum);
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = sum;
  }
}

struct ToNatural {
  const std::int32_t* new_of;
  const double* x;
  double* natural;
  __device__ void operator()(std::int64_t n) const { natural[n] = x[new_of[n]]; }
};

struct FromNatural {
  const std::int32_t* new_of;
  const double* natural;
  double* x;
  __device__ void operator()(std::int64_t n) const { x[new_of[n]] = natural[n]; }
};

/// Number of partial sums: one per block of a kernel with one thread per row, where each class of
/// rows begins with a new block.
std::size_t max_partials(std::int64_t rows) {
  constexpr std::int64_t max_ranges = 512;
  return static_cast<std::size_t>(rows / threads_per_block + max_ranges);
}

}  // namespace

void MarkedTimes::record(const Stream& stream, Part part) {
  if (used_ == marks_.size()) {
    marks_.emplace_back();
  }
  marks_[used_].part = part;
  marks_[used_].event.record(stream);
  ++used_;
}

CgTimes MarkedTimes::take() {
  CgTimes times;
  for (std::size_t n = 1; n < used_; ++n) {
    if (marks_[n].part != nullptr) {
      times.*marks_[n].part += Event::seconds_between(marks_[n - 1].event, marks_[n].event);
    }
  }
  used_ = 0;
  // The allreduce is a part of the dot product.
  times.ddot += times.allreduce;
  return times;
}

CudaBackend::CudaBackend(const BackendSetup& setup, std::int64_t rows, std::int64_t vector_size)
    : ranks_(setup.ranks),
      executor_(setup.executor),
      rows_(rows),
      b_(make_vector(vector_size)),
      x_(make_vector(vector_size)),
      r_(make_vector(vector_size)),
      z_(make_vector(vector_size)),
      p_(make_vector(vector_size)),
      ap_(make_vector(vector_size)),
      scalars_(executor_.make<Scalars>(1)),
      sums_(max_partials(rows)),
      over_ranks_(setup.ranks, 1, setup.problem.transport, setup.stream()) {
  fill_bytes(scalars_.data(), 0, scalars_.bytes(), stream());
}

double CudaBackend::squared_residual() {
  return executor_.to_host(&scalars_.data()->rr, 1).front();
}

Buffer<double> zero_vector(const CudaExecutor& executor, std::int64_t size) {
  auto vector = executor.make<double>(size);
  fill_bytes(vector.data(), 0, vector.bytes(), executor.stream());
  return vector;
}

void CudaBackend::load_natural(const std::vector<double>& natural, const std::int32_t* new_of,
                               double* x) const {
  if (new_of == nullptr) {
    executor_.from_host(natural, x);
    return;
  }
  const auto count = static_cast<std::int64_t>(natural.size());
  const auto copy = make_vector(count);
  executor_.from_host(natural, copy.data());
  executor_.each(count, FromNatural{new_of, copy.data(), x});
  executor_.synchronize();
}

std::vector<double> CudaBackend::in_natural_order(const double* x, const std::int32_t* new_of,
                                                  std::int64_t count) const {
  if (new_of == nullptr) {
    return executor_.to_host(x, count);
  }
  const auto natural = make_vector(count);
  executor_.each(count, ToNatural{new_of, x, natural.data()});
  return executor_.to_host(natural.data(), count);
}

void CudaBackend::queue_dot(const double* x, const double* y, std::int64_t count, double* sum) {
  constexpr unsigned max_blocks = 1024;
  const unsigned blocks = std::min(max_blocks, blocks_for(count).x);
  launch(stream(), {dim3(blocks), dim3(threads_per_block)}, dot_kernel, count, x, y,
         sums_.partials());
  queue_sum(static_cast<int>(blocks), sum);
}

void CudaBackend::queue_sum(int partials, double* sum) {
  sums_.queue(stream(), partials, 1, sum);
  times_.mark(stream(), &CgTimes::ddot);
  queue_sum_over_ranks(sum);
}

void CudaBackend::queue_sum_over_ranks(double* sum) {
  if (ranks_.size() > 1) {
    over_ranks_.queue_sum(sum, 1);
    times_.mark(stream(), &CgTimes::allreduce);
  }
}

}  // namespace bankfull::hpcg::cuda
