#include "bankfull/numerics/sparse/ordered_rows.hpp"
#include "bankfull/workloads/hpcg/cpu/backend.hpp"
#include "bankfull/workloads/hpcg/cpu/team_or_one.hpp"
#include "bankfull/workloads/hpcg/rows.hpp"

namespace bankfull::hpcg::cpu {
namespace {

/// The benchmark as specified: rows in natural order, and in sweeps each after those before it.
class CpuReference final : public CpuBackend {
 public:
  CpuReference(const Problem& problem, const Communicator& ranks, const std::vector<Level>& levels)
      : CpuBackend(problem, ranks, levels.front().matrix.rows,
                   {{0, levels.front().matrix.columns}}),
        levels_(levels),
        diagonal_(executor_.make<double>(rows_)) {
    for (const Level& level : levels_) {
      exchanges_.push_back(make_list_exchange<double>(
          ListSetup{ranks, level.geometry.neighbours, problem.transport}, team()));
      products_.push_back(make_vector(executor_, level.matrix.columns));
      // Those of the finest level are the caller's.
      const std::int64_t coarse = coarse_x_.empty() ? 0 : level.matrix.columns;
      coarse_x_.push_back(make_vector(executor_, coarse));
      coarse_r_.push_back(make_vector(executor_, coarse));
    }
    executor_.each(rows_, ReadDiagonal{levels_.front().matrix.view(), diagonal_.data()});
    CpuReference::exaggerate_diagonal(false);
  }

  void exaggerate_diagonal(bool exaggerated) override {
    const Level& level = levels_.front();
    executor_.each(
        rows_, LoadRow{level.geometry.grid, level.matrix.view(), diagonal_.data(),
                       level.right_hand.data(), level.matrix.value.data(), b_.data(), exaggerated});
  }

  void start() override {
    plan_sweeps();
    executor_.fill(x_.data(), rows_, 0.0);
    executor_.fill(p_.data(), rows_, 0.0);
    timed(&CgTimes::spmv, [&] { multiply_by(0, p_.data(), ap_.data()); });
    timed(&CgTimes::waxpby, [&] { waxpby(1.0, b_.data(), -1.0, ap_.data(), r_.data()); });
    rr_ = dot_product(r_.data(), r_.data());
  }

  void precondition(bool multigrid) override {
    timed(&CgTimes::mg, [&] {
      if (multigrid) {
        cycle(0, r_.data(), z_.data());
      } else {
        waxpby(1.0, r_.data(), 0.0, r_.data(), z_.data());
      }
    });
    previous_rz_ = rz_;
    rz_ = dot_product(r_.data(), z_.data());
  }

  void update_direction(bool first) override {
    const double beta = first ? 0.0 : rz_ / previous_rz_;
    timed(&CgTimes::waxpby, [&] { waxpby(1.0, z_.data(), beta, p_.data(), p_.data()); });
  }

  void multiply() override {
    timed(&CgTimes::spmv, [&] { multiply_by(0, p_.data(), ap_.data()); });
    pap_ = dot_product(p_.data(), ap_.data());
  }

  void update_solution() override {
    const double alpha = rz_ / pap_;
    timed(&CgTimes::waxpby, [&] {
      waxpby(1.0, x_.data(), alpha, p_.data(), x_.data());
      waxpby(1.0, r_.data(), -alpha, ap_.data(), r_.data());
    });
    rr_ = dot_product(r_.data(), r_.data());
  }

  std::vector<double> apply(Operation operation, const std::vector<double>& x) override {
    auto from = make_vector(executor_, levels_.front().matrix.columns);
    auto to = make_vector(executor_, levels_.front().matrix.columns);
    executor_.from_host(x, from.data());
    if (operation == Operation::spmv) {
      multiply_by(0, from.data(), to.data());
    } else {
      plan_sweeps();
      cycle(0, from.data(), to.data());
    }
    return executor_.to_host(to.data(), rows_);
  }

  std::vector<double> solution() override { return executor_.to_host(x_.data(), rows_); }
  std::vector<double> recurrence_residual() override { return executor_.to_host(r_.data(), rows_); }
  [[nodiscard]] std::int64_t added_bytes() const override { return 0; }

 private:
  /// Only before the first sweep: products need no plan.
  void plan_sweeps() {
    for (std::size_t n = ordered_rows_.size(); n < levels_.size(); ++n) {
      ordered_rows_.emplace_back(executor_, levels_[n].matrix.view());
      sweepers_.emplace_back();
    }
  }

  double dot_product(const double* x, const double* y) {
    double sum = 0.0;
    timed(&CgTimes::ddot, [&] { sum = sum_over_ranks(dot(team(), x, y, rows_)); });
    return sum;
  }

  /// w = alpha x + beta y.
  void waxpby(double alpha, const double* x, double beta, const double* y, double* w) {
    executor_.each(rows_, [=](std::int64_t n) { w[n] = alpha * x[n] + beta * y[n]; });
  }

  void multiply_by(std::size_t level, double* x, double* y) {
    exchanges_[level]->exchange(x);
    const CsrView matrix = levels_[level].matrix.view();
    executor_.each(matrix.rows, [=](std::int64_t row) { y[row] = row_times(matrix, row, x); });
  }

  void smooth(std::size_t level, const double* r, double* x) {
    exchanges_[level]->exchange(x);
    const auto relax = [=, matrix = levels_[level].matrix.view()](std::int64_t row) {
      x[row] = relaxed(matrix, row, r[row], x);
    };
    OrderedRows& rows = ordered_rows_[level];
    const Stopwatch watch;
    if (sweepers_[level].is_for_team()) {
      rows.ascending(relax);
      rows.descending(relax);
    } else {
      rows.ascending_on_one_thread(relax);
      rows.descending_on_one_thread(relax);
    }
    sweepers_[level].took(watch.seconds());
  }

  /// One V-cycle from x = 0.
  void cycle(std::size_t level, const double* r, double* x) {
    executor_.fill(x, levels_[level].matrix.columns, 0.0);
    smooth(level, r, x);
    if (level + 1 == levels_.size()) {
      return;
    }
    double* const product = products_[level].data();
    double* const coarse_r = coarse_r_[level + 1].data();
    double* const coarse_x = coarse_x_[level + 1].data();
    const std::int32_t* const fine_row = levels_[level + 1].fine_row.data();
    const std::int64_t coarse_rows = levels_[level + 1].matrix.rows;
    multiply_by(level, x, product);
    executor_.each(coarse_rows,
                   [=](std::int64_t n) { coarse_r[n] = r[fine_row[n]] - product[fine_row[n]]; });
    cycle(level + 1, coarse_r, coarse_x);
    executor_.each(coarse_rows, [=](std::int64_t n) { x[fine_row[n]] += coarse_x[n]; });
    smooth(level, r, x);
  }

  const std::vector<Level>& levels_;
  Buffer<double> diagonal_;  ///< of the finest level, as the set-up stored it
  std::vector<OrderedRows> ordered_rows_;
  std::vector<TeamOrOne> sweepers_;  ///< of each level
  std::vector<std::unique_ptr<ListExchange<double>>> exchanges_;
  std::vector<Buffer<double>> products_;
  std::vector<Buffer<double>> coarse_x_;
  std::vector<Buffer<double>> coarse_r_;
};

}  // namespace

std::unique_ptr<CgBackend> make_reference_backend(const Problem& problem, const Communicator& ranks,
                                                  const std::vector<Level>& levels) {
  return std::make_unique<CpuReference>(problem, ranks, levels);
}

}  // namespace bankfull::hpcg::cpu
