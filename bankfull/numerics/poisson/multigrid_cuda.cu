#include "bankfull/core/base/error.hpp"
#include "bankfull/core/comm/gpu_reduction.hpp"
#include "bankfull/core/exec/graph.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/numerics/poisson/multigrid.hpp"
#include "bankfull/numerics/poisson/multigrid/cuda/defect.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/hierarchy.hpp"
#include "bankfull/numerics/poisson/multigrid/cuda/line_levels.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/plane_start.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/point_levels.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/shared_levels.cuh"
#include "bankfull/numerics/poisson/multigrid/rank_levels.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace bankfull::poisson {
namespace multigrid::cuda {
namespace {

// A cycle of V(0, 2) on the finest level and V(1, 2) below, all of it in few passes over memory:
//
//   defect    r = f - mean - L p, and its mean over the children to the next level
//   descend   on each level but the finest: one sweep from 0, then the residual to the next level
//   bottom    a whole V-cycle on the small levels
//   ascend    on each level: interpolation and two sweeps; on the finest, p += the result
//
// and at the start, from nothing, full multigrid: the level below the finest is solved better, by
// V-cycles on all levels from the coarsest on. Nothing is what planes have in common, solved at
// once (PlaneStart): the first residual is that of these values, which the first correction adds to
// its own instead of reading p.
//
// Where planes have alike cells (has_alike_planes), as those of periodic layers do, and no other
// rank has a part of them, kernels made for that do most of these passes, with the same values
// (queue_defect, queue_descent, queue_ascent say which).
//
// Without sweeps on the finest level's way down its correction need not be kept: one pass over r
// forms and relaxes it and adds it to p. A solve is one graph: kernels on the GPU decide whether
// there will be another cycle.
//
// With lines a cycle is V(1, 1) on the finest level and V(2, 2) below, one kernel per half-sweep:
// each must have gone along all lines before the next begins.

/// Each cell's share in the length of its axis, for axis i, j, k.
std::vector<double> shares_of(const Domain& domain) {
  std::vector<double> shares;
  for (const Axis* axis : {&domain.i, &domain.j, &domain.k}) {
    const double length = std::accumulate(axis->widths.begin(), axis->widths.end(), 0.0);
    for (const double width : axis->widths) {
      shares.push_back(width / length);
    }
  }
  return shares;
}

/// What a rank has of the finest level: all of it where there is no other rank.
struct FinestPart {
  Level level;
  Range own_i;  ///< counted from the first cell that it has
  Range own_j;
  std::int64_t first_i = 0;  ///< number of the first own cell in the whole level
  std::int64_t first_j = 0;

  [[nodiscard]] OwnCells own_cells() const {
    return {static_cast<int>(own_i.begin), static_cast<int>(own_i.end),
            static_cast<int>(own_j.begin), static_cast<int>(own_j.end)};
  }

  /// Elements from the first cell to the first own one.
  [[nodiscard]] std::int64_t own_offset() const {
    return own_i.begin * plane_pitch(level) + own_j.begin * row_pitch(level);
  }
};

FinestPart whole_of(const Level& level) {
  return {.level = level, .own_i = {0, level.i.cells}, .own_j = {0, level.j.cells}};
}

FinestPart part_of(const RankLevel& window) {
  return {.level = window.level,
          .own_i = window.i.own,
          .own_j = window.j.own,
          .first_i = window.i.block().begin,
          .first_j = window.j.block().begin};
}

/// What a rank exchanges on the finest level. `work` has the loops.
template <class Real>
class FinestExchanges {
 public:
  /// Collective.
  FinestExchanges(const Communicator& ranks, const RankLevel& finest, Transport transport,
                  const Stream& stream, const Stream& work)
      : outer_(ranks, finest, outer_halo, 2, false, transport, stream),
        residual_(ranks, finest, finest.halo, 1, true, transport, work),
        at_start_(ranks, sums_at_start(finest), transport, stream),
        in_loops_(ranks, Control::max_over_ranks, transport, work) {}

  /// Before a solve: somebody has written own cells.
  void start_sharing_outer(Real* f, Real* p) const { outer_.start(f, p); }
  void finish_sharing_outer() const { outer_.finish(); }

  /// Not beside the coarser levels: their kernels need whole multiprocessors, all of them at once.
  void share_residual(float* r) const { residual_.exchange(r); }

  /// Of the stream before the loops, or that of the loops.
  [[nodiscard]] GpuReduction& over_ranks(bool in_loops) { return in_loops ? in_loops_ : at_start_; }

  /// The halves of the sums of all planes, see PlaneStart.
  static int sums_at_start(const RankLevel& finest) {
    return 2 * static_cast<int>(finest.cut.cells().ni);
  }

  [[nodiscard]] bool loops() const {
    return outer_.loops() && residual_.loops() &&
           WindowExchange<float>::loops_on_gpu(at_start_.transport());
  }

 private:
  WindowExchange<Real> outer_;
  WindowExchange<float> residual_;
  GpuReduction at_start_;
  GpuReduction in_loops_;
};

template <class Real>
class CudaMultigrid final : public Solver<Real> {
 public:
  static std::size_t bottom_bytes(Device gpu) {
    return std::min(max_bottom_bytes, max_shared_bytes(gpu, bottom_kernel));
  }

  /// On one GPU.
  CudaMultigrid(const Domain& domain, Stopping stopping, const Stream& stream)
      : CudaMultigrid(domain, stopping, stream, Hierarchy(domain, bottom_bytes(stream.device())),
                      std::nullopt, {}, Transport::automatic) {}

  /// Collective: on those of ranks that share the finest level.
  CudaMultigrid(const Domain& domain, Stopping stopping, const Stream& stream,
                const Hierarchy& hierarchy, const std::optional<RankLevels>& windows,
                const Sharing& sharing, Transport transport)
      : stream_(stream),
        body_stream_(stream.device()),
        cells_(domain.extents()),
        hierarchy_(hierarchy),
        finest_(windows ? part_of(windows->shared.front()) : whole_of(hierarchy_.level(0))),
        multiprocessors_(multiprocessors_of(stream.device())),
        limits_{tolerance_of(stopping), stopping.max_cycles, stopping.factor},
        f_(zeros<Real>(field_size(finest_.level), stream)),
        p_(zeros<Real>(field_size(finest_.level), stream)),
        r_(is_residual_of_lines(windows) ? Buffer<float>()
                                         : zeros<float>(field_size(finest_.level), stream)),
        coefficients_(uploaded(finest_coefficients<Real>(finest_.level), stream)),
        shares_(uploaded(shares_of(hierarchy_.turned().domain), stream)),
        row_sums_(MemorySpace::device,
                  static_cast<std::size_t>(finest_.own_i.size() * finest_.own_j.size())),
        start_(hierarchy_.turned().domain.i, finest_.level.i.cells, windows.has_value(), stream),
        control_(zeros<Control>(1, stream)) {
    if (windows) {
      const Communicator& ranks = *sharing.ranks;
      auto shared = std::make_unique<SharedLevels>(hierarchy_, *windows, ranks, transport, stream,
                                                   body_stream_);
      inner_loops_ = shared->loops();
      inner_ = std::move(shared);
      exchanges_.emplace(ranks, windows->shared.front(), transport, stream_, body_stream_);
    } else if (hierarchy_.has_lines()) {
      inner_ = std::make_unique<LineLevels>(hierarchy_, stream);
    } else {
      inner_ = std::make_unique<CoarseLevels>(hierarchy_, 1, stream);
    }
    forget();
    stream_.synchronize();
    if (recordable()) {
      whole_solve_ = std::make_unique<Graph>(stream_, [this] { queue(); });
    }
  }

  [[nodiscard]] CellSlots<Real> right_side() const override { return slots(f_); }
  [[nodiscard]] CellSlots<Real> solution() const override { return slots(p_); }

  void solve() override {
    if (!recordable()) {
      solve_from_host();
    } else if (is_recording(stream_)) {
      queue();
    } else {
      whole_solve_->launch(stream_);
    }
  }

  [[nodiscard]] bool recordable() const override {
    return !exchanges_ || (exchanges_->loops() && inner_loops_);
  }

  void forget() override {
    // Any bits but 0 say so.
    fill_bytes(&control_.data()->forgotten, 1, sizeof(Control::forgotten), stream_);
  }

  void recall() override {
    fill_bytes(&control_.data()->forgotten, 0, sizeof(Control::forgotten), stream_);
  }

  [[nodiscard]] Outcome outcome() const override {
    const Control control = read_control(stream_);
    return {control.cycles, static_cast<double>(control.residual) / control.scale,
            control.converged != 0};
  }

  [[nodiscard]] Traffic traffic() const override {
    const Level& finest = hierarchy_.level(0);
    const Traffic outer = hierarchy_.has_lines()
                              ? defect_traffic<Real>(finest) +
                                    line_correction_traffic<Real>(finest) +
                                    second_residual_traffic()
                              : defect_traffic<Real>(finest) + defect_restriction_traffic(finest) +
                                    ascent_traffic<true, Real>(finest);
    return outer + inner_->cycle_traffic();
  }

 private:
  /// Residuals are compared as they are stored, rounded: what passes must be below the tolerance.
  static double tolerance_of(const Stopping& stopping) {
    constexpr double rounding = 0x1p-23;
    return stopping.tolerance * (1.0 - rounding);
  }

  /// Several GPUs that gather levels of lines store the residual twice: as the finest level's,
  /// which nobody reads, and as the next one's, which has the same cells.
  [[nodiscard]] Traffic second_residual_traffic() const {
    return {.bytes_written = exchanges_ ? sizeof(float) * cells_of(hierarchy_.level(0)) : 0.0};
  }

  /// With lines the next level has the same cells; on one GPU they share the residual.
  [[nodiscard]] bool is_residual_of_lines(const std::optional<RankLevels>& windows) const {
    return hierarchy_.has_lines() && !windows;
  }
  [[nodiscard]] float* residual() const { return r_.size() == 0 ? inner_->residual() : r_.data(); }

  [[nodiscard]] CellSlots<Real> slots(const Buffer<Real>& field) const {
    const Level& level = finest_.level;
    const Range along_i{-finest_.own_i.begin, level.i.cells - finest_.own_i.begin};
    const Range along_j{-finest_.own_j.begin, level.j.cells - finest_.own_j.begin};
    const std::array<std::int64_t, 3> pitch{plane_pitch(level), row_pitch(level), 1};
    const std::array<Range, 3> reach{along_i, along_j, Range{0, level.k.cells}};
    std::array<std::int64_t, 3> pitch_of{};
    std::array<Range, 3> reach_of{};
    for (std::size_t n = 0; n < pitch.size(); ++n) {
      const auto given = static_cast<std::size_t>(hierarchy_.turned().axis[n]);
      pitch_of[given] = pitch[n];
      reach_of[given] = reach[n];
    }
    // Where k has one cell its pitch, which must be 1, does not matter.
    return {.data = field.data() + finest_.own_offset(),
            .plane_pitch = pitch_of[0],
            .row_pitch = pitch_of[1],
            .reach = {reach_of[0].begin, reach_of[0].end, reach_of[1].begin, reach_of[1].end,
                      reach_of[2].begin, reach_of[2].end}};
  }

  [[nodiscard]] Control read_control(const Stream& stream) const {
    Control control{};
    copy_bytes(&control, control_.data(), sizeof control, stream);
    stream.synchronize();
    return control;
  }

  void queue() {
    const Loops loops{new_loop_condition(stream_), new_loop_condition(stream_), true};
    queue_start(loops);
    // Goes round once at most.
    queue_loop(stream_, loops.full_multigrid, body_stream_,
               [&] { queue_body(Next::full_multigrid, loops); });
    queue_loop(stream_, loops.cycles, body_stream_, [&] { queue_body(Next::cycle, loops); });
  }

  /// The same where messages need the host.
  void solve_from_host() {
    queue_start({});
    Next next = read_control(stream_).next;
    while (next != Next::end) {
      queue_body(next, {});
      next = read_control(body_stream_).next;
    }
  }

  void queue_start(const Loops& loops) {
    if (exchanges_) {
      exchanges_->start_sharing_outer(f_.data(), p_.data());
    }
    queue_survey();
    if (exchanges_) {
      exchanges_->finish_sharing_outer();
    }
    queue_defect(stream_, After::start, loops);
    queue_defect(stream_, After::restart, loops);
  }

  void queue_body(Next next, const Loops& loops) {
    if (exchanges_ && !hierarchy_.has_lines()) {
      exchanges_->share_residual(r_.data());
    }
    if (next == Next::full_multigrid) {
      inner_->queue_full_multigrid(body_stream_);
    } else {
      inner_->queue_cycle(body_stream_);
    }
    queue_ascent(body_stream_, next == Next::full_multigrid);
    queue_defect(body_stream_, After::cycle, loops);
  }

  void queue_survey() {
    const Range own_i = finest_.own_i;
    const Range own_j = finest_.own_j;
    const Extents whole = hierarchy_.level(0).extents();
    constexpr std::int64_t rows_per_block = survey_threads / 32;
    const SurveyArguments<Real> arguments{.f = f_.data() + finest_.own_offset(),
                                          .at = pitches_of(finest_.level),
                                          .planes = static_cast<int>(own_i.size()),
                                          .rows = static_cast<int>(own_j.size()),
                                          .columns = static_cast<int>(whole.nk),
                                          .share_i = shares_.data() + finest_.first_i,
                                          .share_j = shares_.data() + whole.ni + finest_.first_j,
                                          .share_k = shares_.data() + whole.ni + whole.nj,
                                          .row_sums = row_sums_.data(),
                                          .control = control_.data()};
    const auto planes = static_cast<int>(own_i.size());
    const auto rows = static_cast<int>(own_j.size());
    launch(stream_,
           survey_shape((std::int64_t{planes} * rows + rows_per_block - 1) / rows_per_block),
           survey_kernel<Real>, arguments);
    if (exchanges_) {
      exchanges_->over_ranks(false).queue_largest(control_.data()->over_ranks, 1);
    }
    const PlaneStart start = plane_start();
    launch(stream_, survey_shape(start.count), sum_planes_kernel,
           OwnRows{row_sums_.data(), static_cast<int>(finest_.first_i), planes, rows},
           control_.data(), start);
    if (exchanges_) {
      exchanges_->over_ranks(false).queue_sum(start.parts, 2 * start.count);
      launch(stream_, {dim3(1), dim3(32)}, begin_solve_kernel, control_.data(), start);
    }
  }

  static LaunchShape survey_shape(std::int64_t blocks) {
    return {dim3(static_cast<unsigned>(std::min(blocks, max_survey_blocks))), dim3(survey_threads)};
  }

  [[nodiscard]] PlaneStart plane_start() const {
    return start_.view(static_cast<int>(finest_.first_i - finest_.own_i.begin));
  }

  void queue_defect(const Stream& stream, After after, const Loops& loops) {
    const LevelView& finest = inner_->finest();
    const Pair<Real>* const along_j = coefficients_.data() + finest.i.cells;
    cuda::queue_defect<Real>(stream, multiprocessors_, has_seams(finest_.level),
                             {.level = finest,
                              .coefficients_i = coefficients_.data(),
                              .coefficients_j = along_j,
                              .coefficients_k = along_j + finest.j.cells,
                              .alike_j = first_coefficients<Real>(finest_.level.j),
                              .alike_k = first_coefficients<Real>(finest_.level.k),
                              .f = f_.data(),
                              .p = p_.data(),
                              .r = residual(),
                              .coarse_r = inner_->residual(),
                              .own = finest_.own_cells(),
                              .after = after,
                              .decides = !exchanges_,
                              .limits = limits_,
                              .control = control_.data(),
                              .loops = loops,
                              .start = plane_start(),
                              .keeps_start = hierarchy_.has_lines()});
    if (exchanges_) {
      exchanges_->over_ranks(after == After::cycle).queue_largest(control_.data()->over_ranks, 1);
      launch(stream, {dim3(1), dim3(32)}, decide_kernel, control_.data(), limits_, after, loops,
             plane_start());
    }
  }

  void queue_ascent(const Stream& stream, bool starts_from_planes) const {
    if (hierarchy_.has_lines()) {
      queue_line_correction(stream, inner_->finest(), inner_->correction(), p_.data(),
                            &control_.data()->scale);
      return;
    }
    cuda::queue_ascent<true, Real>(
        stream, multiprocessors_, has_seams(finest_.level),
        {.level = inner_->finest(),
         .coarse = inner_->correction(),
         .r = r_.data(),
         .p = p_.data(),
         .scale = &control_.data()->scale,
         .plane_p = starts_from_planes ? plane_start().potentials : nullptr});
  }

  const Stream& stream_;
  Stream body_stream_;  ///< that the loop's body is recorded on
  Extents cells_;
  Hierarchy hierarchy_;
  FinestPart finest_;
  int multiprocessors_;
  Limits limits_;
  Buffer<Real> f_;
  Buffer<Real> p_;
  Buffer<float> r_;
  Buffer<Pair<Real>> coefficients_;
  Buffer<double> shares_;
  Buffer<double> row_sums_;
  PlaneStartTables start_;
  Buffer<Control> control_;
  std::unique_ptr<Corrector> inner_;                ///< of all levels but the finest
  bool inner_loops_ = true;                         ///< its cycles may be loops in a graph
  std::optional<FinestExchanges<Real>> exchanges_;  ///< on ranks
  std::unique_ptr<Graph> whole_solve_;
};

}  // namespace
}  // namespace multigrid::cuda

template <class Real>
std::unique_ptr<Solver<Real>> make_cuda_multigrid(const Domain& domain, Stopping stopping,
                                                  const Stream& stream, const Sharing& sharing,
                                                  Transport transport) {
  using namespace multigrid::cuda;
  require_cells(domain);
  multigrid::require_sharing(domain, sharing);
  if (!sharing.is_shared()) {
    return std::make_unique<CudaMultigrid<Real>>(domain, stopping, stream);
  }
  const std::string obstacle = gpu_sharing_obstacle(domain, sharing);
  require(obstacle.empty(),
          "multigrid cannot share a domain between the GPUs of " + to_string(sharing.grid) +
              " ranks: " + obstacle,
          "use one GPU, or cut the domain in another way");
  const Hierarchy hierarchy(domain, CudaMultigrid<Real>::bottom_bytes(stream.device()));
  return std::make_unique<CudaMultigrid<Real>>(
      domain, stopping, stream, hierarchy, windows_on_gpus(hierarchy, sharing), sharing, transport);
}

template std::unique_ptr<Solver<float>> make_cuda_multigrid(const Domain&, Stopping, const Stream&,
                                                            const Sharing&, Transport);
template std::unique_ptr<Solver<double>> make_cuda_multigrid(const Domain&, Stopping, const Stream&,
                                                             const Sharing&, Transport);

}  // namespace bankfull::poisson
