#pragma once

#include "bankfull/core/exec/team.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

namespace bankfull::poisson::multigrid {

// Several stages in one pass over a grid, in place. Stage s works on a row of cells when stage
// s - 1 has done that row and its four neighbours, and stage s + 1 none of them: stages follow each
// other from plane to plane and from row to row at a distance of one. What a stage leaves is thus
// still in the cache when the next needs it, and the result is the same as that of one stage after
// the other.

/// Wraps an index that lies at most once around the axis.
constexpr std::int64_t wrapped_once(std::int64_t n, std::int64_t count) {
  return n < count ? n : n - count;
}

/// Along one axis, what a stage calls an index: a cell, a pair of cells that have one parent, or
/// all cells, along which a pipeline then must not be cut.
struct StageAxis {
  std::int64_t cells = 0;
  bool pairs = false;
  bool whole = false;

  [[nodiscard]] std::int64_t count() const { return whole ? 1 : (pairs ? (cells + 1) / 2 : cells); }

  /// How many indices have all their cells before cell x, which may lie up to once around the axis
  /// beyond its end.
  [[nodiscard]] std::int64_t before(std::int64_t x) const {
    if (whole) {
      return x / cells;
    }
    if (!pairs) {
      return x;
    }
    return x < cells ? x / 2 : count() + (x - cells) / 2;
  }

  /// The first index that has no cell before cell x.
  [[nodiscard]] std::int64_t from(std::int64_t x) const {
    if (whole) {
      return (x + cells - 1) / cells;
    }
    if (!pairs) {
      return x;
    }
    return x <= cells ? (x + 1) / 2 : count() + (x - cells + 1) / 2;
  }
};

/// Where a part of the grid ends for each of the stages.
struct Cut {
  std::int64_t at = 0;
  int shift = 0;  ///< +1 or -1: each stage ends one cell further on or further back than the last

  [[nodiscard]] std::int64_t index(const StageAxis& axis, std::int64_t margin) const {
    return shift > 0 ? axis.from(at + margin) : axis.before(shift < 0 ? at - margin : at);
  }
};

/// Between two cuts along an axis.
struct Part {
  Cut begin;
  Cut end;

  [[nodiscard]] Range indices(const StageAxis& axis, std::int64_t margin) const {
    return {begin.index(axis, margin), end.index(axis, margin)};
  }
};

/// Ends of an axis at which a grid continues, though not here: a stage works up to one cell less
/// there than the one before it, whose neighbours it needs.
struct OpenEnds {
  bool lower = false;
  bool upper = false;
};

/// The planes and rows that a pipeline runs over.
struct PipelineShape {
  std::int64_t planes = 1;
  bool around_planes = false;  ///< the last plane is the first one's neighbour
  std::int64_t rows = 1;
  bool around_rows = false;
  std::int64_t slab = 1;  ///< rows that the stages go through together, plane by plane
  OpenEnds open_planes = {};
  OpenEnds open_rows = {};
};

/// The stages are callable with the index of a plane, some rows of it one after the other, and the
/// range of rows that they go through in each plane, which may end beyond a periodic end; they
/// provide their `planes` and `rows` as StageAxis. Rows of a plane come together where they can, so
/// that a stage finds out once what they share.
template <class... Stages>
class StagePipeline {
 public:
  explicit StagePipeline(const PipelineShape& shape)
      : shape_(shape), seam_(shape.around_planes && shape.planes % 2 != 0 ? 1 : 0) {}

  /// How many of `threads` have enough planes; 0 where stages must go one after the other.
  [[nodiscard]] int members(int threads, const std::tuple<Stages...>& all) const {
    const auto most =
        static_cast<int>(std::min<std::int64_t>(threads, shape_.planes / thinnest_part(all)));
    return shape_.around_planes ? most : std::max(most, 1);
  }

  /// The first of two phases, between which all members meet: each its own planes, except, of later
  /// stages, those near the planes of others.
  void run_inside(int member, int members, std::tuple<Stages...>& all) const {
    const Range mine = share(shape_.planes, member, members);
    const bool first = mine.begin == 0 && !shape_.around_planes && !shape_.open_planes.lower;
    const bool last =
        mine.end == shape_.planes && !shape_.around_planes && !shape_.open_planes.upper;
    run_slabs({{mine.begin, first ? 0 : 1}, {mine.end, last ? 0 : -1}}, all);
  }

  /// The planes near the beginning of the member's own.
  void run_between(int member, int members, std::tuple<Stages...>& all) const {
    const Range mine = share(shape_.planes, member, members);
    if (mine.begin == 0 && !shape_.around_planes) {
      return;
    }
    const std::int64_t at = mine.begin == 0 ? shape_.planes : mine.begin;
    run_slabs({{at, -1}, {at, 1}}, all);
  }

  /// One stage after the other, each by all members, while other threads of their team only meet
  /// them in between by meet(). For grids that stay in the members' caches: all have rows to do,
  /// however few the planes. An odd number of planes or rows must not close on itself, where two
  /// cells of one colour would meet.
  template <class Meet>
  void run_by_stages(int thread, int members, std::tuple<Stages...>& all, const Meet& meet) const {
    run_shares(thread, members, all, meet, std::index_sequence_for<Stages...>{});
  }

  /// For few planes that meet around the axis.
  void run_in_turn(std::tuple<Stages...>& all) const {
    std::apply([](auto&... stage) { (run_whole(stage), ...); }, all);
  }

 private:
  static constexpr std::int64_t stages = sizeof...(Stages);

  /// Where an odd number of planes closes on itself, two cells of one colour meet, and even the
  /// first stage must not cross.
  [[nodiscard]] std::int64_t margin(std::int64_t stage) const { return stage + seam_; }

  /// Planes or rows that are enough for all stages' margins at both ends.
  [[nodiscard]] std::int64_t min_part() const { return 2 * margin(stages - 1) + 2; }

  /// Planes that are enough for a member: those of a stage near both ends may meet, for a stage
  /// reads nothing that it writes elsewhere, but pairs are not divided.
  [[nodiscard]] std::int64_t thinnest_part(const std::tuple<Stages...>& all) const {
    std::int64_t planes = 2;
    std::int64_t number = 0;
    const auto add = [&](const StageAxis& axis) {
      planes = std::max(planes, 2 * margin(number++) + (axis.pairs || seam_ > 0 ? 2 : 0));
    };
    std::apply([&](const auto&... stage) { (add(stage.planes()), ...); }, all);
    return planes;
  }

  template <class OneStage>
  static void run_whole(OneStage& stage) {
    const Range rows{0, stage.rows().count()};
    for (std::int64_t i = 0; i < stage.planes().count(); ++i) {
      stage(i, rows, rows);
    }
  }

  template <class Meet, std::size_t... S>
  void run_shares(int thread, int members, std::tuple<Stages...>& all, const Meet& meet,
                  std::index_sequence<S...> /*numbers*/) const {
    ((S > 0 ? meet() : void(),
      run_share(thread, members, static_cast<std::int64_t>(S), std::get<S>(all))),
     ...);
  }

  /// A member's share of the rows of one stage, which are counted through all planes.
  template <class OneStage>
  void run_share(int thread, int members, std::int64_t number, OneStage& stage) const {
    const Range i =
        all_of(shape_.planes, shape_.open_planes).indices(stage.planes(), margin(number));
    const Range j = all_of(shape_.rows, shape_.open_rows).indices(stage.rows(), margin(number));
    if (thread >= members || i.size() <= 0 || j.size() <= 0) {
      return;
    }
    const Range mine = share(i.size() * j.size(), thread, members);
    for (std::int64_t n = mine.begin; n < mine.end;) {
      const std::int64_t row = n % j.size();
      const std::int64_t rows = std::min(j.size() - row, mine.end - n);
      stage(i.begin + n / j.size(), Range{j.begin + row, j.begin + row + rows}, j);
      n += rows;
    }
  }

  /// All of an axis, up to where it goes on elsewhere.
  static Part all_of(std::int64_t cells, const OpenEnds& open) {
    return {{0, open.lower ? 1 : 0}, {cells, open.upper ? -1 : 0}};
  }

  void run_slabs(const Part& planes, std::tuple<Stages...>& all) const {
    const std::int64_t rows = std::max(shape_.slab, min_part());
    const std::int64_t slabs = std::max<std::int64_t>(1, shape_.rows / rows);
    const OpenEnds& open = shape_.open_rows;
    if (slabs == 1) {
      run_slab(planes, all_of(shape_.rows, open), all);
      return;
    }
    const int around = shape_.around_rows ? 1 : 0;
    const int first = open.lower ? 1 : around;
    const int last = open.upper ? -1 : around;
    for (std::int64_t slab = 0; slab < slabs; ++slab) {
      const Cut begin{slab * rows, slab == 0 ? first : -1};
      const Cut end = slab + 1 < slabs ? Cut{(slab + 1) * rows, -1} : Cut{shape_.rows, last};
      run_slab(planes, {begin, end}, all);
    }
  }

  void run_slab(const Part& planes, const Part& rows, std::tuple<Stages...>& all) const {
    const std::int64_t widest = margin(stages - 1);
    const std::int64_t first = planes.begin.at - (planes.begin.shift < 0 ? widest : 0);
    // A pair ends up to a cell beyond the cut.
    const std::int64_t end = planes.end.at + (planes.end.shift > 0 ? widest : 0) + 1;
    for (std::int64_t step = first; step < end + stages; ++step) {
      run_step(planes, rows, first, step, all, std::index_sequence_for<Stages...>{});
    }
  }

  template <std::size_t... S>
  void run_step(const Part& planes, const Part& rows, std::int64_t first, std::int64_t step,
                std::tuple<Stages...>& all, std::index_sequence<S...> /*numbers*/) const {
    constexpr auto number = [](std::size_t n) { return static_cast<std::int64_t>(n); };
    ((step - number(S) >= first
          ? run_stage(planes, rows, number(S), step - number(S), std::get<S>(all))
          : void()),
     ...);
  }

  /// Runs what plane x completes of one stage.
  template <class OneStage>
  void run_stage(const Part& planes, const Part& rows, std::int64_t number, std::int64_t x,
                 OneStage& stage) const {
    const StageAxis i_axis = stage.planes();
    const StageAxis j_axis = stage.rows();
    const Range wanted = planes.indices(i_axis, margin(number));
    const Range j = rows.indices(j_axis, margin(number));
    const std::int64_t i_begin = std::max(wanted.begin, i_axis.before(x));
    const std::int64_t i_end = std::min(wanted.end, i_axis.before(x + 1));
    const std::int64_t count = j_axis.count();
    for (std::int64_t i = i_begin; i < i_end; ++i) {
      const std::int64_t plane = wrapped_once(i, i_axis.count());
      if (j.begin < std::min(j.end, count)) {
        stage(plane, Range{j.begin, std::min(j.end, count)}, j);
      }
      if (j.end > count) {
        stage(plane, Range{std::max(j.begin, count) - count, j.end - count}, j);
      }
    }
  }

  PipelineShape shape_;
  std::int64_t seam_;
};

template <class... Stages>
StagePipeline<Stages...> pipeline_for(const PipelineShape& shape,
                                      const std::tuple<Stages...>& /*stages*/) {
  return StagePipeline<Stages...>(shape);
}

}  // namespace bankfull::poisson::multigrid
