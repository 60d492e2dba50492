#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/exec/graph.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/numerics/poisson/multigrid.hpp"
#include "bankfull/numerics/poisson/multigrid/cuda/ascend.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/bottom.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/defect.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/descend.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/hierarchy.hpp"
#include "bankfull/numerics/poisson/multigrid/cuda/line_tables.hpp"
#include "bankfull/numerics/poisson/multigrid/cuda/lines.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/restrict.cuh"

#include <algorithm>
#include <numeric>
#include <type_traits>
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
// V-cycles on all levels from the coarsest on.
//
// Without sweeps on the finest level's way down its correction need not be kept: one pass over r
// forms and relaxes it and adds it to p. A solve is one graph: kernels on the GPU decide whether
// there will be another cycle.
//
// With lines a cycle is V(1, 1) on the finest level and V(2, 2) below, one kernel per half-sweep:
// each must have gone along all lines before the next begins.

template <class T>
Buffer<T> uploaded(const std::vector<T>& values, const Stream& stream) {
  Buffer<T> buffer(MemorySpace::device, values.size());
  copy_bytes(buffer.data(), values.data(), buffer.bytes(), stream);
  stream.synchronize();  // the values may go
  return buffer;
}

template <class T>
Buffer<T> zeros(std::int64_t size, const Stream& stream) {
  Buffer<T> buffer(MemorySpace::device, static_cast<std::size_t>(size));
  fill_bytes(buffer.data(), 0, buffer.bytes(), stream);
  return buffer;
}

/// An axis of one cell is its own neighbour or has none: either way it has no part in L.
bool has_neighbours(const AxisLevel& axis) { return axis.cells > 1; }

void append_table(const AxisLevel& axis, std::vector<float>& tables) {
  const std::size_t cells = axis.lower.size();
  const float present = has_neighbours(axis) ? 1.0F : 0.0F;
  for (std::size_t n = 0; n < cells; ++n) {
    tables.push_back(present * static_cast<float>(axis.lower[n]));
    tables.push_back(present * static_cast<float>(axis.upper[n]));
  }
  for (const double restriction_weight : axis.restriction_weight) {
    tables.push_back(static_cast<float>(restriction_weight));
  }
  for (const double interpolation_weight : axis.interpolation_weight) {
    tables.push_back(static_cast<float>(interpolation_weight));
  }
}

/// All levels' tables, level after level, axis after axis.
std::vector<float> tables_of(const Hierarchy& hierarchy) {
  std::vector<float> tables;
  for (const Level& level : hierarchy.levels()) {
    append_table(level.i, tables);
    append_table(level.j, tables);
    append_table(level.k, tables);
  }
  return tables;
}

/// A table as append_table wrote it; `at` moves behind it.
AxisView view_of(const AxisLevel& axis, const float*& at) {
  const auto cells = static_cast<int>(axis.cells);
  const AxisView view{.cells = cells,
                      .coarse_cells = axis.coarsened ? (cells + 1) / 2 : cells,
                      .periodic = axis.periodic && has_neighbours(axis),
                      .coarsened = axis.coarsened,
                      .coefficients = reinterpret_cast<const float2*>(at),
                      .restriction_weight = at + std::ptrdiff_t{2} * cells,
                      .interpolation_weight = at + std::ptrdiff_t{3} * cells};
  at += std::ptrdiff_t{4} * cells;
  return view;
}

Pitches pitches_of(const Hierarchy& hierarchy, int n) {
  return {static_cast<int>(hierarchy.row_pitch(n)), hierarchy.plane_pitch(n)};
}

std::vector<LevelView> views_of(const Hierarchy& hierarchy, const float* tables) {
  std::vector<LevelView> views;
  for (int n = 0; n < hierarchy.count(); ++n) {
    const Level& level = hierarchy.level(n);
    LevelView view;
    view.i = view_of(level.i, tables);
    view.j = view_of(level.j, tables);
    view.k = view_of(level.k, tables);
    view.at = pitches_of(hierarchy, n);
    view.coarse_at = pitches_of(hierarchy, std::min(n + 1, hierarchy.count() - 1));
    view.omega = static_cast<float>(level.omega);
    views.push_back(view);
  }
  return views;
}

template <class Real>
void append_coefficients(const AxisLevel& axis, std::vector<Pair<Real>>& to) {
  for (std::size_t n = 0; n < axis.lower.size(); ++n) {
    to.push_back(has_neighbours(axis) ? Pair<Real>{static_cast<Real>(axis.lower[n]),
                                                   static_cast<Real>(axis.upper[n])}
                                      : Pair<Real>{});
  }
}

/// The coefficients of axes i, j and k on the finest level.
template <class Real>
std::vector<Pair<Real>> finest_coefficients(const Level& finest) {
  std::vector<Pair<Real>> coefficients;
  append_coefficients(finest.i, coefficients);
  append_coefficients(finest.j, coefficients);
  append_coefficients(finest.k, coefficients);
  return coefficients;
}

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

/// body(std::bool_constant<value>{})
template <class Body>
void with_bool(bool value, const Body& body) {
  if (value) {
    body(std::true_type{});
  } else {
    body(std::false_type{});
  }
}

/// What a level has in GPU memory: levels of one block lack `up`, and all but the first all of it.
struct LevelFields {
  Buffer<float> r;
  Buffer<float> down;  ///< the correction on the way down
  Buffer<float> up;    ///< and on the way up
};

/// The correction for a residual, as a solver of all but the finest level's outer residual has it.
class Corrector {
 public:
  virtual ~Corrector() = default;

  /// The finest level, without its fields.
  [[nodiscard]] virtual const LevelView& finest() const = 0;

  /// The residual of the first of these levels.
  [[nodiscard]] virtual float* residual() const = 0;

  /// The correction by one V-cycle, and by full multigrid.
  virtual void queue_cycle(const Stream& stream) const = 0;
  virtual void queue_full_multigrid(const Stream& stream) const = 0;
};

/// The correction for a residual by one V-cycle: all levels but the finest.
class CoarseLevels final : public Corrector {
 public:
  CoarseLevels(const Hierarchy& hierarchy, const Stream& stream)
      : hierarchy_(hierarchy),
        multiprocessors_(multiprocessors_of(stream.device())),
        tables_(uploaded(tables_of(hierarchy), stream)),
        views_(views_of(hierarchy, tables_.data())) {
    for (int n = 1; n <= hierarchy.bottom(); ++n) {
      const std::int64_t size = hierarchy.field_size(n);
      const bool is_bottom = n == hierarchy.bottom();
      fields_.push_back({zeros<float>(size, stream), zeros<float>(size, stream),
                         is_bottom ? Buffer<float>() : zeros<float>(size, stream)});
    }
    set_bottom();
    allow_shared_bytes(bottom_kernel, bottom_shared_bytes());
  }

  [[nodiscard]] const LevelView& view(int n) const { return views_[static_cast<std::size_t>(n)]; }
  [[nodiscard]] const LevelView& finest() const override { return view(0); }
  [[nodiscard]] float* residual() const override { return fields(1).r.data(); }

  /// Its correction.
  [[nodiscard]] const float* correction() const { return correction_of(1); }

  void queue_cycle(const Stream& stream) const override { queue_cycle(stream, 1, From::zero); }

  /// The correction by full multigrid: on each level from the coarsest on a V-cycle from what the
  /// next coarser one found.
  void queue_full_multigrid(const Stream& stream) const override {
    for (int n = 1; n < hierarchy_.bottom(); ++n) {
      queue_restriction(stream, n);
    }
    queue_bottom(stream);
    for (int n = hierarchy_.bottom() - 1; n > 0; --n) {
      queue_ascent(stream, n, From::zero);
      queue_cycle(stream, n, From::what_is_there);
    }
  }

 private:
  [[nodiscard]] const LevelFields& fields(int n) const {
    return fields_[static_cast<std::size_t>(n) - 1];
  }
  [[nodiscard]] const float* correction_of(int n) const {
    return n == hierarchy_.bottom() ? fields(n).down.data() : fields(n).up.data();
  }

  void set_bottom() {
    const int first = hierarchy_.bottom();
    bottom_.levels = hierarchy_.count() - first;
    // All tables lie behind that of the first axis of the first level.
    bottom_.tables = reinterpret_cast<const float*>(view(first).i.coefficients);
    for (int n = first; n < hierarchy_.count(); ++n) {
      bottom_.level[n - first] = {view(n), static_cast<int>(hierarchy_.level(n).extents().count()),
                                  hierarchy_.has_seams(n), bottom_.floats};
      bottom_.floats += static_cast<int>(hierarchy_.bottom_floats(n));
      bottom_.table_count += static_cast<int>(hierarchy_.table_floats(n));
    }
    bottom_.sweeps_before = 1;
    bottom_.sweeps_after = 2;
    bottom_.r = fields(first).r.data();
    bottom_.e = fields(first).down.data();
  }

  [[nodiscard]] std::size_t bottom_shared_bytes() const {
    return static_cast<std::size_t>(bottom_.floats + bottom_.table_count) * sizeof(float);
  }

  /// A V-cycle on a level, from 0 or from its correction.
  void queue_cycle(const Stream& stream, int first, From from) const {
    for (int n = first; n < hierarchy_.bottom(); ++n) {
      queue_descent(stream, n, n == first ? from : From::zero);
    }
    queue_bottom(stream);
    for (int n = hierarchy_.bottom() - 1; n >= first; --n) {
      queue_ascent(stream, n, From::what_is_there);
    }
  }

  void queue_restriction(const Stream& stream, int n) const {
    constexpr int planes = 4;  // few cells: rather many blocks
    const LevelView& level = view(n);
    const RestrictArguments arguments{.level = level,
                                      .r = fields(n).r.data(),
                                      .coarse_r = fields(n + 1).r.data(),
                                      .planes = planes};
    const dim3 grid(static_cast<unsigned>(parts_of(level.k.cells, region_columns)),
                    static_cast<unsigned>(parts_of(level.j.cells, 2 * restrict_warps)),
                    static_cast<unsigned>(parts_of(level.i.cells, planes)));
    with_bool(hierarchy_.has_seams(n), [&](auto seams) {
      launch(stream, {grid, dim3(32, restrict_warps)}, restrict_kernel<seams>, arguments);
    });
  }

  void queue_descent(const Stream& stream, int n, From from) const {
    const MarchPlan plan = plan_march(view(n), descend_reach(from), multiprocessors_);
    const DescendArguments arguments{.level = view(n),
                                     .r = fields(n).r.data(),
                                     .start = from == From::zero ? nullptr : fields(n).up.data(),
                                     .e = fields(n).down.data(),
                                     .coarse_r = fields(n + 1).r.data(),
                                     .planes = plan.planes};
    with_bool(hierarchy_.has_seams(n), [&](auto seams) {
      with_bool(from == From::zero, [&](auto from_zero) {
        constexpr From start = from_zero ? From::zero : From::what_is_there;
        constexpr std::size_t bytes = sizeof(DescendShared<seams>);
        allow_shared_bytes(descend_kernel<start, seams>, bytes);
        launch(stream, {plan.grid(), dim3(32, warps), bytes}, descend_kernel<start, seams>,
               arguments);
      });
    });
  }

  void queue_bottom(const Stream& stream) const {
    launch(stream, {dim3(1), dim3(bottom_threads), bottom_shared_bytes()}, bottom_kernel, bottom_);
  }

  /// From 0, or from the correction on the way down.
  void queue_ascent(const Stream& stream, int n, From from) const {
    const MarchPlan plan = plan_march(view(n), ascend_reach, multiprocessors_);
    const AscendArguments<float> arguments{
        .level = view(n),
        .coarse = correction_of(n + 1),
        .r = fields(n).r.data(),
        .e = from == From::zero ? nullptr : fields(n).down.data(),
        .p = fields(n).up.data(),
        .scale = nullptr,
        .planes = plan.planes};
    with_bool(hierarchy_.has_seams(n), [&](auto seams) {
      constexpr std::size_t bytes = sizeof(AscendShared<seams>);
      allow_shared_bytes(ascend_kernel<float, false, seams>, bytes);
      launch(stream, {plan.grid(), dim3(32, warps), bytes}, ascend_kernel<float, false, seams>,
             arguments);
    });
  }

  const Hierarchy& hierarchy_;
  int multiprocessors_;
  Buffer<float> tables_;
  std::vector<LevelView> views_;
  std::vector<LevelFields> fields_;  ///< from level 1 to the bottom's first
  BottomArguments bottom_{};
};

/// What relaxation of a level's lines looks up, in GPU memory.
class UploadedLineTables {
 public:
  UploadedLineTables(const LineTables& tables, const Stream& stream)
      : numbers_(uploaded(tables.numbers(), stream)),
        classes_(uploaded(tables.classes(), stream)) {}

  void show(const LineTables& tables, LineLevelView& view) const {
    const int cells = view.level.i.cells;
    view.classes_j = tables.classes_j();
    view.classes_k = tables.classes_k();
    view.cyclic = tables.cyclic();
    view.widths = numbers_.data();
    view.above = view.widths + cells;
    view.inverse = view.above + cells;
    if (view.cyclic) {
      view.around = view.inverse + std::ptrdiff_t{cells} * view.classes_j * view.classes_k;
    }
    view.class_j = classes_.data();
    view.class_k = view.class_j + view.level.j.cells;
  }

 private:
  Buffer<float> numbers_;
  Buffer<int> classes_;
};

/// The correction for a residual by lines: all levels but the first, of which the second is a copy.
class LineLevels final : public Corrector {
 public:
  LineLevels(const Hierarchy& hierarchy, const Stream& stream)
      : hierarchy_(hierarchy),
        tables_(uploaded(tables_of(hierarchy), stream)),
        views_(views_of(hierarchy, tables_.data())),
        particular_(zeros<float>(hierarchy.field_size(1), stream)) {
    for (int n = 1; n < hierarchy.count(); ++n) {
      const LineTables tables(hierarchy.level(n));
      const LevelFields& fields =
          fields_.emplace_back(LevelFields{zeros<float>(hierarchy.field_size(n), stream),
                                           zeros<float>(hierarchy.field_size(n), stream),
                                           {}});
      LineLevelView view;
      view.level = views_[static_cast<std::size_t>(n)];
      line_tables_.emplace_back(tables, stream).show(tables, view);
      view.seams = hierarchy.has_seams_across(n);
      view.sweeps_before = hierarchy.level(n).sweeps_before;
      view.sweeps_after = hierarchy.level(n).sweeps_after;
      view.r = fields.r.data();
      view.e = fields.down.data();
      lines_.push_back(view);
    }
    set_bottom();
  }

  [[nodiscard]] const LevelView& finest() const override { return views_.front(); }
  [[nodiscard]] float* residual() const override { return lines(1).r; }

  void queue_cycle(const Stream& stream) const override { queue_cycle(stream, 1, From::zero); }

  void queue_full_multigrid(const Stream& stream) const override {
    for (int n = 1; n < hierarchy_.bottom(); ++n) {
      queue_transfer(stream, line_restrict_kernel, n, lines(n + 1).level, true);
    }
    queue_bottom(stream, line_bottom_kernel<true>);
    for (int n = hierarchy_.bottom() - 1; n > 0; --n) {
      queue_transfer(stream, line_interpolate_kernel, n, lines(n).level, true);
      queue_cycle(stream, n, From::what_is_there);
    }
  }

  /// p += the correction / scale
  template <class Real>
  void queue_correction(const Stream& stream, Real* p, const double* scale) const {
    launch(stream, shape_for(cells_of(lines(1).level)), line_correct_kernel<Real>,
           LineCorrectArguments<Real>{lines(1), p, scale});
  }

 private:
  [[nodiscard]] const LineLevelView& lines(int n) const {
    return lines_[static_cast<std::size_t>(n) - 1];
  }

  static std::int64_t cells_of(const LevelView& level) {
    return std::int64_t{level.i.cells} * level.j.cells * level.k.cells;
  }

  /// A thread for each of so many things, or for several.
  static LaunchShape shape_for(std::int64_t count) {
    constexpr std::int64_t max_blocks = std::int64_t{1} << 20;
    const std::int64_t blocks = (count + line_threads - 1) / line_threads;
    return {dim3(static_cast<unsigned>(std::min(blocks, max_blocks))), dim3(line_threads)};
  }

  void set_bottom() {
    const int first = hierarchy_.bottom();
    bottom_.levels = hierarchy_.count() - first;
    expects(bottom_.levels <= max_line_bottom_levels, "few levels have few lines");
    std::copy(lines_.begin() + first - 1, lines_.end(), bottom_.level);
    bottom_.particular = particular_.data();
  }

  void queue_bottom(const Stream& stream, void (*kernel)(LineBottomArguments)) const {
    launch(stream, {dim3(1), dim3(line_bottom_threads)}, kernel, bottom_);
  }

  /// A V-cycle on a level, from 0 or from its correction.
  void queue_cycle(const Stream& stream, int first, From from) const {
    for (int n = first; n < hierarchy_.bottom(); ++n) {
      queue_sweeps(stream, n, lines(n).sweeps_before, n == first ? from : From::zero);
      queue_transfer(stream, line_restrict_kernel, n, lines(n + 1).level, false);
    }
    queue_bottom(stream, line_bottom_kernel<false>);
    for (int n = hierarchy_.bottom() - 1; n >= first; --n) {
      queue_transfer(stream, line_interpolate_kernel, n, lines(n).level, false);
      queue_sweeps(stream, n, lines(n).sweeps_after, From::what_is_there);
    }
  }

  /// Between level n and the next one, a thread for each cell of `formed`.
  void queue_transfer(const Stream& stream, void (*kernel)(LineTransferArguments), int n,
                      const LevelView& formed, bool e_is_zero) const {
    launch(stream, shape_for(cells_of(formed)), kernel,
           LineTransferArguments{lines(n), lines(n + 1), e_is_zero});
  }

  void queue_sweeps(const Stream& stream, int n, int sweeps, From from) const {
    // Where neighbours are of the same colour what is in memory counts.
    const bool clears = from == From::zero && lines(n).seams;
    const bool from_zero = from == From::zero && !clears;
    if (clears) {
      fill_bytes(lines(n).e, 0, static_cast<std::size_t>(hierarchy_.field_size(n)) * sizeof(float),
                 stream);
    }
    for (int half = 0; half < 2 * sweeps; ++half) {
      queue_half_sweep(stream, lines(n),
                       {.colour = half % 2,
                        .neighbours_are_zero = from_zero && half == 0,
                        .e_is_zero = from_zero && half < 2});
    }
  }

  void queue_half_sweep(const Stream& stream, const LineLevelView& lines, LineSweep sweep) const {
    if (!lines.seams) {
      queue_passes(stream, lines, sweep);
      return;
    }
    sweep.goes_back = false;
    queue_passes(stream, lines, sweep);
    sweep.goes_up = false;
    sweep.goes_back = true;
    queue_passes(stream, lines, sweep);
  }

  void queue_passes(const Stream& stream, const LineLevelView& lines,
                    const LineSweep& sweep) const {
    const LevelView& level = lines.level;
    const LineSweepArguments arguments{lines, sweep, particular_.data()};
    with_bool(lines.cyclic, [&](auto cyclic) {
      launch(stream, shape_for(std::int64_t{level.j.cells} * ((level.k.cells + 1) / 2)),
             line_sweep_kernel<cyclic>, arguments);
    });
  }

  const Hierarchy& hierarchy_;
  Buffer<float> tables_;
  std::vector<LevelView> views_;
  Buffer<float> particular_;         ///< of the lines of a half-sweep
  std::vector<LevelFields> fields_;  ///< from level 1 on
  std::vector<UploadedLineTables> line_tables_;
  std::vector<LineLevelView> lines_;
  LineBottomArguments bottom_{};
};

template <class Real>
class CudaMultigrid final : public Solver<Real> {
 public:
  CudaMultigrid(const Domain& domain, Stopping stopping, const Stream& stream)
      : stream_(stream),
        body_stream_(stream.device()),
        cells_(domain.extents()),
        hierarchy_(domain, bottom_bytes(stream.device())),
        multiprocessors_(multiprocessors_of(stream.device())),
        limits_{tolerance_of(stopping), stopping.max_cycles, stopping.factor},
        f_(zeros<Real>(hierarchy_.field_size(0), stream)),
        p_(zeros<Real>(hierarchy_.field_size(0), stream)),
        r_(hierarchy_.has_lines() ? Buffer<float>()
                                  : zeros<float>(hierarchy_.field_size(0), stream)),
        lines_(hierarchy_.has_lines() ? std::make_unique<LineLevels>(hierarchy_, stream) : nullptr),
        points_(hierarchy_.has_lines() ? nullptr
                                       : std::make_unique<CoarseLevels>(hierarchy_, stream)),
        inner_(lines_ ? static_cast<const Corrector&>(*lines_) : *points_),
        coefficients_(uploaded(finest_coefficients<Real>(hierarchy_.level(0)), stream)),
        shares_(uploaded(shares_of(hierarchy_.turned().domain), stream)),
        partials_(MemorySpace::device, survey_blocks),
        control_(zeros<Control>(1, stream)) {
    forget();
    stream_.synchronize();
    whole_solve_ = std::make_unique<Graph>(stream_, [this] { queue(); });
  }

  [[nodiscard]] CellSlots<Real> right_side() const override { return slots(f_); }
  [[nodiscard]] CellSlots<Real> solution() const override { return slots(p_); }

  void solve() override {
    if (is_recording(stream_)) {
      queue();
    } else {
      whole_solve_->launch(stream_);
    }
  }

  void forget() override {
    // Any bits but 0 say so.
    fill_bytes(&control_.data()->forgotten, 1, sizeof(Control::forgotten), stream_);
  }

  void recall() override {
    fill_bytes(&control_.data()->forgotten, 0, sizeof(Control::forgotten), stream_);
  }

  [[nodiscard]] Outcome outcome() const override {
    Control control{};
    copy_bytes(&control, control_.data(), sizeof control, stream_);
    stream_.synchronize();
    return {control.cycles, static_cast<double>(control.residual) / control.scale,
            control.converged != 0};
  }

  [[nodiscard]] Traffic traffic() const override {
    return lines_ ? traffic_of_lines() : traffic_of_points();
  }

 private:
  [[nodiscard]] Traffic traffic_of_points() const {
    Traffic all;
    for (int n = 0; n < hierarchy_.bottom(); ++n) {
      const auto cells = static_cast<double>(hierarchy_.level(n).extents().count());
      const auto coarse = static_cast<double>(hierarchy_.level(n + 1).extents().count());
      constexpr double word = sizeof(float);
      constexpr double real = sizeof(Real);
      if (n == 0) {
        // defect: p, f; r, coarse r. ascend: r, p, coarse e; p.
        constexpr int flops =
            CellFlops::defect + transfer_flops + sweeps_up_flops + CellFlops::correction;
        all = all + Traffic{cells * (3 * real + word) + coarse * word,
                            cells * (real + word) + coarse * word, cells * flops};
      } else {
        // descend: r; e, coarse r. ascend: r, e, coarse e; e.
        constexpr double flops =
            sweep_down_flops + CellFlops::residual + transfer_flops + sweeps_up_flops + 1;
        all = all + Traffic{cells * 3 * word + coarse * word, cells * 2 * word + coarse * word,
                            cells * flops};
      }
    }
    return all;
  }

  /// Levels that one block solves alone do not count, as with points.
  [[nodiscard]] Traffic traffic_of_lines() const {
    constexpr double word = sizeof(float);
    constexpr double real = sizeof(Real);
    const Level& finest = hierarchy_.level(0);
    const auto cells = static_cast<double>(finest.extents().count());
    // defect: p, f; r. correction: e, p; p.
    Traffic all{cells * (3 * real + word), cells * (real + word),
                cells * (CellFlops::defect + CellFlops::correction)};
    for (int n = 1; n < hierarchy_.bottom(); ++n) {
      const Level& level = hierarchy_.level(n);
      const auto coarse = static_cast<double>(hierarchy_.level(n + 1).extents().count());
      all = all + traffic_of_line_level(level, coarse);
    }
    return all;
  }

  /// A sweep reads r and, of each colour's lines, e of the other and their own, and writes e; the
  /// particular solution is written and read. The first one finds e = 0: its red lines read none,
  /// its black ones not their own. Then come the residual (r, e; coarse r) and the interpolation
  /// (e, coarse e; e).
  static Traffic traffic_of_line_level(const Level& level, double coarse) {
    constexpr double word = sizeof(float);
    const bool cyclic = level.i.periodic && level.i.cells > 1;
    const auto cells = static_cast<double>(level.extents().count());
    const int sweeps = level.sweeps_before + level.sweeps_after;
    constexpr int transfers = CellFlops::residual + 3 + 3 * CellFlops::interpolated + 1;
    const double saved =
        0.5 * (LineFlops::relaxation(cyclic) - LineFlops::relaxation_from_zero(cyclic));
    return {(cells * (4.0 * sweeps - 1.5 + 3.0) + coarse) * word,
            (cells * (2.0 * sweeps + 1.0) + coarse) * word,
            cells * (sweeps * LineFlops::relaxation(cyclic) - saved + transfers)};
  }

  // Operations per cell, as on a CPU but for the transfers between levels: a weight and a
  // multiply-add down, and up two interpolations, one of which serves both planes of a pair, and
  // the rows' interpolation, of which neighbouring cells share half. Where e is 0 the red half of
  // the sweep down multiplies r by the gain.
  static constexpr int transfer_flops = 3 + 2 * CellFlops::interpolated + 2;
  static constexpr int sweeps_up_flops = 2 * CellFlops::relaxation;
  static constexpr double sweep_down_flops = 0.5 * (CellFlops::relaxation + 1);

  /// The conditions of the loops in a recorded graph.
  struct Conditions {
    LoopCondition full_multigrid;
    LoopCondition cycles;
  };

  static std::size_t bottom_bytes(Device gpu) {
    return std::min(max_bottom_bytes, max_shared_bytes(gpu, bottom_kernel));
  }

  /// Residuals are compared as they are stored, rounded: what passes must be below the tolerance.
  static double tolerance_of(const Stopping& stopping) {
    constexpr double rounding = 0x1p-23;
    return stopping.tolerance * (1.0 - rounding);
  }

  [[nodiscard]] CellSlots<Real> slots(const Buffer<Real>& field) const {
    const std::array<std::int64_t, 3> pitch{hierarchy_.plane_pitch(0), hierarchy_.row_pitch(0), 1};
    std::array<std::int64_t, 3> of_given{};
    for (std::size_t n = 0; n < pitch.size(); ++n) {
      of_given[static_cast<std::size_t>(hierarchy_.turned().axis[n])] = pitch[n];
    }
    // Where k has one cell its pitch, which must be 1, does not matter.
    return {.data = field.data(),
            .plane_pitch = of_given[0],
            .row_pitch = of_given[1],
            .reach = box_of(cells_)};
  }

  void queue() {
    const Conditions conditions{new_loop_condition(stream_), new_loop_condition(stream_)};
    queue_survey();
    queue_defect(stream_, After::start, conditions);
    queue_defect(stream_, After::restart, conditions);
    // Goes round once at most.
    queue_loop(stream_, conditions.full_multigrid, body_stream_, [&] {
      inner_.queue_full_multigrid(body_stream_);
      queue_ascent(body_stream_);
      queue_defect(body_stream_, After::cycle, conditions);
    });
    queue_loop(stream_, conditions.cycles, body_stream_, [&] {
      inner_.queue_cycle(body_stream_);
      queue_ascent(body_stream_);
      queue_defect(body_stream_, After::cycle, conditions);
    });
  }

  void queue_survey() const {
    const LevelView& finest = inner_.finest();
    const double* const share_j = shares_.data() + finest.i.cells;
    const SurveyArguments<Real> arguments{.f = f_.data(),
                                          .at = finest.at,
                                          .planes = finest.i.cells,
                                          .rows = finest.j.cells,
                                          .columns = finest.k.cells,
                                          .share_i = shares_.data(),
                                          .share_j = share_j,
                                          .share_k = share_j + finest.j.cells,
                                          .partials = partials_.data(),
                                          .control = control_.data()};
    constexpr std::int64_t rows_per_block = survey_threads / 32;
    const std::int64_t rows = std::int64_t{finest.i.cells} * finest.j.cells;
    const auto blocks = static_cast<unsigned>(
        std::min<std::int64_t>((rows + rows_per_block - 1) / rows_per_block, survey_blocks));
    launch(stream_, {dim3(blocks), dim3(survey_threads)}, survey_kernel<Real>, arguments);
  }

  void queue_defect(const Stream& stream, After after, const Conditions& conditions) const {
    const LevelView& finest = inner_.finest();
    const Pair<Real>* const along_j = coefficients_.data() + finest.i.cells;
    const int tiles_k = parts_of(finest.k.cells, region_columns);
    const int tiles_j = parts_of(finest.j.cells, 2 * defect_warps);
    const int planes = defect_planes(finest.i.cells, tiles_k * tiles_j);
    const DefectArguments<Real> arguments{.level = finest,
                                          .coefficients_i = coefficients_.data(),
                                          .coefficients_j = along_j,
                                          .coefficients_k = along_j + finest.j.cells,
                                          .f = f_.data(),
                                          .p = p_.data(),
                                          // With lines the next level has the same cells.
                                          .r = lines_ ? inner_.residual() : r_.data(),
                                          .coarse_r = inner_.residual(),
                                          .planes = planes,
                                          .after = after,
                                          .limits = limits_,
                                          .control = control_.data(),
                                          .full_multigrid = conditions.full_multigrid,
                                          .cycles = conditions.cycles};
    const dim3 grid(static_cast<unsigned>(tiles_k), static_cast<unsigned>(tiles_j),
                    static_cast<unsigned>(parts_of(finest.i.cells, planes)));
    with_bool(hierarchy_.has_seams(0), [&](auto seams) {
      launch(stream, {grid, dim3(32, defect_warps)}, defect_kernel<Real, seams>, arguments);
    });
  }

  /// Planes per slab: several blocks per multiprocessor, but no more planes than help.
  [[nodiscard]] int defect_planes(int planes, int tiles) const {
    constexpr int blocks_per_multiprocessor = 8;
    constexpr int max_planes = 64;
    const int slabs = std::max(blocks_per_multiprocessor * multiprocessors_ / tiles, 1);
    const int even = (parts_of(planes, slabs) + 1) / 2 * 2;
    return std::clamp(even, 2, max_planes);
  }

  void queue_ascent(const Stream& stream) const {
    if (lines_) {
      lines_->queue_correction(stream, p_.data(), &control_.data()->scale);
      return;
    }
    const LevelView& finest = inner_.finest();
    const MarchPlan plan = plan_march(finest, ascend_reach, multiprocessors_);
    const AscendArguments<Real> arguments{.level = finest,
                                          .coarse = points_->correction(),
                                          .r = r_.data(),
                                          .e = nullptr,
                                          .p = p_.data(),
                                          .scale = &control_.data()->scale,
                                          .planes = plan.planes};
    with_bool(hierarchy_.has_seams(0), [&](auto seams) {
      constexpr std::size_t bytes = sizeof(AscendShared<seams>);
      allow_shared_bytes(ascend_kernel<Real, true, seams>, bytes);
      launch(stream, {plan.grid(), dim3(32, warps), bytes}, ascend_kernel<Real, true, seams>,
             arguments);
    });
  }

  const Stream& stream_;
  Stream body_stream_;  ///< that the loop's body is recorded on
  Extents cells_;
  Hierarchy hierarchy_;
  int multiprocessors_;
  Limits limits_;
  Buffer<Real> f_;
  Buffer<Real> p_;
  Buffer<float> r_;
  std::unique_ptr<LineLevels> lines_;
  std::unique_ptr<CoarseLevels> points_;  ///< one of both
  const Corrector& inner_;
  Buffer<Pair<Real>> coefficients_;
  Buffer<double> shares_;
  Buffer<double> partials_;
  Buffer<Control> control_;
  std::unique_ptr<Graph> whole_solve_;
};

}  // namespace
}  // namespace multigrid::cuda

template <class Real>
std::unique_ptr<Solver<Real>> make_cuda_multigrid(const Domain& domain, Stopping stopping,
                                                  const Stream& stream) {
  return std::make_unique<multigrid::cuda::CudaMultigrid<Real>>(domain, stopping, stream);
}

template std::unique_ptr<Solver<float>> make_cuda_multigrid(const Domain& domain, Stopping stopping,
                                                            const Stream& stream);
template std::unique_ptr<Solver<double>> make_cuda_multigrid(const Domain& domain,
                                                             Stopping stopping,
                                                             const Stream& stream);

}  // namespace bankfull::poisson
