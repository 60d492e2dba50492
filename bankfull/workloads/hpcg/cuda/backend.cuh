#pragma once

#include "bankfull/core/comm/gpu_reduction.hpp"
#include "bankfull/core/comm/list_exchange.hpp"
#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/core/exec/graph.hpp"
#include "bankfull/core/exec/reduce.cuh"
#include "bankfull/workloads/hpcg/cg_backend.hpp"

#include <memory>
#include <vector>

namespace bankfull::hpcg::cuda {

/// The scalars of conjugate gradients in GPU memory, where the kernels form and use them.
struct Scalars {
  double rr;
  double rz;
  double previous_rz;
  double pap;
  double put_off;  ///< factor of the deferred update of x

  [[nodiscard]] __device__ double alpha() const { return rz / pap; }
  [[nodiscard]] __device__ double beta() const { return rz / previous_rz; }
};

/// A part of conjugate gradients by the member of CgTimes that holds its seconds.
using Part = double CgTimes::*;

/// Times of queued work, by events between its parts.
class MarkedTimes {
 public:
  /// Work queued from now on, or since the last mark, is attributed to the part of the next mark.
  /// An event takes the GPU a few microseconds: none is recorded where a mark is there already.
  void begin(const Stream& stream) {
    if (used_ == 0) {
      record(stream, nullptr);
    }
  }
  void mark(const Stream& stream, Part part) { record(stream, part); }
  /// Work since the last mark is attributed to no part.
  void skip(const Stream& stream) { record(stream, nullptr); }

  /// Sums by part; waits for the marks and forgets them.
  CgTimes take();

 private:
  struct Mark {
    Event event = {};
    Part part = nullptr;
  };

  void record(const Stream& stream, Part part);

  std::vector<Mark> marks_;
  std::size_t used_ = 0;
};

inline constexpr int threads_per_block = 256;

inline dim3 blocks_for(std::int64_t count) {
  return dim3(static_cast<unsigned>((count + threads_per_block - 1) / threads_per_block));
}

/// An array of the executor, filled with 0 in the order of its stream.
Buffer<double> zero_vector(const CudaExecutor& executor, std::int64_t size);

/// Arguments of the backends' constructors; the objects referred to, and the executor's stream,
/// must outlive the backends.
struct BackendSetup {
  const Problem& problem;
  const Communicator& ranks;
  CudaExecutor executor;
  const std::vector<Level>& levels;

  [[nodiscard]] const Stream& stream() const { return executor.stream(); }
};

/// Base of the GPU backends.
class CudaBackend : public CgBackend {
 public:
  CudaBackend(const BackendSetup& setup, std::int64_t rows, std::int64_t vector_size);

  double squared_residual() override;
  CgTimes take_times() override { return times_.take(); }
  std::vector<Step> profile(int /*repeats*/) override { return {}; }

 protected:
  [[nodiscard]] Buffer<double> make_vector(std::int64_t size) const {
    return zero_vector(executor_, size);
  }
  [[nodiscard]] const Stream& stream() const { return executor_.stream(); }

  /// A vector of the rows in their natural order to `x` and back. `new_of` has the place of each
  /// row; null where they are in their natural order.
  void load_natural(const std::vector<double>& natural, const std::int32_t* new_of,
                    double* x) const;
  std::vector<double> in_natural_order(const double* x, const std::int32_t* new_of,
                                       std::int64_t count) const;

  /// Queues *sum = sum over n < count of x[n] y[n] over all ranks.
  void queue_dot(const double* x, const double* y, std::int64_t count, double* sum);

  /// Queues *sum = the partial sums that blocks have left, over all ranks; part of ddot.
  void queue_sum(int partials, double* sum);

  /// Queues *sum = the sum of all ranks'; part of ddot.
  void queue_sum_over_ranks(double* sum);

  const Communicator& ranks_;
  CudaExecutor executor_;
  std::int64_t rows_;
  Buffer<double> b_;
  Buffer<double> x_;
  Buffer<double> r_;
  Buffer<double> z_;
  Buffer<double> p_;
  Buffer<double> ap_;
  Buffer<Scalars> scalars_;
  FixedOrderSums sums_;
  GpuReduction over_ranks_;
  MarkedTimes times_;
};

// All are collective.
std::unique_ptr<CgBackend> make_reference_backend(const BackendSetup& setup);
std::unique_ptr<CgBackend> make_tuned_backend(const BackendSetup& setup);

// The versions of E. Phillips and M. Fatica, "A CUDA implementation of the High Performance
// Conjugate Gradient benchmark", PMBS 2014, section 4.

/// A or B: cuSPARSE, CSR, in the natural order of rows (`cusparse_csr`) or in that of colours
/// (`cusparse_coloured`). The library must be installed. Throws UsageError if the matrix exceeds
/// its 32-bit indices. Exists in builds with build::cusparse only.
std::unique_ptr<CgBackend> make_cusparse_backend(const BackendSetup& setup, Variant variant);

/// C: own kernels, CSR, in the order of colours.
std::unique_ptr<CgBackend> make_csr_backend(const BackendSetup& setup);

/// D: own kernels, ELLPACK, in the order of colours, with less work from x = 0 and with messages
/// hidden behind products.
std::unique_ptr<CgBackend> make_ell_backend(const BackendSetup& setup);

}  // namespace bankfull::hpcg::cuda
