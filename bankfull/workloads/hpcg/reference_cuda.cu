#include "bankfull/core/base/unrolled.hpp"
#include "bankfull/numerics/sparse/row_order.cuh"
#include "bankfull/workloads/hpcg/cuda/plain_cg.cuh"
#include "bankfull/workloads/hpcg/rows.hpp"

namespace bankfull::hpcg::cuda {
namespace {

/// Bits of a value that no sweep can produce: "not computed yet".
constexpr unsigned long long awaited = ~0ULL;

/// A sweep. Values of rows that come earlier in it are taken from `now`, where they appear in place
/// of `awaited`; others from `before`.
template <RowOrder Order>
struct Relax {
  CsrView matrix;
  const double* r;
  const double* before;
  double* now;

  /// One row; a lane has one of its entries.
  class Row {
   public:
    __device__ __forceinline__ void read(const Relax& sweep, std::int64_t row) {
      row_ = row;
      const std::int64_t first = sweep.matrix.start[row];
      const bool has_entry = order_lane() < sweep.matrix.start[row + 1] - first;
      column_ = has_entry ? sweep.matrix.column[first + order_lane()] : -1;
      entry_ = has_entry ? sweep.matrix.value[first + order_lane()] : 0.0;
      right_side_ = sweep.r[row];
      awaited_ = has_entry && column_ < sweep.matrix.rows && earlier(column_, row);
      x_ = has_entry && !awaited_ && column_ != row ? sweep.before[column_] : 0.0;
    }

    __device__ __forceinline__ void tell(std::int64_t row, double value) {
      if (column_ == row) {
        x_ = value;
        awaited_ = false;
      }
    }

    __device__ __forceinline__ double complete(const Relax& sweep) {
      while (on_any_lane(awaited_)) {
        if (awaited_) {
          x_ = *static_cast<const volatile double*>(sweep.now + column_);
          awaited_ = !is_there(x_);
        }
      }
      const double result = value();
      if (order_lane() == 0) {
        *static_cast<volatile double*>(sweep.now + row_) = result;
      }
      return result;
    }

   private:
    __device__ static bool earlier(std::int32_t column, std::int64_t row) {
      return Order == RowOrder::ascending ? column < row : column > row;
    }

    __device__ static bool is_there(double value) {
      return static_cast<unsigned long long>(__double_as_longlong(value)) != awaited;
    }

    /// `relaxed`, on all lanes: they subtract the terms of all in the order of the entries, which
    /// the bits depend on. Lanes without an entry, and that of the diagonal, have a term of 0.
    [[nodiscard]] __device__ __forceinline__ double value() const {
      __shared__ double2 of_block[order_warps][order_lanes];
      double2* const terms = of_block[threadIdx.x / order_lanes];
      const bool is_diagonal = column_ == row_;
      terms[order_lane()] = is_diagonal ? double2{0.0, 0.0} : double2{entry_, x_};
      const unsigned diagonal_lane = __ballot_sync(~0U, is_diagonal ? 1 : 0);
      const double diagonal =
          diagonal_lane == 0
              ? 1.0
              : __shfl_sync(~0U, entry_, 31 - __clz(static_cast<int>(diagonal_lane)));
      __syncwarp();
      double sum = right_side_;
      unrolled<max_entries>([&](int n) { sum -= terms[n].x * terms[n].y; });
      __syncwarp();
      return sum / diagonal;
    }

    std::int64_t row_ = 0;
    std::int32_t column_ = -1;
    bool awaited_ = false;
    double entry_ = 0.0;
    double right_side_ = 0.0;
    double x_ = 0.0;
  };
  static_assert(max_entries <= order_lanes, "a warp has all entries of a row at once");
};

/// The benchmark as specified: sweeps in natural order, whose rows wait for each other.
class CudaReference final : public PlainCudaCg {
 public:
  explicit CudaReference(const BackendSetup& setup)
      : PlainCudaCg(setup, plain_levels(setup.levels)),
        set_up_(setup.levels),
        diagonal_(executor_.make<double>(rows_)),
        tickets_(MemorySpace::device, 1) {
    for (const Level& level : set_up_) {
      runs_.push_back(find_runs_of_warps(executor_, level.matrix.view()));
    }
    executor_.each(rows_, ReadDiagonal{set_up_.front().matrix.view(), diagonal_.data()});
    CudaReference::exaggerate_diagonal(false);
    executor_.synchronize();
  }

  void exaggerate_diagonal(bool exaggerated) override {
    const Level& level = set_up_.front();
    executor_.each(
        rows_, LoadRow{level.geometry.grid, level.matrix.view(), diagonal_.data(),
                       level.right_hand.data(), level.matrix.value.data(), b_.data(), exaggerated});
  }

  [[nodiscard]] std::int64_t added_bytes() const override { return 0; }

 private:
  static std::vector<PlainLevel> plain_levels(const std::vector<Level>& levels) {
    std::vector<PlainLevel> plain;
    plain.reserve(levels.size());
    for (const Level& level : levels) {
      plain.push_back({.rows = level.matrix.rows,
                       .columns = level.matrix.columns,
                       .fine_row = level.fine_row.data(),
                       .neighbours = level.geometry.neighbours});
    }
    return plain;
  }

  void multiply_by(std::size_t level, double* x, double* y) override {
    exchange(level, x);
    const CsrView matrix = set_up_[level].matrix.view();
    executor_.each(matrix.rows, MultiplyRow{matrix, x, y});
  }

  template <RowOrder Order>
  void half_smooth(std::size_t level, const double* r, const double* before, double* now) {
    const CsrView matrix = set_up_[level].matrix.view();
    fill_bytes(now, 0xff, static_cast<std::size_t>(matrix.rows) * sizeof(double), stream());
    in_row_order(stream(), runs_[level], Order, tickets_.data(),
                 Relax<Order>{matrix, r, before, now});
  }

  /// The benchmark's own smoother does not exploit that x is 0.
  void smooth_from_zero(std::size_t level, const double* r, double* x) override {
    executor_.fill(x, set_up_[level].matrix.columns, 0.0);
    smooth(level, r, x);
  }

  void smooth(std::size_t level, const double* r, double* x) override {
    exchange(level, x);
    double* const between = scratch(level);
    half_smooth<RowOrder::ascending>(level, r, x, between);
    // The backward sweep needs the columns of other ranks beside the forward sweep's result.
    const Csr& matrix = set_up_[level].matrix;
    copy_bytes(between + matrix.rows, x + matrix.rows,
               static_cast<std::size_t>(matrix.columns - matrix.rows) * sizeof(double), stream());
    half_smooth<RowOrder::descending>(level, r, between, x);
  }

  const std::vector<Level>& set_up_;
  Buffer<double> diagonal_;  ///< of the finest level, as the set-up stored it
  std::vector<RowRuns> runs_;
  Buffer<unsigned> tickets_;
};

}  // namespace

std::unique_ptr<CgBackend> make_reference_backend(const BackendSetup& setup) {
  return std::make_unique<CudaReference>(setup);
}

}  // namespace bankfull::hpcg::cuda
