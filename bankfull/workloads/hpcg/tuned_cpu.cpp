#include "bankfull/workloads/hpcg/coloured_level.hpp"
#include "bankfull/workloads/hpcg/cpu/backend.hpp"
#include "bankfull/workloads/hpcg/cpu/coarse_columns.hpp"
#include "bankfull/workloads/hpcg/cpu/half_sweeps.hpp"
#include "bankfull/workloads/hpcg/cpu/slices.hpp"
#include "bankfull/workloads/hpcg/cycle.hpp"
#include "bankfull/workloads/hpcg/rows.hpp"
#include "bankfull/workloads/hpcg/step_times.hpp"

namespace bankfull::hpcg::cpu {
namespace {

/// The elements of a level's vectors, as steps go through them: class by class, then those of other
/// ranks.
std::vector<Range> elements_of(const ColouredLevel& level) {
  std::vector<Range> elements = level.classes_of_slices(1);
  elements.push_back({level.rows(), level.vector_size()});
  return elements;
}

/// Vectors of one level, in the order of its colours.
struct LevelVectors {
  const double* r = nullptr;
  double* x = nullptr;
  Buffer<double> own_r = {};  ///< of coarse levels
  Buffer<double> own_x = {};
  Buffer<double> upper = {};  ///< U x of the sweep before
};

/// Time stamps between steps, which the calling thread completes.
class ClockMarks {
 public:
  void restart() {
    watch_.restart();
    passed_.assign(1, 0.0);
  }
  void set() { passed_.push_back(watch_.seconds()); }
  [[nodiscard]] double seconds_before(std::size_t n) const { return passed_[n + 1] - passed_[n]; }

 private:
  Stopwatch watch_;
  std::vector<double> passed_;
};

/// Rows by colours in slices of one pack, half sweeps, fused vector operations.
template <class Columns>
class CpuTuned final : public CpuBackend {
 public:
  CpuTuned(const Problem& problem, const Communicator& ranks, const std::vector<Level>& levels,
           std::vector<ColouredLevel> coloured)
      : CpuBackend(problem, ranks, coloured.front().rows(), elements_of(coloured.front())),
        wanted_columns_(problem.columns),
        set_up_(levels),
        levels_(std::move(coloured)),
        vectors_(levels_.size()) {
    for (std::size_t n = 0; n < levels_.size(); ++n) {
      const std::vector<Range> elements = elements_of(levels_[n]);
      vectors_[n].upper = make_vector(executor_, elements);
      if (n > 0) {
        vectors_[n].own_r = make_vector(executor_, elements);
        vectors_[n].own_x = make_vector(executor_, elements);
        vectors_[n].r = vectors_[n].own_r.data();
        vectors_[n].x = vectors_[n].own_x.data();
      }
      exchanges_.push_back(make_list_exchange<double>(
          ListSetup{ranks, levels_[n].neighbours, problem.transport}, team()));
    }
    CpuTuned::exaggerate_diagonal(false);
  }

  void exaggerate_diagonal(bool exaggerated) override {
    const Level& stored = set_up_.front();
    const ColouredLevel& level = levels_.front();
    executor_.each(rows_, LoadNewRow{stored.geometry.grid, stored.matrix.view(),
                                     stored.right_hand.data(), level.order.old_of.data(),
                                     level.diagonal.data(), b_.data(), exaggerated});
  }

  void start() override {
    alpha_ = 0.0;
    rr_ = 0.0;
    each_row([x = x_.data(), p = p_.data()](std::int64_t n) { x[n] = p[n] = 0.0; });
    multiply();
    timed(&CgTimes::waxpby, [&] {
      each_row(
          [r = r_.data(), b = b_.data(), ap = ap_.data()](std::int64_t n) { r[n] = b[n] - ap[n]; });
    });
    timed(&CgTimes::ddot, [&] { rr_ = sum_over_ranks(dot(team(), r_.data(), r_.data(), rows_)); });
  }

  void precondition(bool multigrid) override {
    timed(&CgTimes::mg, [&] {
      if (multigrid) {
        cycle(r_.data(), z_.data());
      } else {
        each_row([r = r_.data(), z = z_.data()](std::int64_t n) { z[n] = r[n]; });
        product_ = dot(team(), r_.data(), z_.data(), rows_);
      }
    });
    finish_precondition();
  }

  static Products products() { return Products::direct; }

  static bool product_apart() { return true; }

  /// For profiles.
  static bool updates_r_in_cycle() { return false; }
  template <class After>
  void cycle_steps(const After& after) {
    half_sweep_cycle(*this, 0, after);
  }

  /// r.z of all ranks.
  void finish_precondition() {
    previous_rz_ = rz_;
    timed(&CgTimes::ddot, [&] { rz_ = sum_over_ranks(product_); });
  }

  /// The update of x is deferred to this pass, which reads p anyway; x is not needed in between.
  void update_direction(bool first) override {
    const double beta = first ? 0.0 : rz_ / previous_rz_;
    timed(&CgTimes::waxpby, [&] {
      each_row([=, alpha = alpha_, x = x_.data(), p = p_.data(), z = z_.data()](std::int64_t n) {
        update_direction_row(alpha, beta, z, x, p, n);
      });
    });
    alpha_ = 0.0;
  }

  void multiply() override {
    double mine = 0.0;
    timed(&CgTimes::spmv, [&] { mine = multiply_by(p_.data(), ap_.data()); });
    timed(&CgTimes::ddot, [&] { pap_ = sum_over_ranks(mine); });
  }

  void update_solution() override {
    alpha_ = rz_ / pap_;
    double mine = 0.0;
    timed(&CgTimes::waxpby, [&] { mine = subtract(r_.data(), alpha_, ap_.data()); });
    timed(&CgTimes::ddot, [&] { rr_ = sum_over_ranks(mine); });
  }

  void finish() override {
    timed(&CgTimes::waxpby, [&] {
      each_row(
          [alpha = alpha_, x = x_.data(), p = p_.data()](std::int64_t n) { x[n] += alpha * p[n]; });
    });
    alpha_ = 0.0;
  }

  std::vector<double> apply(Operation operation, const std::vector<double>& x) override {
    auto from = make_vector(executor_, levels_.front().vector_size());
    auto to = make_vector(executor_, levels_.front().vector_size());
    const std::int32_t* const new_of = levels_.front().order.new_of.data();
    executor_.each(static_cast<std::int64_t>(x.size()),
                   [new_of, natural = x.data(), coloured = from.data()](std::int64_t n) {
                     coloured[new_of[n]] = natural[n];
                   });
    if (operation == Operation::spmv) {
      multiply_by(from.data(), to.data());
    } else {
      cycle(from.data(), to.data());
    }
    return in_natural_order(to.data());
  }

  std::vector<double> solution() override { return in_natural_order(x_.data()); }
  std::vector<double> recurrence_residual() override { return in_natural_order(r_.data()); }

  std::vector<Step> profile(int repeats) override {
    return profile_iterations<slice_height>(*this, executor_, levels_, ranks_, ClockMarks(),
                                            repeats);
  }

  [[nodiscard]] std::int64_t added_bytes() const override { return bytes_of(levels_); }

  [[nodiscard]] ColumnIndices columns() const override { return column_indices_of<Columns>; }

  [[nodiscard]] std::vector<std::string> notes() const override {
    return half_sweep_notes<Columns>(wanted_columns_);
  }

  // The half sweeps, for half_sweep_cycle.

  [[nodiscard]] std::size_t level_count() const { return levels_.size(); }

  void forward_from_zero(std::size_t level) {
    sweep(level, Direction::forward,
          [a = view_of(level)](std::int64_t slice) { forward_slice_from_zero(a, slice); });
  }

  void backward_after_zero(std::size_t level) {
    sweep(level, Direction::backward,
          [a = view_of(level)](std::int64_t slice) { backward_slice_after_zero(a, slice); });
  }

  void restrict_residual(std::size_t level) {
    exchanges_[level]->exchange(vectors_[level].x);
    const Range rows = levels_[level].coarse_range();
    const std::int64_t first = rows.begin / slice_height;
    executor_.each(rows.size() / slice_height,
                   [a = view_of(level), first](std::int64_t n) { restrict_slice(a, first + n); });
  }

  /// x += P e.
  void prolong(std::size_t level) {
    executor_.each(levels_[level].coarse_range().size(),
                   [a = view_of(level)](std::int64_t n) { prolong_row(a, n); });
    exchanges_[level]->exchange(vectors_[level].x);
  }

  void forward_again(std::size_t level) {
    sweep(level, Direction::forward,
          [a = view_of(level)](std::int64_t slice) { forward_slice_again(a, slice); });
  }

  /// On the finest level it also computes the rank's part of r.x.
  void backward_again(std::size_t level) {
    const auto a = view_of(level);
    if (level == 0) {
      product_ = sweep_summing(
          level, [a](std::int64_t slice) { return backward_slice_again_with_product(a, slice); });
    } else {
      sweep(level, Direction::backward,
            [a](std::int64_t slice) { backward_slice_again(a, slice); });
    }
  }

 private:
  enum class Direction { forward, backward };

  [[nodiscard]] LevelView<SlicedView<Columns>, SlicedView<FullColumns>, SlotRange, std::int32_t,
                          double>
  view_of(std::size_t number) {
    const ColouredLevel& level = levels_[number];
    const bool has_coarser = number + 1 < levels_.size();
    return {.lower = sliced_view<Columns>(level.lower),
            .upper = sliced_view<Columns>(level.upper),
            .coarse = sliced_view<Columns>(level.coarse_upper),
            .outer = level.outer.full_view(),
            .diagonal = level.diagonal.data(),
            .r = vectors_[number].r,
            .x = vectors_[number].x,
            .u = vectors_[number].upper.data(),
            .coarse_slots = level.coarse_slots.data(),
            .coarse_begin = level.coarse_range().begin,
            .coarse_row = level.coarse_row.data(),
            .coarse_r = has_coarser ? vectors_[number + 1].own_r.data() : nullptr,
            .coarse_x = has_coarser ? vectors_[number + 1].x : nullptr};
  }

  void cycle(const double* r, double* z) {
    vectors_.front().r = r;
    vectors_.front().x = z;
    half_sweep_cycle(*this);
  }

  /// body(slice) for all slices, class by class.
  template <class Body>
  void sweep(std::size_t level, Direction direction, Body body) {
    const std::vector<Range> classes = levels_[level].classes_of_slices(slice_height);
    const std::size_t count = classes.size();
#pragma omp parallel num_threads(team().threads())
    for (std::size_t n = 0; n < count; ++n) {
      for_my_slices(classes[direction == Direction::forward ? n : count - 1 - n], body);
#pragma omp barrier
    }
  }

  /// Backward, adding up what body returns.
  template <class Body>
  double sweep_summing(std::size_t level, Body body) {
    const std::vector<Range> classes = levels_[level].classes_of_slices(slice_height);
    return sum_over_team(team(), [&] {
      Doubles sum = Doubles::broadcast(0.0);
      for (std::size_t n = classes.size(); n > 0; --n) {
        for_my_slices(classes[n - 1], [&](std::int64_t slice) { sum = sum + body(slice); });
#pragma omp barrier
      }
      return sum.total();
    });
  }

  template <class Body>
  static void for_my_slices(const Range& slices, const Body& body) {
    const Range mine = my_share(slices.size());
    for (std::int64_t n = mine.begin; n < mine.end; ++n) {
      body(slices.begin + n);
    }
  }

  /// body(row) for the rows of the finest level, each on the thread that sweeps it.
  template <class Body>
  void each_row(Body body) const {
    executor_.each_in(levels_.front().classes_of_slices(1), body);
  }

  /// y = A x; returns the rank's part of x.y.
  double multiply_by(double* x, double* y) {
    exchanges_[0]->exchange(x);
    auto a = view_of(0);
    a.x = x;
    return sum_slices([=](std::int64_t slice) { return multiply_slice(a, slice, y); });
  }

  /// r -= alpha ap; returns the rank's part of r.r.
  double subtract(double* r, double alpha, const double* ap) {
    const Doubles factor = Doubles::broadcast(-alpha);
    return sum_slices(
        [=](std::int64_t slice) { return update_residual_slice(factor, ap, r, slice); });
  }

  /// Sum of body(slice) over all slices of the finest level, each on the thread that sweeps it.
  template <class Body>
  double sum_slices(Body body) {
    const std::vector<Range> classes = levels_.front().classes_of_slices(slice_height);
    return sum_over_team(team(), [&] {
      Doubles sum = Doubles::broadcast(0.0);
      for (const Range& slices : classes) {
        for_my_slices(slices, [&](std::int64_t slice) { sum = sum + body(slice); });
      }
      return sum.total();
    });
  }

  std::vector<double> in_natural_order(const double* x) const {
    const std::int32_t* const new_of = levels_.front().order.new_of.data();
    std::vector<double> values(levels_.front().order.new_of.size());
    executor_.each(static_cast<std::int64_t>(values.size()),
                   [=, natural = values.data()](std::int64_t n) { natural[n] = x[new_of[n]]; });
    return values;
  }

  ColumnIndices wanted_columns_;
  const std::vector<Level>& set_up_;
  std::vector<ColouredLevel> levels_;
  std::vector<LevelVectors> vectors_;
  std::vector<std::unique_ptr<ListExchange<double>>> exchanges_;
  double alpha_ = 0.0;    ///< of the update of x that is still to be done
  double product_ = 0.0;  ///< r.z of this rank, from the last sweep
};

}  // namespace

std::unique_ptr<CgBackend> make_tuned_backend(const Problem& problem, const Communicator& ranks,
                                              const std::vector<Level>& levels) {
  const CpuExecutor executor(problem.threads);
  auto coloured = colour_levels<slice_height>(
      executor, levels, [](const Level& /*level*/) { return std::int64_t{slice_height}; },
      Boundary::among);
  const bool slim =
      problem.columns == ColumnIndices::slim && make_slim<slice_height>(executor, ranks, coloured);
  copy_coarse_slots<slice_height>(executor, coloured);
  if (!slim) {
    for (ColouredLevel& level : coloured) {
      level.lower.base = {};
      level.upper.base = {};
    }
  }
  if (slim) {
    return std::make_unique<CpuTuned<SlimColumns>>(problem, ranks, levels, std::move(coloured));
  }
  return std::make_unique<CpuTuned<FullColumns>>(problem, ranks, levels, std::move(coloured));
}

}  // namespace bankfull::hpcg::cpu
