#include "bankfull/workloads/hpcg/coloured_level.hpp"
#include "bankfull/workloads/hpcg/cuda/belt_steps.cuh"
#include "bankfull/workloads/hpcg/cuda/conveyor.cuh"
#include "bankfull/workloads/hpcg/cuda/multiply.cuh"
#include "bankfull/workloads/hpcg/cuda/sweeps.cuh"
#include "bankfull/workloads/hpcg/cuda/vectors.cuh"
#include "bankfull/workloads/hpcg/cuda/wave.cuh"
#include "bankfull/workloads/hpcg/cycle.hpp"
#include "bankfull/workloads/hpcg/load_row.hpp"
#include "bankfull/workloads/hpcg/step_times.hpp"

#include <algorithm>

namespace bankfull::hpcg::cuda {
namespace {

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

/// Vectors of one level, in the order of its colours.
struct LevelVectors {
  const double* r = nullptr;
  double* x = nullptr;
  Buffer<double> own_r = {};  ///< of coarse levels
  Buffer<double> own_x = {};
  Buffer<double> u = {};
  Buffer<double> y = {};  ///< x of forward sweeps
};

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

/// Rows by colours in slices of one warp, half sweeps, fused vector operations.
template <class Columns>
class CudaTuned final : public CudaPath {
 public:
  CudaTuned(const Problem& problem, const Communicator& ranks, const Stream& stream,
            const std::vector<Level>& levels, std::vector<ColouredLevel> coloured,
            std::vector<ChunkPlan> plans)
      : CudaPath(problem, ranks, stream, coloured.front().rows(), coloured.front().vector_size()),
        wanted_columns_(problem.columns),
        wanted_sweeps_(problem.sweeps),
        set_up_(levels),
        levels_(std::move(coloured)),
        plans_(std::move(plans)),
        vectors_(levels_.size()) {
    for (std::size_t n = 0; n < levels_.size(); ++n) {
      make_vectors(n);
      exchanges_.push_back(make_list_exchange<double>(
          ListSetup{ranks, levels_[n].neighbours, problem.transport}, stream));
    }
    vectors_.front().r = r_.data();
    vectors_.front().x = z_.data();
    deal_ranges();
    tickets_ = executor_.make<unsigned>(1);
    executor_.fill(tickets_.data(), 1, 0U);
    CudaTuned::exaggerate_diagonal(false);
    if (exchanges_.front()->recordable()) {
      cycle_.record();
    }
    executor_.synchronize();
  }

  void exaggerate_diagonal(bool exaggerated) override {
    const Level& stored = set_up_.front();
    const ColouredLevel& level = levels_.front();
    executor_.each(rows_, LoadNewRow{stored.geometry.grid, stored.matrix.view(),
                                     stored.right_hand.data(), level.order.old_of.data(),
                                     level.diagonal.data(), b_.data(), exaggerated});
  }

  void start() override {
    times_.begin(stream());
    fill_bytes(scalars_.data(), 0, scalars_.bytes(), stream());
    fill_bytes(x_.data(), 0, x_.bytes(), stream());
    fill_bytes(p_.data(), 0, p_.bytes(), stream());
    multiply_by(p_.data(), ap_.data());
    times_.mark(stream(), &CgTimes::spmv);
    launch(stream(), {blocks_for(pairs()), dim3(threads_a_block)}, first_residual_kernel, pairs(),
           pairs_of(b_), pairs_of(ap_), pairs_of(r_), sums_.partials());
    times_.mark(stream(), &CgTimes::waxpby);
    queue_sum(static_cast<int>(blocks_for(pairs()).x), &scalars_.data()->rr);
  }

  void precondition(bool multigrid) override {
    times_.begin(stream());
    launch(stream(), {dim3(1), dim3(1)}, keep_product_kernel, scalars_.data());
    if (multigrid) {
      run_cycle();
      times_.mark(stream(), &CgTimes::mg);
      finish_precondition();
    } else {
      copy_bytes(z_.data(), r_.data(), static_cast<std::size_t>(rows_) * sizeof(double), stream());
      times_.mark(stream(), &CgTimes::mg);
      queue_dot(r_.data(), z_.data(), rows_, &scalars_.data()->rz);
    }
  }

  /// r.z of what the last sweep left.
  void finish_precondition() {
    queue_sum(static_cast<int>(rows_ / piece_rows), &scalars_.data()->rz);
  }

  /// The update of x waits until here, where p is at hand: x is not needed in between.
  void turn(bool first) override {
    times_.begin(stream());
    launch(stream(), {blocks_for(pairs()), dim3(threads_a_block)}, turn_kernel, pairs(),
           scalars_.data(), first, pairs_of(z_), pairs_of(p_), pairs_of(x_));
    times_.mark(stream(), &CgTimes::waxpby);
  }

  void multiply() override {
    times_.begin(stream());
    const unsigned blocks = multiply_by(p_.data(), ap_.data());
    times_.mark(stream(), &CgTimes::spmv);
    queue_sum(static_cast<int>(blocks), &scalars_.data()->pap);
  }

  void advance() override {
    times_.begin(stream());
    launch(stream(), {blocks_for(pairs()), dim3(threads_a_block)}, advance_kernel, pairs(),
           scalars_.data(), pairs_of(ap_), pairs_of(r_), sums_.partials());
    times_.mark(stream(), &CgTimes::waxpby);
    queue_sum(static_cast<int>(blocks_for(pairs()).x), &scalars_.data()->rr);
  }

  void finish() override {
    times_.begin(stream());
    launch(stream(), {blocks_for(pairs()), dim3(threads_a_block)}, catch_up_kernel, pairs(),
           scalars_.data(), pairs_of(p_), pairs_of(x_));
    times_.mark(stream(), &CgTimes::waxpby);
  }

  std::vector<double> apply(Operation operation, const std::vector<double>& x) override {
    const auto natural = make_vector(static_cast<std::int64_t>(x.size()));
    executor_.from_host(x, natural.data());
    const auto count = static_cast<std::int64_t>(x.size());
    const std::int32_t* const new_of = levels_.front().order.new_of.data();
    double* const from = operation == Operation::spmv ? p_.data() : r_.data();
    double* const to = operation == Operation::spmv ? ap_.data() : z_.data();
    executor_.each(count, FromNatural{new_of, natural.data(), from});
    if (operation == Operation::spmv) {
      multiply_by(from, to);
    } else {
      run_cycle();
    }
    return in_natural_order(to);
  }

  std::vector<double> solution() override { return in_natural_order(x_.data()); }
  std::vector<double> recurrence_residual() override { return in_natural_order(r_.data()); }

  [[nodiscard]] std::int64_t added_bytes() const override {
    std::int64_t bytes = 0;
    for (const ColouredLevel& level : levels_) {
      bytes += level.bytes();
    }
    return bytes;
  }

  [[nodiscard]] Transport transport() const override { return exchanges_.front()->transport(); }

  std::vector<Step> profile(int repeats) override {
    return profile_iterations(*this, executor_, levels_, slice_height, ranks_, EventMarks(stream()),
                              repeats);
  }

  [[nodiscard]] ColumnIndices columns() const override { return column_indices_of<Columns>; }

  [[nodiscard]] std::vector<std::string> notes() const override {
    auto notes = half_sweep_notes(wanted_columns_, column_indices_of<Columns>);
    for (std::size_t level = 0; level < plans_.size(); ++level) {
      const Sweeps sweeps = plans_[level].sweeps;
      const bool fell_short = wanted_sweeps_ == Sweeps::automatic ? sweeps == Sweeps::classes
                                                                  : sweeps != wanted_sweeps_;
      if (fell_short) {
        notes.push_back("level " + std::to_string(level) + " is swept by --sweeps " +
                        to_string(sweeps));
      }
    }
    return notes;
  }

  // The half sweeps, for half_sweep_cycle.

  [[nodiscard]] std::size_t level_count() const { return levels_.size(); }

  void forward_from_zero(std::size_t level) {
    queue_wave<ForwardFromZero, belt::FromZero>(level, Direction::forward);
  }

  void backward_after_zero(std::size_t level) {
    queue_wave<BackwardAfterZero, belt::AfterZero>(level, Direction::backward);
  }

  void restrict_residual(std::size_t level) {
    if (ranks_.size() == 1) {
      for_coarse_classes(level, [&](const RowClass& rows) {
        queue<RestrictResidual<Outer::none>>(level, rows.interior);
      });
      return;
    }
    if (!overlaps(level)) {
      exchanges_[level]->exchange(vectors_[level].x);
      for_coarse_classes(level, [&](const RowClass& rows) {
        queue<RestrictResidual<Outer::some>>(level, rows.all());
      });
      return;
    }
    exchanges_[level]->start(vectors_[level].x);
    for_coarse_classes(level, [&](const RowClass& rows) {
      queue<RestrictResidual<Outer::none>>(level, rows.interior);
    });
    exchanges_[level]->finish();
    for_coarse_classes(level, [&](const RowClass& rows) {
      queue<RestrictResidual<Outer::some>>(level, rows.boundary);
    });
  }

  void prolong(std::size_t level) {
    for_coarse_classes(level, [&](const RowClass& rows) { queue<Prolong>(level, rows.all()); });
  }

  void forward_again(std::size_t level) {
    if (ranks_.size() == 1) {
      queue_wave<InnerForwardAgain, belt::Again<Outer::none>>(level, Direction::forward);
      return;
    }
    if (!overlaps(level)) {
      exchanges_[level]->exchange(vectors_[level].x);
      queue_wave<OuterForwardAgain, belt::Again<Outer::some>>(level, Direction::forward);
      return;
    }
    exchanges_[level]->start(vectors_[level].x);
    queue_wave<InnerForwardAgain, belt::Again<Outer::none>>(level, Direction::forward,
                                                            Swept::first_interior);
    exchanges_[level]->finish();
    queue_wave<OuterForwardAgain, belt::Again<Outer::some>>(level, Direction::forward, Swept::rest);
  }

  void backward_again(std::size_t level) {
    if (level > 0) {
      queue_wave<BackwardAgain, belt::BackAgain>(level, Direction::backward);
    } else {
      queue_wave<BackwardAgainWithProduct, belt::BackAgainWithProduct, true>(level,
                                                                             Direction::backward);
    }
  }

 private:
  static SlicedView<Columns> view(const Sliced& sliced) {
    if constexpr (std::is_same_v<Columns, FullColumns>) {
      return sliced.full_view();
    } else {
      return sliced.slim_view();
    }
  }

  static double2* pairs_of(const Buffer<double>& vector) {
    return reinterpret_cast<double2*>(vector.data());
  }
  [[nodiscard]] std::int64_t pairs() const { return rows_ / 2; }

  [[nodiscard]] const std::vector<RowClass>& classes(std::size_t level) const {
    return levels_[level].order.classes;
  }

  void make_vectors(std::size_t n) {
    const std::int64_t size = levels_[n].vector_size();
    vectors_[n].u = make_vector(size);
    if (plans_[n].sweeps != Sweeps::conveyors) {
      vectors_[n].y = make_vector(levels_[n].rows());
      fill_bytes(vectors_[n].y.data(), 0xff, vectors_[n].y.bytes(), stream());
    }
    if (n > 0) {
      vectors_[n].own_r = make_vector(size);
      vectors_[n].own_x = make_vector(size);
      vectors_[n].r = vectors_[n].own_r.data();
      vectors_[n].x = vectors_[n].own_x.data();
    }
  }

  void deal_ranges() {
    std::vector<Range> interiors;
    std::vector<Range> boundaries;
    for (const RowClass& rows : classes(0)) {
      interiors.push_back(rows.interior);
      boundaries.push_back(rows.boundary);
    }
    interior_ranges_ = dealt(interiors, interiors_);
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

  [[nodiscard]] LevelArguments<Columns> arguments(std::size_t level) const {
    const ColouredLevel& coloured = levels_[level];
    const LevelVectors& vectors = vectors_[level];
    const bool coarsest = level + 1 == levels_.size();
    return {.lower = view(coloured.lower),
            .upper = view(coloured.upper),
            .outer = coloured.outer.full_view(),
            .diagonal = coloured.diagonal.data(),
            .r = vectors.r,
            .x = vectors.x,
            .y = vectors.y.data(),
            .u = vectors.u.data(),
            .coarse_slots = coloured.coarse_slots.data(),
            .coarse_begin = coloured.coarse_range().begin,
            .coarse_row = coarsest ? nullptr : coloured.coarse_row.data(),
            .coarse_r = coarsest ? nullptr : vectors_[level + 1].own_r.data(),
            .coarse_x = coarsest ? nullptr : vectors_[level + 1].x};
  }

  /// Queues body(row) for a range of rows.
  template <class Body>
  void queue(std::size_t level, const Range& rows) {
    if (rows.size() > 0) {
      launch(stream(), {blocks_for(rows.size()), dim3(threads_a_block)}, rows_kernel<Body, Columns>,
             rows, arguments(level));
    }
  }

  /// Whether a level has rows to sweep while the halo travels, and the halo takes longer to travel
  /// than kernels take to follow each other.
  [[nodiscard]] bool overlaps(std::size_t level) const {
    constexpr std::int64_t bytes_worth_it = 384 * 1024;
    return classes(level).front().interior.size() > 0 &&
           exchanges_[level]->sent_bytes() >= bytes_worth_it;
  }

  enum class Direction { forward, backward };

  /// All rows of a level; those that may be swept while the halo travels; the others.
  enum class Swept { all, first_interior, rest };

  static const Buffer<std::int32_t>& order_of(const ChunkPlan& plan, Swept rows) {
    return rows == Swept::all ? plan.order : rows == Swept::first_interior ? plan.first : plan.rest;
  }

  /// Queues a sweep over chunks in the order of the wave, or in the reverse one.
  template <template <class> class Step, class BeltStep, bool Summing = false>
  void queue_wave(std::size_t level, Direction direction, Swept rows = Swept::all) {
    const ChunkPlan& plan = plans_[level];
    const Buffer<std::int32_t>& order = order_of(plan, rows);
    if (order.size() == 0) {
      return;
    }
    const Wave wave{
        .order = order.data(), .first = 0, .reversed = direction == Direction::backward};
    switch (plan.sweeps) {
      case Sweeps::classes:
        queue_classes<Step, Summing>(level, direction, rows);
        break;
      case Sweeps::conveyors:
        queue_conveyor<BeltStep, Summing>(level, direction, order.size(), wave);
        break;
      case Sweeps::automatic:
      case Sweeps::waves:
        queue_blocks<Step, Summing>(level, order.size(), wave, sums_.partials());
    }
  }

  template <class BeltStep, bool Summing>
  void queue_conveyor(std::size_t level, Direction direction, std::size_t chunks,
                      const Wave& wave) {
    const ChunkPlan& plan = plans_[level];
    const bool forward = direction == Direction::forward;
    constexpr auto kernel = conveyor_kernel<BeltStep, Summing, Columns>;
    allow_shared_bytes(kernel, ring_bytes);
    const auto count = static_cast<std::int32_t>(chunks);
    const int blocks = std::min(count, multiprocessors_of(stream().device()));
    launch(stream(), {dim3(static_cast<unsigned>(blocks)), dim3(belt::threads), ring_bytes}, kernel,
           belt::Work{.wave = wave,
                      .dependences = (forward ? plan.lower : plan.upper).data(),
                      .done = (forward ? plan.forward_done : plan.backward_done).data(),
                      .other = (forward ? plan.backward_done : plan.forward_done).data(),
                      .chunks = count,
                      .tickets = tickets_.data()},
           arguments(level), sums_.partials());
  }

  /// Rows of a class, with the empty ones after them, that belong to a sweep.
  [[nodiscard]] Range swept_rows(std::size_t level, std::size_t number, Swept swept) const {
    const Range whole = levels_[level].order.padded(number);
    const std::int64_t middle = number > 0 ? whole.begin : classes(level).front().boundary.begin;
    switch (swept) {
      case Swept::first_interior:
        return {whole.begin, middle};
      case Swept::rest:
        return {middle, whole.end};
      case Swept::all:
        break;
    }
    return whole;
  }

  /// The same class after class.
  template <template <class> class Step, bool Summing>
  void queue_classes(std::size_t level, Direction direction, Swept swept) {
    const std::size_t count = classes(level).size();
    double* partials = sums_.partials();
    for (std::size_t n = 0; n < count; ++n) {
      const std::size_t number = direction == Direction::forward ? n : count - 1 - n;
      const Range rows = swept_rows(level, number, swept);
      const auto pieces = static_cast<std::size_t>(rows.size() / piece_rows);
      queue_blocks<Step, Summing>(level, pieces,
                                  {.order = nullptr,
                                   .first = static_cast<std::int32_t>(rows.begin / piece_rows),
                                   .reversed = false},
                                  partials);
      partials += pieces;
    }
  }

  template <template <class> class Step, bool Summing>
  void queue_blocks(std::size_t level, std::size_t blocks, const Wave& wave, double* partials) {
    if (blocks > 0) {
      launch(stream(), {dim3(static_cast<unsigned>(blocks)), dim3(threads_a_block)},
             wave_kernel<Step, Summing, Columns>, wave, arguments(level), partials);
    }
  }

  template <class Body>
  void for_coarse_classes(std::size_t level, const Body& body) {
    const Range coarse = levels_[level].coarse_classes;
    for (std::int64_t n = coarse.begin; n < coarse.end; ++n) {
      body(classes(level)[static_cast<std::size_t>(n)]);
    }
  }

  void run_cycle() { cycle_.queue(); }

  /// Queues y = A x; returns the number of partial sums of x.y.
  unsigned multiply_by(double* x, double* y) {
    const unsigned interior = interior_ranges_.blocks;
    if (ranks_.size() == 1) {
      launch(stream(), {dim3(interior), dim3(threads_a_block)},
             multiply_kernel<Columns, Outer::none>, interior_ranges_, arguments(0),
             const_cast<const double*>(x), y, sums_.partials());
      return interior;
    }
    if (interior > 0) {
      exchanges_.front()->start(x);
      launch(stream(), {dim3(interior), dim3(threads_a_block)},
             multiply_kernel<Columns, Outer::none>, interior_ranges_, arguments(0),
             const_cast<const double*>(x), y, sums_.partials());
      exchanges_.front()->finish();
    } else {
      exchanges_.front()->exchange(x);
    }
    // Few rows: ranges side by side, not one after the other, or most of the GPU would be idle.
    const bool few =
        static_cast<int>(boundary_ranges_.blocks) < multiprocessors_of(stream().device());
    const dim3 boundary(boundary_ranges_.blocks,
                        few ? static_cast<unsigned>(boundary_ranges_.count) : 1U);
    if (boundary.x > 0) {
      launch(stream(), {boundary, dim3(threads_a_block)}, multiply_kernel<Columns, Outer::some>,
             boundary_ranges_, arguments(0), const_cast<const double*>(x), y,
             sums_.partials() + interior);
    }
    return interior + boundary.x * boundary.y;
  }

  std::vector<double> in_natural_order(const double* x) {
    const auto count = static_cast<std::int64_t>(levels_.front().order.new_of.size());
    const auto natural = make_vector(count);
    executor_.each(count, ToNatural{levels_.front().order.new_of.data(), x, natural.data()});
    return executor_.to_host(natural.data(), count);
  }

  ColumnIndices wanted_columns_;
  Sweeps wanted_sweeps_;
  const std::vector<Level>& set_up_;
  std::vector<ColouredLevel> levels_;
  std::vector<ChunkPlan> plans_;
  std::vector<LevelVectors> vectors_;
  std::vector<std::unique_ptr<ListExchange<double>>> exchanges_;
  Buffer<Range> interiors_;
  Buffer<Range> boundaries_;
  DealtRanges interior_ranges_;
  DealtRanges boundary_ranges_;
  Buffer<unsigned> tickets_;  ///< of conveyors
  RepeatedWork cycle_{stream(), [this] { half_sweep_cycle(*this, 0); }};
};

}  // namespace

std::unique_ptr<Path> make_tuned_path(const Problem& problem, const Communicator& ranks,
                                      const Stream& stream, const std::vector<Level>& levels) {
  const CudaExecutor executor(stream);
  const auto chunk_rows = [&](const Level& level) {
    return chunk_rows_of(stream, problem.sweeps, level.matrix.rows);
  };
  auto coloured = colour_levels<slice_height>(executor, levels, chunk_rows, Boundary::apart);
  std::vector<ChunkPlan> plans;
  plans.reserve(coloured.size());
  for (std::size_t n = 0; n < levels.size(); ++n) {
    plans.push_back(plan_chunks(executor, coloured[n], chunk_rows(levels[n]), problem.sweeps));
  }
  if (problem.columns == ColumnIndices::slim &&
      make_slim<slice_height>(executor, ranks, coloured)) {
    return std::make_unique<CudaTuned<SlimColumns>>(problem, ranks, stream, levels,
                                                    std::move(coloured), std::move(plans));
  }
  return std::make_unique<CudaTuned<FullColumns>>(problem, ranks, stream, levels,
                                                  std::move(coloured), std::move(plans));
}

}  // namespace bankfull::hpcg::cuda
