#include "bankfull/core/base/unrolled.hpp"
#include "bankfull/workloads/hpcg/cuda/variants/ell.hpp"
#include "bankfull/workloads/hpcg/cuda/variants/permuted_backend.cuh"

#include <algorithm>

namespace bankfull::hpcg::cuda {
namespace {

/// Calls body(column, value) for the entries of a row whose columns `takes` accepts; values of
/// others are not read. All columns are loaded before any is used.
template <class Takes, class Body>
__device__ __forceinline__ void for_entries(const EllView& matrix, std::int64_t row,
                                            const Takes& takes, const Body& body) {
  std::int32_t column[max_entries] = {};
  unrolled<max_entries>([&](int slot) { column[slot] = matrix.column[matrix.at(slot, row)]; });
  unrolled<max_entries>([&](int slot) {
    if (column[slot] != no_column && takes(column[slot])) {
      body(column[slot], matrix.value[matrix.at(slot, row)]);
    }
  });
}

enum class Guess { zero, given };

/// One row of a colour. Rows of a colour are independent, so the x that is loaded is not written at
/// the same time. From x = 0 only rows of earlier colours contribute, which precede this row.
template <Guess From>
struct RelaxColour {
  EllView matrix;
  std::int64_t begin;
  const double* r;
  double* x;
  __device__ void operator()(std::int64_t n) const {
    const std::int64_t row = begin + n;
    double sum = r[row];
    double diagonal = 1.0;
    for_entries(
        matrix, row, [&](std::int32_t column) { return From == Guess::given || column <= row; },
        [&](std::int32_t column, double value) {
          if (column == row) {
            diagonal = value;
          } else {
            sum -= value * __ldg(x + column);
          }
        });
    x[row] = sum / diagonal;
  }
};

/// (A x) of rows without columns of other ranks. For other rows it stores a partial result, which
/// MultiplyBoundary overwrites: distinguishing them would take more loads.
struct MultiplyInterior {
  EllView matrix;
  std::int64_t rows;
  const double* x;
  double* y;
  __device__ void operator()(std::int64_t row) const {
    double sum = 0.0;
    for_entries(
        matrix, row, [&](std::int32_t column) { return column < rows; },
        [&](std::int32_t column, double value) { sum += value * __ldg(x + column); });
    y[row] = sum;
  }
};

/// (A x) of the rows that a matrix of some rows has.
struct MultiplyBoundary {
  EllView matrix;
  ListedRows rows;
  const double* x;
  double* y;
  __device__ void operator()(std::int64_t n) const {
    double sum = 0.0;
    for_entries(
        matrix, n, [](std::int32_t /*column*/) { return true; },
        [&](std::int32_t column, double value) { sum += value * __ldg(x + column); });
    y[rows.at(n)] = sum;
  }
};

/// r -= alpha A p.
struct UpdateResidual {
  const Scalars* scalars;
  const double* ap;
  double* r;
  __device__ void operator()(std::int64_t n) const { r[n] -= scalars->alpha() * ap[n]; }
};

/// x += alpha p.
struct UpdateSolution {
  const Scalars* scalars;
  const double* p;
  double* x;
  __device__ void operator()(std::int64_t n) const { x[n] += scalars->alpha() * p[n]; }
};

/// The rows that other ranks need, each once: the pattern is symmetric, so these are the rows with
/// columns of other ranks.
std::vector<std::int32_t> boundary_rows(const PermutedLevel& level) {
  std::vector<std::int32_t> rows;
  for (const ListNeighbour& neighbour : level.neighbours) {
    rows.insert(rows.end(), neighbour.sent.begin(), neighbour.sent.end());
  }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

/// A level's matrix, and a copy of its boundary rows.
struct EllLevel {
  Ell matrix;
  Ell boundary;
  Buffer<std::int32_t> boundary_row = {};

  [[nodiscard]] ListedRows boundary_rows() const { return {boundary_row.data()}; }
  [[nodiscard]] std::int64_t bytes() const {
    return matrix.bytes() + boundary.bytes() + static_cast<std::int64_t>(boundary_row.bytes());
  }
};

EllLevel make_ell_level(const CudaExecutor& executor, const Csr& natural,
                        const PermutedLevel& order) {
  EllLevel level;
  const std::vector<std::int32_t> rows = boundary_rows(order);
  const auto count = static_cast<std::int64_t>(rows.size());
  level.boundary_row = executor.make<std::int32_t>(count);
  executor.from_host(rows, level.boundary_row.data());
  level.matrix = make_ell(executor, natural, order, order.rows, {});
  level.boundary = make_ell(executor, natural, order, count, level.boundary_rows());
  return level;
}

class EllBackend final : public PermutedBackend {
 public:
  explicit EllBackend(const BackendSetup& setup)
      : PermutedBackend(setup, colour_levels_by_hash(setup.executor, setup.levels)),
        aside_(setup.stream().device(), StreamPriority::low),
        executor_aside_(aside_) {
    for (std::size_t n = 0; n < setup.levels.size(); ++n) {
      levels_.push_back(make_ell_level(executor_, natural_matrix(n), order(n)));
    }
    EllBackend::exaggerate_diagonal(false);
    executor_.synchronize();
  }

  /// No other step needs x, so its update overlaps the dot product and its sum over ranks.
  void update_solution() override {
    times_.begin(stream());
    executor_.each(rows_, UpdateResidual{scalars_.data(), ap_.data(), r_.data()});
    times_.mark(stream(), &CgTimes::waxpby);
    residual_done_.record(stream());
    aside_.wait_for(residual_done_);
    executor_aside_.each(rows_, UpdateSolution{scalars_.data(), p_.data(), x_.data()});
    solution_done_.record(aside_);
    queue_dot(r_.data(), r_.data(), rows_, &scalars_.data()->rr);
    // The next step changes what the update reads.
    stream().wait_for(solution_done_);
    times_.mark(stream(), &CgTimes::waxpby);
  }

  [[nodiscard]] std::int64_t added_bytes() const override {
    std::int64_t bytes = 0;
    for (const EllLevel& level : levels_) {
      bytes += level.bytes();
    }
    return bytes;
  }

  [[nodiscard]] std::vector<std::string> notes() const override {
    return {"the update of x overlaps a dot product: WAXPBY counts only the rest"};
  }

 private:
  void take_diagonal(const double* diagonal) override {
    const EllLevel& finest = levels_.front();
    executor_.each(
        finest.matrix.rows,
        WriteEllDiagonal{finest.matrix.view(), {}, diagonal, finest.matrix.value.data()});
    executor_.each(finest.boundary.rows,
                   WriteEllDiagonal{finest.boundary.view(), finest.boundary_rows(), diagonal,
                                    finest.boundary.value.data()});
  }

  void multiply_by(std::size_t n, double* x, double* y) override {
    const EllLevel& level = levels_[n];
    exchange_of(n).start(x);
    executor_.each(level.matrix.rows,
                   MultiplyInterior{level.matrix.view(), level.matrix.rows, x, y});
    exchange_of(n).finish();
    executor_.each(level.boundary.rows,
                   MultiplyBoundary{level.boundary.view(), level.boundary_rows(), x, y});
  }

  template <Guess From>
  void relax(std::size_t n, const Range& rows, const double* r, double* x) {
    executor_.each(rows.size(), RelaxColour<From>{levels_[n].matrix.view(), rows.begin, r, x});
  }

  template <Guess From>
  void forward(std::size_t n, const double* r, double* x) {
    for (const Range& rows : order(n).colours) {
      relax<From>(n, rows, r, x);
    }
  }

  void backward(std::size_t n, const double* r, double* x) {
    const std::vector<Range>& colours = order(n).colours;
    for (auto rows = colours.rbegin(); rows != colours.rend(); ++rows) {
      relax<Guess::given>(n, *rows, r, x);
    }
  }

  void sweep(std::size_t n, const double* r, double* x) override {
    forward<Guess::given>(n, r, x);
    backward(n, r, x);
  }

  /// The forward sweep reads nothing that it has not written; the backward one needs the zeros of
  /// other ranks.
  void smooth_from_zero(std::size_t n, const double* r, double* x) override {
    executor_.fill(x + order(n).rows, order(n).columns - order(n).rows, 0.0);
    forward<Guess::zero>(n, r, x);
    backward(n, r, x);
  }

  Stream aside_;
  CudaExecutor executor_aside_;
  Event residual_done_;
  Event solution_done_;
  std::vector<EllLevel> levels_;
};

}  // namespace

std::unique_ptr<CgBackend> make_ell_backend(const BackendSetup& setup) {
  return std::make_unique<EllBackend>(setup);
}

}  // namespace bankfull::hpcg::cuda
