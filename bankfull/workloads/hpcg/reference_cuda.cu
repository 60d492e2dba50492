#include "bankfull/core/base/unrolled.hpp"
#include "bankfull/numerics/sparse/row_order.cuh"
#include "bankfull/workloads/hpcg/cuda/path.cuh"
#include "bankfull/workloads/hpcg/rows.hpp"

namespace bankfull::hpcg::cuda {
namespace {

/// Bits of a value that no sweep can form: "not there yet".
constexpr unsigned long long awaited = ~0ULL;

/// `relaxed`, given x(column) of the other columns, all of which are asked for before any is used:
/// rows that wait for each other must not wait for one load after the other.
template <class ValueOf>
__device__ __forceinline__ double relaxed_at_once(const CsrView& matrix, std::int64_t row,
                                                  double right_hand, const ValueOf& value_of) {
  const std::int64_t first = matrix.start[row];
  const int count = static_cast<int>(matrix.start[row + 1] - first);
  std::int32_t column[most_entries] = {};
  double x[most_entries] = {};
  unrolled<most_entries>([&](int n) { column[n] = n < count ? matrix.column[first + n] : 0; });
  unrolled<most_entries>(
      [&](int n) { x[n] = n < count && column[n] != row ? value_of(column[n]) : 0.0; });
  double sum = right_hand;
  double diagonal = 1.0;
  unrolled<most_entries>([&](int n) {
    if (n < count && column[n] == row) {
      diagonal = matrix.value[first + n];
    } else if (n < count) {
      sum -= matrix.value[first + n] * x[n];
    }
  });
  return sum / diagonal;
}

/// One row of a sweep. Values of rows that come earlier in the sweep are taken from `now`, where
/// they appear in place of `awaited`; others from `before`.
template <RowOrder Order>
struct RelaxRow {
  CsrView matrix;
  const double* r;
  const double* before;
  double* now;

  __device__ static bool earlier(std::int32_t column, std::int64_t row) {
    return Order == RowOrder::ascending ? column < row : column > row;
  }

  __device__ static double load(const double* at) {
    return *static_cast<const volatile double*>(at);
  }

  __device__ static bool is_there(double value) {
    return static_cast<unsigned long long>(__double_as_longlong(value)) != awaited;
  }

  __device__ bool operator()(std::int64_t row) const {
    bool ready = true;
    const double value = relaxed_at_once(matrix, row, r[row], [&](std::int32_t column) {
      if (column >= matrix.rows || !earlier(column, row)) {
        return before[column];
      }
      const double there = load(now + column);
      ready = ready && is_there(there);
      return there;
    });
    if (ready) {
      *static_cast<volatile double*>(now + row) = value;
    }
    return ready;
  }
};

struct MultiplyRow {
  CsrView matrix;
  const double* x;
  double* y;
  __device__ void operator()(std::int64_t row) const { y[row] = row_times(matrix, row, x); }
};

struct Waxpby {
  double alpha;
  const double* x;
  double beta;
  const double* y;
  double* w;
  __device__ void operator()(std::int64_t n) const { w[n] = alpha * x[n] + beta * y[n]; }
};

struct Turn {
  const Scalars* scalars;
  bool first;
  const double* z;
  double* p;
  __device__ void operator()(std::int64_t n) const {
    p[n] = first ? z[n] : z[n] + scalars->beta() * p[n];
  }
};

struct Advance {
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

/// The benchmark as its specification words it, a thread for some rows: sweeps in natural order,
/// whose rows wait for each other.
class CudaReference final : public CudaPath {
 public:
  CudaReference(const Problem& problem, const Communicator& ranks, const Stream& stream,
                const std::vector<Level>& levels)
      : CudaPath(problem, ranks, stream, levels.front().matrix.rows,
                 levels.front().matrix.columns),
        levels_(levels),
        tickets_(MemorySpace::device, 1) {
    for (const Level& level : levels_) {
      exchanges_.push_back(make_list_exchange<double>(
          ListSetup{ranks, level.geometry.neighbours, problem.transport}, stream));
      scratch_.push_back(make_vector(level.matrix.columns));
      coarse_x_.push_back(make_vector(level.matrix.columns));
      coarse_r_.push_back(make_vector(level.matrix.columns));
    }
    CudaReference::exaggerate_diagonal(false);
    executor_.synchronize();
  }

  void exaggerate_diagonal(bool exaggerated) override {
    const Level& level = levels_.front();
    executor_.each(rows_, LoadRow{level.geometry.grid, level.matrix.view(),
                                  level.matrix.value.data(), b_.data(), exaggerated});
  }

  void start() override {
    times_.begin(stream());
    executor_.fill(x_.data(), rows_, 0.0);
    executor_.fill(p_.data(), rows_, 0.0);
    multiply_by(0, p_.data(), ap_.data());
    times_.mark(stream(), &CgTimes::spmv);
    executor_.each(rows_, Waxpby{1.0, b_.data(), -1.0, ap_.data(), r_.data()});
    times_.mark(stream(), &CgTimes::waxpby);
    queue_dot(r_.data(), r_.data(), rows_, &scalars_.data()->rr);
  }

  void precondition(bool multigrid) override {
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

  void turn(bool first) override {
    times_.begin(stream());
    executor_.each(rows_, Turn{scalars_.data(), first, z_.data(), p_.data()});
    times_.mark(stream(), &CgTimes::waxpby);
  }

  void multiply() override {
    times_.begin(stream());
    multiply_by(0, p_.data(), ap_.data());
    times_.mark(stream(), &CgTimes::spmv);
    queue_dot(p_.data(), ap_.data(), rows_, &scalars_.data()->pap);
  }

  void advance() override {
    times_.begin(stream());
    executor_.each(rows_, Advance{scalars_.data(), p_.data(), ap_.data(), x_.data(), r_.data()});
    times_.mark(stream(), &CgTimes::waxpby);
    queue_dot(r_.data(), r_.data(), rows_, &scalars_.data()->rr);
  }

  std::vector<double> apply(Operation operation, const std::vector<double>& x) override {
    const std::int64_t size = levels_.front().matrix.columns;
    const auto from = make_vector(size);
    const auto to = make_vector(size);
    executor_.from_host(x, from.data());
    operation == Operation::spmv ? multiply_by(0, from.data(), to.data())
                                 : cycle(0, from.data(), to.data());
    return executor_.to_host(to.data(), rows_);
  }

  std::vector<double> solution() override { return executor_.to_host(x_.data(), rows_); }
  [[nodiscard]] std::int64_t added_bytes() const override { return 0; }
  [[nodiscard]] Transport transport() const override { return exchanges_.front()->transport(); }

 private:
  void exchange(std::size_t level, double* x) {
    exchanges_[level]->start(x);
    exchanges_[level]->finish();
  }

  void multiply_by(std::size_t level, double* x, double* y) {
    exchange(level, x);
    const CsrView matrix = levels_[level].matrix.view();
    executor_.each(matrix.rows, MultiplyRow{matrix, x, y});
  }

  template <RowOrder Order>
  void half_smooth(std::size_t level, const double* r, const double* before, double* now) {
    const CsrView matrix = levels_[level].matrix.view();
    fill_bytes(now, 0xff, static_cast<std::size_t>(matrix.rows) * sizeof(double), stream());
    in_row_order(stream(), matrix.rows, Order, tickets_.data(),
                 RelaxRow<Order>{matrix, r, before, now});
  }

  void smooth(std::size_t level, const double* r, double* x) {
    exchange(level, x);
    double* const between = scratch_[level].data();
    half_smooth<RowOrder::ascending>(level, r, x, between);
    // The backward sweep needs the columns of other ranks beside the forward sweep's result.
    const Csr& matrix = levels_[level].matrix;
    copy_bytes(between + matrix.rows, x + matrix.rows,
               static_cast<std::size_t>(matrix.columns - matrix.rows) * sizeof(double), stream());
    half_smooth<RowOrder::descending>(level, r, between, x);
  }

  void cycle(std::size_t level, const double* r, double* x) {
    executor_.fill(x, levels_[level].matrix.columns, 0.0);
    smooth(level, r, x);
    if (level + 1 == levels_.size()) {
      return;
    }
    double* const product = scratch_[level].data();
    double* const coarse_r = coarse_r_[level + 1].data();
    double* const coarse_x = coarse_x_[level + 1].data();
    const std::int32_t* const fine_row = levels_[level + 1].fine_row.data();
    const std::int64_t coarse_rows = levels_[level + 1].matrix.rows;
    multiply_by(level, x, product);
    executor_.each(coarse_rows, RestrictRow{fine_row, r, product, coarse_r});
    cycle(level + 1, coarse_r, coarse_x);
    executor_.each(coarse_rows, ProlongRow{fine_row, coarse_x, x});
    smooth(level, r, x);
  }

  const std::vector<Level>& levels_;
  std::vector<std::unique_ptr<ListExchange<double>>> exchanges_;
  std::vector<Buffer<double>> scratch_;
  std::vector<Buffer<double>> coarse_x_;
  std::vector<Buffer<double>> coarse_r_;
  Buffer<unsigned> tickets_;
};

}  // namespace

std::unique_ptr<Path> make_reference_path(const Problem& problem, const Communicator& ranks,
                                          const Stream& stream,
                                          const std::vector<Level>& levels) {
  return std::make_unique<CudaReference>(problem, ranks, stream, levels);
}

}  // namespace bankfull::hpcg::cuda
