#include "bankfull/core/base/expects.hpp"
#include "bankfull/workloads/hpcg/cuda/coarse_columns.cuh"
#include "bankfull/workloads/hpcg/cuda/halve_values.cuh"
#include "bankfull/workloads/hpcg/cuda/product_parts.hpp"
#include "bankfull/workloads/hpcg/cuda/tuned_levels.cuh"
#include "bankfull/workloads/hpcg/cuda/tuned_sweeps.cuh"
#include "bankfull/workloads/hpcg/cuda/vectors.cuh"
#include "bankfull/workloads/hpcg/cycle.hpp"
#include "bankfull/workloads/hpcg/rows.hpp"
#include "bankfull/workloads/hpcg/step_times.hpp"

#include <algorithm>
#include <atomic>
#include <span>
#include <string>

namespace bankfull::hpcg::cuda {
namespace {

/// Marks in the work of a stream.
class EventMarks {
 public:
  explicit EventMarks(const Stream& stream) : stream_(stream) {}

  void restart() {
    used_ = 0;
    set();
  }
  void set() {
    if (used_ == events_.size()) {
      events_.emplace_back();
    }
    events_[used_++].record(stream_);
  }
  [[nodiscard]] double seconds_before(std::size_t n) const {
    return Event::seconds_between(events_[n], events_[n + 1]);
  }

 private:
  const Stream& stream_;
  std::size_t used_ = 0;
  std::vector<Event> events_;
};

/// Partial sums that kernels over so many rows leave: one per tile, and more, for those that deal
/// ranges divide them further only as long as a GPU runs most of their blocks at once, which are a
/// few thousand.
constexpr std::int64_t partial_sums(std::int64_t rows) {
  constexpr std::int64_t spare_sums = 16384;
  return rows / threads_per_block + spare_sums;
}

/// Rows by colours in slices of one warp, half sweeps, fused vector operations.
template <class Columns>
class CudaTuned final : public CudaBackend {
 public:
  CudaTuned(const BackendSetup& setup, std::vector<ColouredLevel> coloured,
            std::vector<ChunkPlan> plans, fused::Plan fused)
      : CudaBackend(setup, coloured.front().rows(), coloured.front().vector_size()),
        wanted_columns_(setup.problem.columns),
        wanted_sweeps_(setup.problem.sweeps),
        products_(setup.problem.products),
        set_up_(setup.levels),
        levels_(setup, std::move(coloured), std::move(plans), r_.data(), z_.data()),
        fused_(levels_, executor_, std::move(fused)),
        partials_(executor_.make<double>(partial_sums(rows_))),
        clock_(executor_.make<PartClock>(1)),
        sweeps_(levels_, fused_, executor_,
                {.partials = partials_.data(),
                 .sum = &scalars_.data()->rz,
                 .previous = &scalars_.data()->previous_rz},
                sum_of(0, &scalars_.data()->rr), sums_.partials()) {
    fill_bytes(partials_.data(), 0xff, partials_.bytes(), stream());
    fill_bytes(clock_.data(), 0, clock_.bytes(), stream());
    deal_ranges();
    // The diagonal came with the other entries.
    executor_.each(rows_, LoadNewRightHand{set_up_.front().right_hand.data(),
                                           levels_.finest().order.old_of.data(), b_.data()});
    levels_.set_update(
        {.r = r_.data(), .ap = ap_.data(), .scalars = scalars_.data(), .clock = clock_.data()});
    record_iteration();
    executor_.synchronize();
  }

  void exaggerate_diagonal(bool exaggerated) override {
    const Level& stored = set_up_.front();
    const ColouredLevel& level = levels_.finest();
    executor_.each(rows_, LoadNewRow{stored.geometry.grid, stored.matrix.view(),
                                     stored.right_hand.data(), level.order.old_of.data(),
                                     level.diagonal.data(), b_.data(), exaggerated});
  }

  void start() override {
    iteration_ = 0;
    recurs_ = false;
    stop_clock();
    r_is_behind_ = false;
    is_ahead_ = false;
    times_.begin(stream());
    fill_bytes(scalars_.data(), 0, scalars_.bytes(), stream());
    fill_bytes(x_.data(), 0, x_.bytes(), stream());
    fill_bytes(p_.data(), 0, p_.bytes(), stream());
    multiply_by(p_.data(), ap_.data());
    times_.mark(stream(), &CgTimes::spmv);
    const dim3 blocks = blocks_for(pairs());
    launch(stream(), {blocks, dim3(threads_per_block)}, first_residual_kernel, pairs(),
           pairs_of(b_), pairs_of(ap_), pairs_of(r_), sum_of(blocks.x, &scalars_.data()->rr));
    times_.mark(stream(), &CgTimes::waxpby);
    queue_sum_over_ranks(&scalars_.data()->rr);
  }

  void precondition(bool multigrid) override {
    times_.begin(stream());
    ++iteration_;
    recurs_ = multigrid && products_ == Products::recurrence && iteration_ % renewed != 0;
    if (multigrid && r_is_behind_) {
      iteration_work_.queue();
      note_update_of_cycle();
      is_ahead_ = true;
      return;
    }
    complete_residual();
    if (multigrid) {
      cycle_.queue();
      if (!updates_r_in_cycle()) {
        times_.mark(stream(), &CgTimes::mg);
      }
      finish_precondition();
      if (updates_r_in_cycle()) {
        times_.mark(stream(), &CgTimes::mg);
      }
    } else {
      keep_product();
      copy_bytes(z_.data(), r_.data(), static_cast<std::size_t>(rows_) * sizeof(double), stream());
      times_.mark(stream(), &CgTimes::mg);
      queue_dot(r_.data(), z_.data(), rows_, &scalars_.data()->rz);
    }
  }

  /// Whether anything is left to do for r.z after the last sweep.
  [[nodiscard]] bool product_apart() const { return ranks_.size() > 1 || leaves_partials(); }

  /// r.z of all ranks. Where iterations are queued as a whole its sum is a part of MG in all.
  void finish_precondition() {
    if (!leaves_partials()) {
      queue_sum_over_ranks(&scalars_.data()->rz);
      return;
    }
    keep_product();
    const auto tiles = static_cast<int>(rows_ / tile_rows);
    if (updates_r_in_cycle()) {
      sums_.queue(stream(), tiles, 1, &scalars_.data()->rz);
    } else {
      queue_sum(tiles, &scalars_.data()->rz);
    }
  }

  /// The update of x is deferred to this pass, which reads p anyway; x is not needed in between.
  /// By recurrence p is formed with A p.
  void update_direction(bool first) override {
    first_ = first;
    if (recurs_ || is_ahead_) {
      return;
    }
    times_.begin(stream());
    queue_direction(first);
    times_.mark(stream(), &CgTimes::waxpby);
  }

  void multiply() override {
    if (is_ahead_) {
      is_ahead_ = false;
      return;
    }
    times_.begin(stream());
    if (recurs_) {
      continue_product();
    } else {
      multiply_by(p_.data(), ap_.data());
    }
    times_.mark(stream(), &CgTimes::spmv);
    queue_sum_over_ranks(&scalars_.data()->pap);
  }

  /// Leaves r to the next cycle where that updates it, or to who asks for it first.
  void update_solution() override {
    r_is_behind_ = true;
    if (!updates_r_in_cycle()) {
      complete_residual();
    }
  }

  void finish() override {
    complete_residual();
    times_.begin(stream());
    launch(stream(), {blocks_for(pairs()), dim3(threads_per_block)}, catch_up_kernel, pairs(),
           scalars_.data(), pairs_of(p_), pairs_of(x_));
    times_.mark(stream(), &CgTimes::waxpby);
  }

  double squared_residual() override {
    complete_residual();
    return CudaBackend::squared_residual();
  }

  CgTimes take_times() override {
    CgTimes times = CudaBackend::take_times();
    if (clock_has_times_) {
      constexpr double nanosecond = 1e-9;
      const PartClock clock = executor_.to_host(clock_.data(), 1).front();
      const auto seconds = [&](PartClock::Part part) {
        return nanosecond * static_cast<double>(clock.nanoseconds[part]);
      };
      times.mg += seconds(PartClock::mg);
      times.waxpby += seconds(PartClock::waxpby);
      times.spmv += seconds(PartClock::spmv);
      fill_bytes(clock_.data()->nanoseconds, 0, sizeof(clock.nanoseconds), stream());
      clock_has_times_ = false;
    }
    return times;
  }

  std::vector<double> apply(Operation operation, const std::vector<double>& x) override {
    double* const from = operation == Operation::spmv ? p_.data() : r_.data();
    double* const to = operation == Operation::spmv ? ap_.data() : z_.data();
    complete_residual();
    load_natural(x, levels_.finest().order.new_of.data(), from);
    if (operation == Operation::spmv) {
      multiply_by(from, to);
    } else {
      cycle_.queue();
    }
    return natural(to);
  }

  std::vector<double> solution() override { return natural(x_.data()); }
  std::vector<double> recurrence_residual() override {
    complete_residual();
    return natural(r_.data());
  }

  [[nodiscard]] std::int64_t added_bytes() const override { return bytes_of(levels_.all()); }

  [[nodiscard]] Products products() const { return products_; }

  [[nodiscard]] Transport transport() const override { return levels_.exchange(0).transport(); }

  std::vector<Step> profile(int repeats) override {
    return profile_iterations<slice_height>(*this, executor_, levels_.all(), ranks_,
                                            EventMarks(stream()), repeats);
  }

  /// On one rank: on several r.r is summed up over them before the cycle begins.
  [[nodiscard]] bool updates_r_in_cycle() const {
    return ranks_.size() == 1 && products_ == Products::direct;
  }

  /// For profiles: a cycle step by step.
  template <class After>
  void cycle_steps(const After& after) {
    queue_cycle(r_is_behind_, after);
    if (r_is_behind_) {
      note_update_of_cycle();
    }
  }

  [[nodiscard]] ColumnIndices columns() const override { return column_indices_of<Columns>; }

  [[nodiscard]] std::vector<std::string> notes() const override {
    auto notes = half_sweep_notes<Columns>(wanted_columns_);
    notes.emplace_back(
        "set-up and optimisation were rehearsed with a small system: that code is sent to the GPU "
        "is not in their times");
    if (updates_r_in_cycle()) {
      notes.emplace_back(
          "MG's first sweep updates r and forms r.r, and r.z is added up after its last one: that "
          "is in MG's time, not in those of WAXPBY and DDOT, whose rates say nothing");
    }
    if (products_ == Products::recurrence) {
      notes.emplace_back(
          "A p is formed by a recurrence from A z, of which the last sweep has formed half: this "
          "is "
          "not the benchmark's arithmetic; x and p are updated with it, which counts as SpMV");
    }
    if (fused_.first() < levels_.count()) {
      notes.push_back("the cycle from level " + std::to_string(fused_.first()) +
                      " on is one kernel" +
                      (columns() == ColumnIndices::slim ? ", with columns of 32 bits" : ""));
    }
    for (std::size_t level = 0; level < fused_.first(); ++level) {
      const Sweeps sweeps = levels_.plan(level).sweeps;
      const bool fell_short = wanted_sweeps_ == Sweeps::automatic ? sweeps == Sweeps::classes
                                                                  : sweeps != wanted_sweeps_;
      if (fell_short) {
        notes.push_back("level " + std::to_string(level) + " is swept by --sweeps " +
                        to_string(sweeps));
      }
    }
    return notes;
  }

 private:
  static double2* pairs_of(const Buffer<double>& vector) {
    return reinterpret_cast<double2*>(vector.data());
  }
  [[nodiscard]] std::int64_t pairs() const { return rows_ / 2; }

  /// Whether the last sweep leaves sums of tiles, not the sum of all.
  [[nodiscard]] bool leaves_partials() const { return levels_.plan(0).sweeps == Sweeps::pipelined; }

  /// What iterations repeat: all of an iteration where it begins with the updates of the one
  /// before, else the cycle. Both would lengthen the optimisation, which is timed: what is not
  /// repeated, as the first cycle of a set, goes kernel by kernel then.
  void record_iteration() {
    if (updates_r_in_cycle()) {
      iteration_work_.record();
    } else if (levels_.exchange(0).recordable()) {
      cycle_.record();
    }
  }

  void deal_ranges() {
    std::vector<Range> interiors;
    std::vector<Range> boundaries;
    for (const RowClass& rows : levels_.classes(0)) {
      interiors.push_back(rows.interior);
      boundaries.push_back(rows.boundary);
    }
    interior_ranges_ = dealt(interiors, interiors_);
    product_parts_ = ranks_.size() == 1 ? parts_of(interior_ranges_) : 1U;
    boundary_ranges_ = dealt(boundaries, boundaries_);
  }

  DealtRanges dealt(const std::vector<Range>& ranges, Buffer<Range>& memory) const {
    const auto count = static_cast<std::int64_t>(ranges.size());
    memory = executor_.make<Range>(count);
    executor_.from_host(ranges, memory.data());
    DealtRanges result{memory.data(), static_cast<int>(count), 0};
    for (const Range& range : ranges) {
      result.blocks = std::max(result.blocks, blocks_for(range.size()).x);
    }
    return result;
  }

  [[nodiscard]] unsigned parts_of(const DealtRanges& ranges) const {
    const int at_once =
        max_resident_blocks(multiply_kernel<Columns, Outer::none>, threads_per_block) *
        multiprocessors_of(stream().device());
    return cuda::product_parts(ranges.blocks, static_cast<unsigned>(ranges.count),
                               static_cast<unsigned>(at_once));
  }

  /// Queues a cycle, whose first sweep may update r, which it reads anyway.
  template <class After>
  void queue_cycle(bool with_update, const After& after) {
    sweeps_.update_first(with_update);
    half_sweep_cycle(
        sweeps_, 0, [&](const char* step, std::size_t level, Traffic SweepTraffic::*moved) {
          const bool first = level == 0 && moved == &SweepTraffic::forward_from_zero;
          if (with_update && first && leaves_partials()) {
            sums_.queue(stream(), static_cast<int>(rows_ / tile_rows), 1, &scalars_.data()->rr);
          }
          after(step, level, moved);
        });
  }

  /// A cycle with the update has been queued.
  void note_update_of_cycle() {
    r_is_behind_ = false;
    clock_runs_ = true;
    clock_has_times_ = true;
  }

  /// Queues the rest of an iteration after update_solution() of the one before, up to the product.
  void queue_iteration() {
    queue_cycle(true, [](auto... /*step*/) {});
    finish_precondition();
    queue_direction(false);
    multiply_by(p_.data(), ap_.data());
  }

  void queue_direction(bool first) {
    launch(stream(), {blocks_for(pairs()), dim3(threads_per_block)}, update_direction_kernel,
           pairs(), scalars_.data(), first, pairs_of(z_), pairs_of(p_), pairs_of(x_),
           clock_.data());
  }

  /// What was queued while the clock ran is on it, not between events.
  void skip_what_is_on_the_clock() {
    if (clock_runs_) {
      times_.skip(stream());
      clock_runs_ = false;
    }
  }

  /// Where no kernel has stopped it.
  void stop_clock() {
    if (clock_runs_) {
      skip_what_is_on_the_clock();
      fill_bytes(&clock_.data()->last, 0, sizeof(PartClock::last), stream());
    }
  }

  /// Queues the update of r that was left to the next cycle, and r.r of all ranks.
  void complete_residual() {
    if (!r_is_behind_) {
      return;
    }
    skip_what_is_on_the_clock();
    times_.begin(stream());
    const dim3 blocks = blocks_for((pairs() + updates_each - 1) / updates_each);
    launch(stream(), {blocks, dim3(threads_per_block)}, update_solution_kernel, pairs(),
           scalars_.data(), pairs_of(ap_), pairs_of(r_), clock_.data(),
           sum_of(blocks.x, &scalars_.data()->rr));
    r_is_behind_ = false;
    times_.mark(stream(), &CgTimes::waxpby);
    queue_sum_over_ranks(&scalars_.data()->rr);
  }

  /// r.z becomes that of the last iteration.
  void keep_product() {
    launch(stream(), {dim3(1), dim3(1)}, keep_product_kernel, scalars_.data());
  }

  /// For a kernel of so many blocks that adds up all of a sum by itself.
  [[nodiscard]] BlockSums sum_of(unsigned blocks, double* sum) const {
    return {.partials = partials_.data(), .count = blocks, .sum = sum};
  }

  /// Queues y = A x and x.y.
  void multiply_by(double* x, double* y) {
    levels_.with_arguments(0, [&]<class As>(const LevelArguments<As>& a) {
      queue_rows(x, multiply_kernel<As, Outer::none>, multiply_kernel<As, Outer::some>, a,
                 const_cast<const double*>(x), y, clock_.data());
    });
  }

  /// Queues the update of x, p and A p, and p.Ap.
  void continue_product() {
    levels_.with_arguments(0, [&]<class As>(const LevelArguments<As>& a) {
      queue_rows(z_.data(), recurrence_kernel<As, Outer::none>, recurrence_kernel<As, Outer::some>,
                 a, const_cast<const Scalars*>(scalars_.data()), first_,
                 RecurrenceVectors{z_.data(), p_.data(), ap_.data(), x_.data()});
    });
  }

  /// Queues a kernel for all rows, whose halo of x travels meanwhile; `others` is for rows with
  /// columns of other ranks. Both add up this rank's p.Ap.
  template <class Kernel, class... Arguments>
  void queue_rows(double* x, Kernel inner, Kernel others, Arguments... arguments) {
    // Few rows: ranges side by side, not one after the other, or most of the GPU would be idle.
    const bool few =
        static_cast<int>(boundary_ranges_.blocks) < multiprocessors_of(stream().device());
    const dim3 boundary(boundary_ranges_.blocks,
                        few ? static_cast<unsigned>(boundary_ranges_.count) : 1U);
    const dim3 interior(interior_ranges_.blocks, product_parts_);
    const unsigned interior_sums = interior.x * interior.y;
    const unsigned all_sums = interior_sums + boundary.x * boundary.y;
    expects(all_sums <= partials_.size(), "a sum of each block has a place");
    BlockSums sums = sum_of(boundary.x > 0 ? 0U : all_sums, &scalars_.data()->pap);
    const auto queue = [&](const dim3& grid, Kernel kernel, const DealtRanges& ranges) {
      if (grid.x > 0) {
        launch(stream(), {grid, dim3(threads_per_block)}, kernel, ranges, arguments..., sums);
      }
    };
    if (ranks_.size() == 1) {
      queue(interior, inner, interior_ranges_);
      return;
    }
    if (interior.x > 0) {
      levels_.exchange(0).start(x);
      queue(interior, inner, interior_ranges_);
      levels_.exchange(0).finish();
    } else {
      levels_.exchange(0).exchange(x);
    }
    sums.first = interior_sums;
    sums.count = all_sums;
    queue(boundary, others, boundary_ranges_);
  }

  [[nodiscard]] std::vector<double> natural(const double* x) const {
    const Buffer<std::int32_t>& new_of = levels_.finest().order.new_of;
    return in_natural_order(x, new_of.data(), static_cast<std::int64_t>(new_of.size()));
  }

  ColumnIndices wanted_columns_;
  Sweeps wanted_sweeps_;
  Products products_;
  const std::vector<Level>& set_up_;
  TunedLevels<Columns> levels_;
  fused::Cycle fused_;
  Buffer<double> partials_;  ///< of sums that kernels form themselves
  Buffer<PartClock> clock_;  ///< of iterations that are queued as a whole
  TunedSweeps<Columns> sweeps_;
  /// Iterations after which A p is formed anew, so that the recurrence's roundings do not add up.
  static constexpr int renewed = 64;
  int iteration_ = 0;
  bool first_ = false;
  bool recurs_ = false;  ///< whether the next product comes from the recurrence
  Buffer<Range> interiors_;
  Buffer<Range> boundaries_;
  DealtRanges interior_ranges_;
  unsigned product_parts_ = 1;
  DealtRanges boundary_ranges_;
  bool r_is_behind_ = false;  ///< r and r.r lack the last update
  RepeatedWork cycle_{stream(), [this] { queue_cycle(false, [](auto... /*step*/) {}); }};
  bool is_ahead_ = false;  ///< the queued iteration_work_ comes with the steps that are called next
  bool clock_runs_ = false;
  bool clock_has_times_ = false;
  RepeatedWork iteration_work_{stream(), [this] { queue_iteration(); }};
};

/// Plans the sweeps of levels, of each as soon as it is coloured: chunks of those that are swept by
/// themselves, and by the last one of the others a fused cycle. For colour_levels; see NothingMore.
class PlanSweeps {
 public:
  explicit PlanSweeps(const BackendSetup& setup)
      : problem_(setup.problem),
        set_up_(setup.levels),
        stream_(setup.stream()),
        plans_(setup.levels.size()),
        first_fused_(first_fused_of(setup)),
        fused_{.first = set_up_.size()},
        halves_(chunk_rows(set_up_.front()) == wide_chunk_rows
                    ? std::make_shared<const L2Halves>(stream_)
                    : nullptr),
        left_(set_up_.size() - first_fused_) {}

  [[nodiscard]] std::int64_t chunk_rows(const Level& level) const {
    return chunk_rows_of(stream_, problem_.sweeps, level.matrix.rows);
  }

  [[nodiscard]] std::int64_t bytes(std::size_t n) const {
    if (n >= first_fused_) {  // any of them may be the last, which makes the plan
      return fused::plan_bytes(set_up_, first_fused_);
    }
    const Csr& matrix = set_up_[n].matrix;
    const std::int64_t plan = chunk_plan_bytes(matrix.rows, chunk_rows(set_up_[n]));
    if (!by_halves(n)) {
      return plan;
    }
    // Values by halves have memory of their own.
    const std::int64_t places = halved_parts * halved_value_places_bytes(matrix.rows);
    const bool keeps_columns = problem_.columns == ColumnIndices::full;
    return plan + places + (keeps_columns ? coarse_column_bytes(matrix) - value_bytes(matrix) : 0);
  }

  /// Makes the room for values: by halves of L2 those of the lower and the upper part of levels
  /// whose sweeps may be pipelined.
  [[nodiscard]] auto values_of(std::size_t n) const {
    return [this, n](const CudaExecutor& executor, Sliced& part, std::size_t number) {
      if (number == outer_part || !by_halves(n)) {
        PlainValues<slice_height>{}(executor, part, number);
        return;
      }
      make_halved_values(executor, part, [&](std::int64_t blocks) {
        return HalvedMemory(*halves_, blocks, executor.stream());
      });
    };
  }

  void operator()(const CudaExecutor& executor, std::vector<ColouredLevel>& levels, std::size_t n) {
    if (n < first_fused_) {
      plan_level(executor, levels[n], n);
      return;
    }
    executor.synchronize();
    if (--left_ == 0) {  // others have counted down when they were complete
      fused_ = fused::plan_for(executor, levels, first_fused_);
    }
  }

  /// Plans what a fused cycle was to sweep and cannot.
  void complete(const CudaExecutor& executor, std::vector<ColouredLevel>& levels) {
    for (std::size_t n = first_fused_; n < fused_.first; ++n) {
      plan_level(executor, levels[n], n);
    }
  }

  /// For those who take them.
  [[nodiscard]] std::vector<ChunkPlan>& plans() { return plans_; }
  [[nodiscard]] fused::Plan& fused() { return fused_; }

 private:
  static std::size_t first_fused_of(const BackendSetup& setup) {
    const bool fuses = setup.problem.sweeps == Sweeps::automatic && setup.ranks.size() == 1;
    return fuses
               ? fused::first_small_level(setup.levels, multiprocessors_of(setup.stream().device()))
               : setup.levels.size();
  }

  static constexpr std::int64_t halved_parts = 3;  ///< lower, upper and the upper's coarse slots

  /// Of the entries with coarse columns once more: on a grid an eighth of all.
  static std::int64_t coarse_column_bytes(const Csr& matrix) {
    return hpcg::detail::sliced_entries(matrix) / 8 *
           static_cast<std::int64_t>(sizeof(std::int32_t));
  }
  static std::int64_t value_bytes(const Csr& matrix) {
    return hpcg::detail::sliced_entries(matrix) * static_cast<std::int64_t>(sizeof(double));
  }

  void plan_level(const CudaExecutor& executor, ColouredLevel& level, std::size_t n) {
    plans_[n] = plan_chunks(executor, level, chunk_rows(set_up_[n]), problem_.sweeps, halves_);
    if (plans_[n].sweeps == Sweeps::pipelined) {
      copy_coarse_slots<slice_height>(executor, level, values_of(n));
    } else if (by_halves(n)) {
      fill_plainly(executor, set_up_[n], level);
    }
  }

  /// Fills the slices of a level once more, with plain values: only pipelined sweeps read values by
  /// halves, which overwrite each other where a slice is longer than its place can tell.
  static void fill_plainly(const CudaExecutor& executor, const Level& set_up,
                           ColouredLevel& level) {
    executor.synchronize();
    level.lower = {};
    level.upper = {};
    level.outer = {};
    level.coarse_slots = {};
    level.diagonal = {};
    split_entries<slice_height>(executor, set_up, level);
  }

  [[nodiscard]] bool by_halves(std::size_t n) const {
    return n < first_fused_ && chunk_rows(set_up_[n]) == wide_chunk_rows;
  }

  const Problem& problem_;
  const std::vector<Level>& set_up_;
  const Stream& stream_;
  std::vector<ChunkPlan> plans_;
  std::size_t first_fused_;
  fused::Plan fused_;
  std::shared_ptr<const L2Halves> halves_;  ///< where sweeps may be pipelined
  std::atomic<std::size_t> left_;           ///< levels of a fused cycle that are not coloured yet
};

/// The bytes of arrays of a region.
class ArrayBytes {
 public:
  template <class T>
  void add(std::int64_t count, std::int64_t arrays = 1) {
    bytes_ += arrays * static_cast<std::int64_t>(
                           MemoryRegion::taken_by(static_cast<std::size_t>(count) * sizeof(T)));
  }
  [[nodiscard]] std::int64_t all() const { return bytes_; }

 private:
  std::int64_t bytes_ = 0;
};

/// The bytes of what CudaTuned has from its executor.
std::int64_t solver_bytes(const Problem& problem, const std::vector<ColouredLevel>& levels,
                          const std::vector<ChunkPlan>& plans, std::size_t first_fused) {
  constexpr std::int64_t vectors_of_cg = 6;  // b, x, r, z, p and A p
  constexpr std::int64_t small_arrays = 1 << 14;
  ArrayBytes bytes;
  bytes.add<double>(levels.front().vector_size(), vectors_of_cg);
  for (std::size_t n = 0; n < levels.size(); ++n) {
    const std::int64_t rows = levels[n].rows();
    const std::int64_t own_r_and_x = n > 0 ? 2 : 0;
    bytes.add<double>(levels[n].vector_size(), 1 + own_r_and_x);
    if (n >= first_fused) {
      bytes.add<double>(2 * fused::awaited_vectors * rows);
      bytes.add<std::int32_t>(n == first_fused ? rows : 0);  // rows of the finer level
    } else if (plans[n].sweeps != Sweeps::pipelined) {
      bytes.add<double>(rows);
    }
  }
  if (problem.products == Products::recurrence) {
    bytes.add<double>(levels.front().rows());
  }
  bytes.add<double>(partial_sums(levels.front().rows()));
  return bytes.all() + small_arrays;
}

}  // namespace

std::unique_ptr<CgBackend> make_tuned_backend(const BackendSetup& given) {
  const Problem& problem = given.problem;
  PlanSweeps plan(given);
  auto coloured = colour_levels<slice_height>(
      given.executor, given.levels, [&](const Level& level) { return plan.chunk_rows(level); },
      Boundary::apart, problem.columns, plan);
  plan.complete(given.executor, coloured);
  const std::size_t first_fused = plan.fused().first;
  if (problem.columns == ColumnIndices::slim) {
    pack<slice_height>(given.executor, std::span(coloured).first(first_fused));
  }
  const std::int64_t bytes = solver_bytes(problem, coloured, plan.plans(), first_fused);
  const MemoryRegion region(CudaExecutor::space, static_cast<std::size_t>(bytes));
  const BackendSetup setup{problem, given.ranks, given.executor.with_region(region), given.levels};
  const auto make = [&]<class Columns>() -> std::unique_ptr<CgBackend> {
    auto backend = std::make_unique<CudaTuned<Columns>>(
        setup, std::move(coloured), std::move(plan.plans()), std::move(plan.fused()));
    expects(region.allocations() == 1, "the bytes of the solver's arrays are known");
    return backend;
  };
  return problem.columns == ColumnIndices::slim ? make.template operator()<PackedSlices>()
                                                : make.template operator()<FullColumns>();
}

}  // namespace bankfull::hpcg::cuda
