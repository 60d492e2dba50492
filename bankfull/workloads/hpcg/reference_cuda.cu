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

  /// `relaxed` of one row. All values are loaded together, so that the latencies of loads do not
  /// add up along a chain of dependent rows.
  class Row {
   public:
    __device__ __forceinline__ void begin(const Relax& sweep, std::int64_t row) {
      row_ = row;
      first_ = sweep.matrix.start[row];
      count_ = static_cast<int>(sweep.matrix.start[row + 1] - first_);
      unrolled<max_entries>([&](int n) {
        column_[n] = n < count_ ? sweep.matrix.column[first_ + n] : static_cast<std::int32_t>(row);
      });
      unrolled<max_entries>([&](int n) {
        const bool early = column_[n] < sweep.matrix.rows && earlier(column_[n], row);
        if (early) {
          awaited_.add(n);
        }
        x_[n] = early || column_[n] == row ? 0.0 : sweep.before[column_[n]];
      });
    }

    __device__ __forceinline__ bool attempt(const Relax& sweep) {
      // Waiting threads poll with one load each; more would slow down the threads that they wait
      // for.
      if (!awaited_.empty() && !is_there(load(sweep.now + column(awaited_.last())))) {
        return false;
      }
      unrolled<max_entries>([&](int n) {
        if (awaited_.holds(n)) {
          x_[n] = load(sweep.now + column_[n]);
        }
      });
      unrolled<max_entries>([&](int n) {
        if (is_there(x_[n])) {
          awaited_.remove(n);
        }
      });
      if (!awaited_.empty()) {
        return false;
      }
      *static_cast<volatile double*>(sweep.now + row_) = value(sweep);
      return true;
    }

   private:
    __device__ static bool earlier(std::int32_t column, std::int64_t row) {
      return Order == RowOrder::ascending ? column < row : column > row;
    }

    __device__ static double load(const double* at) {
      return *static_cast<const volatile double*>(at);
    }

    [[nodiscard]] __device__ __forceinline__ std::int32_t column(int entry) const {
      std::int32_t found = 0;
      unrolled<max_entries>([&](int n) { found = n == entry ? column_[n] : found; });
      return found;
    }

    __device__ static bool is_there(double value) {
      return static_cast<unsigned long long>(__double_as_longlong(value)) != awaited;
    }

    __device__ __forceinline__ double value(const Relax& sweep) const {
      double sum = sweep.r[row_];
      double diagonal = 1.0;
      unrolled<max_entries>([&](int n) {
        if (n < count_ && column_[n] == row_) {
          diagonal = sweep.matrix.value[first_ + n];
        } else if (n < count_) {
          sum -= sweep.matrix.value[first_ + n] * x_[n];
        }
      });
      return sum / diagonal;
    }

    std::int64_t row_ = 0;
    std::int64_t first_ = 0;
    int count_ = 0;
    std::int32_t column_[max_entries] = {};
    double x_[max_entries] = {};
    AwaitedEntries awaited_;
  };
};

/// The benchmark as specified, a few rows per thread: sweeps in natural order, whose rows wait for
/// each other.
class CudaReference final : public PlainCudaCg {
 public:
  explicit CudaReference(const BackendSetup& setup)
      : PlainCudaCg(setup, plain_levels(setup.levels)),
        set_up_(setup.levels),
        diagonal_(executor_.make<double>(rows_)),
        tickets_(MemorySpace::device, 1) {
    for (const Level& level : set_up_) {
      runs_.push_back(find_row_runs(executor_, level.matrix.view()));
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
