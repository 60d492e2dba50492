#pragma once

#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/exec/launch.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/corrector.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/level_tables.cuh"
#include "bankfull/numerics/poisson/multigrid/cuda/line_tables.hpp"
#include "bankfull/numerics/poisson/multigrid/cuda/lines.cuh"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bankfull::poisson::multigrid::cuda {

inline std::int64_t cells_of(const LevelView& level) {
  return std::int64_t{level.i.cells} * level.j.cells * level.k.cells;
}

/// A thread for each of so many things, or for several.
inline LaunchShape line_shape_for(std::int64_t count) {
  constexpr std::int64_t max_blocks = std::int64_t{1} << 20;
  const std::int64_t blocks = (count + line_threads - 1) / line_threads;
  return {dim3(static_cast<unsigned>(std::min(blocks, max_blocks))), dim3(line_threads)};
}

/// p += e / scale on a level, or a window of it; e as the next level has it, whose cells are the
/// same.
template <class Real>
void queue_line_correction(const Stream& stream, const LevelView& level, const float* e, Real* p,
                           const double* scale) {
  launch(stream, line_shape_for(cells_of(level)), line_correct_kernel<Real>,
         LineCorrectArguments<Real>{level, e, p, scale});
}

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
        tables_(uploaded(tables_of(hierarchy.levels()), stream)),
        views_(views_of(hierarchy.levels(), tables_.data())),
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
  [[nodiscard]] const float* correction() const override { return lines(1).e; }

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

  [[nodiscard]] Traffic cycle_traffic() const override {
    Traffic sum;
    for (int n = 1; n < hierarchy_.bottom(); ++n) {
      const Level& level = hierarchy_.level(n);
      sum = sum + sweeps_traffic(n, level.sweeps_before, From::zero) +
            line_restriction_traffic(level) + line_interpolation_traffic(level) +
            sweeps_traffic(n, level.sweeps_after, From::what_is_there);
    }
    return sum;
  }

 private:
  [[nodiscard]] const LineLevelView& lines(int n) const {
    return lines_[static_cast<std::size_t>(n) - 1];
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
    launch(stream, line_shape_for(cells_of(formed)), kernel,
           LineTransferArguments{lines(n), lines(n + 1), e_is_zero});
  }

  /// Half-sweeps of a level, from 0 or from what is there. Where neighbours are of the same colour
  /// what is in memory counts.
  [[nodiscard]] std::vector<LineSweep> half_sweeps(int n, int sweeps, From from) const {
    const bool from_zero = from == From::zero && !lines(n).seams;
    std::vector<LineSweep> halves;
    for (int half = 0; half < 2 * sweeps; ++half) {
      halves.push_back({.colour = half % 2,
                        .neighbours_are_zero = from_zero && half == 0,
                        .e_is_zero = from_zero && half < 2});
    }
    return halves;
  }

  [[nodiscard]] Traffic sweeps_traffic(int n, int sweeps, From from) const {
    const Level& level = hierarchy_.level(n);
    Traffic sum{.flops = from == From::zero ? flops_of_sweeps_from_zero(level, sweeps)
                                            : flops_of_sweeps(level, sweeps)};
    for (const LineSweep& half : half_sweeps(n, sweeps, from)) {
      sum = sum + half_sweep_traffic(level, half);
    }
    return sum;
  }

  void queue_sweeps(const Stream& stream, int n, int sweeps, From from) const {
    if (from == From::zero && lines(n).seams) {
      fill_bytes(lines(n).e, 0, static_cast<std::size_t>(hierarchy_.field_size(n)) * sizeof(float),
                 stream);
    }
    for (const LineSweep& half : half_sweeps(n, sweeps, from)) {
      queue_half_sweep(stream, lines(n), half);
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
      launch(stream, line_shape_for(std::int64_t{level.j.cells} * ((level.k.cells + 1) / 2)),
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

}  // namespace bankfull::poisson::multigrid::cuda
