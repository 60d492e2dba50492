#pragma once

#include "bankfull/workloads/hpcg/cuda/backend.cuh"
#include "bankfull/workloads/hpcg/rows.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace bankfull::hpcg::cuda {

/// (A x) of every row; a body for an executor's `each`.
struct MultiplyRow {
  CsrView matrix;
  const double* x;
  double* y;
  __device__ void operator()(std::int64_t row) const { y[row] = row_times(matrix, row, x); }
};

/// The properties of a level that conjugate gradients and the V-cycle need.
struct PlainLevel {
  std::int64_t rows = 0;
  std::int64_t columns = 0;                ///< rows and columns of other ranks
  const std::int32_t* fine_row = nullptr;  ///< row of the finer level; null on the finest
  std::vector<ListNeighbour> neighbours = {};
};

/// Conjugate gradients and the textbook V-cycle: smooth, compute the residual, restrict it,
/// correct, smooth. Derived classes provide the products and the smoother.
class PlainCudaCg : public CudaBackend {
 public:
  /// Collective. The memory of `fine_row` must outlive this object. If rows are not in their
  /// natural order, `new_of` has the position of each and must outlive this object too.
  PlainCudaCg(const BackendSetup& setup, std::vector<PlainLevel> levels,
              const std::int32_t* new_of = nullptr);

  void start() override;
  void precondition(bool multigrid) override;
  void update_direction(bool first) override;
  void multiply() override;
  void update_solution() override;
  std::vector<double> apply(Operation operation, const std::vector<double>& x) override;
  std::vector<double> solution() override { return natural(x_.data()); }
  std::vector<double> recurrence_residual() override { return natural(r_.data()); }
  [[nodiscard]] Transport transport() const override { return exchanges_.front()->transport(); }

 protected:
  [[nodiscard]] const PlainLevel& level(std::size_t n) const { return levels_[n]; }
  [[nodiscard]] std::size_t level_count() const { return levels_.size(); }
  [[nodiscard]] ListExchange<double>& exchange_of(std::size_t n) const { return *exchanges_[n]; }

  /// As many elements as the level has columns; free for use within one product or smoothing.
  [[nodiscard]] double* scratch(std::size_t n) const { return scratch_[n].data(); }

  /// Exchanges the columns of other ranks.
  void exchange(std::size_t n, double* x) const { exchanges_[n]->exchange(x); }

 private:
  /// Queues y = A x; the columns of other ranks have not been exchanged yet.
  virtual void multiply_by(std::size_t n, double* x, double* y) = 0;

  /// Queues one symmetric sweep on A x = r; the columns of other ranks have not been exchanged yet.
  virtual void smooth(std::size_t n, const double* r, double* x) = 0;

  /// The same from x = 0, whatever x holds.
  virtual void smooth_from_zero(std::size_t n, const double* r, double* x) = 0;

  void cycle(std::size_t n, const double* r, double* x);
  [[nodiscard]] std::vector<double> natural(const double* x) const {
    return in_natural_order(x, new_of_, rows_);
  }

  std::vector<PlainLevel> levels_;
  const std::int32_t* new_of_;
  std::vector<std::unique_ptr<ListExchange<double>>> exchanges_;
  std::vector<Buffer<double>> scratch_;
  std::vector<Buffer<double>> coarse_x_;  ///< of coarse levels
  std::vector<Buffer<double>> coarse_r_;
};

}  // namespace bankfull::hpcg::cuda
