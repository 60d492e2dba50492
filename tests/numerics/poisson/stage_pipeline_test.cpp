#include "bankfull/numerics/poisson/multigrid/cpu/stage_pipeline.hpp"

#include "bankfull/numerics/poisson/multigrid/cpu/cycle.hpp"
#include "bankfull/numerics/poisson/multigrid/cpu/stages.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <gtest/gtest.h>
#include <tuple>
#include <vector>

namespace bankfull::poisson::multigrid {
namespace {

/// How many stages each row of a grid has seen.
struct Record {
  explicit Record(const PipelineShape& grid)
      : shape(grid), stages(static_cast<std::size_t>(grid.planes * grid.rows)) {}

  PipelineShape shape;
  std::vector<std::atomic<int>> stages;  ///< threads look at what others write
  std::atomic<int> violations = 0;

  std::atomic<int>& at(std::int64_t i, std::int64_t j) {
    return stages[static_cast<std::size_t>(i * shape.rows + j)];
  }

  /// Counts those cells beside (i, j), itself excluded, that have not seen from `least` to `most`.
  void expect_around(std::int64_t i, std::int64_t j, int least, int most) {
    for (const int side : {-1, 1}) {
      expect(around(i + side, shape.planes, shape.around_planes), j, least, most);
      expect(i, around(j + side, shape.rows, shape.around_rows), least, most);
    }
  }

  void expect(std::int64_t i, std::int64_t j, int least, int most) {
    if (i >= 0 && j >= 0 && (at(i, j) < least || at(i, j) > most)) {
      ++violations;
    }
  }

  /// -1 beyond a wall
  static std::int64_t around(std::int64_t n, std::int64_t count, bool closed) {
    if (n >= 0 && n < count) {
      return n;
    }
    return closed ? (n + count) % count : -1;
  }
};

/// Expects of the rows around what stage_pipeline.hpp promises.
struct Recorded {
  Record* record;
  int number;

  [[nodiscard]] StageAxis planes() const { return {record->shape.planes, false}; }
  [[nodiscard]] StageAxis rows() const { return {record->shape.rows, false}; }

  void operator()(std::int64_t i, const Range& some, const Range& /*rows*/) const {
    for (std::int64_t j = some.begin; j < some.end; ++j) {
      record->expect(i, j, number, number);
      record->expect_around(i, j, number, number + 1);
      record->at(i, j) = number + 1;
    }
  }
};

/// A last stage that takes cells in pairs.
struct RecordedPairs {
  Record* record;
  int number;
  bool pairs_i;
  bool pairs_j;

  [[nodiscard]] StageAxis planes() const { return {record->shape.planes, pairs_i}; }
  [[nodiscard]] StageAxis rows() const { return {record->shape.rows, pairs_j}; }

  void operator()(std::int64_t i, const Range& some, const Range& /*rows*/) const {
    for (std::int64_t j = some.begin; j < some.end; ++j) {
      see(i, j);
    }
  }

  void see(std::int64_t i, std::int64_t j) const {
    for (std::int64_t cell_i : cells(planes(), i)) {
      for (std::int64_t cell_j : cells(rows(), j)) {
        record->expect(cell_i, cell_j, number, number);
        record->expect_around(cell_i, cell_j, number, number + 1);
        record->at(cell_i, cell_j) = number + 1;
      }
    }
  }

  static std::vector<std::int64_t> cells(const StageAxis& axis, std::int64_t index) {
    if (!axis.pairs) {
      return {index};
    }
    return 2 * index + 1 < axis.cells ? std::vector{2 * index, 2 * index + 1}
                                      : std::vector{2 * index};
  }
};

/// What happens to a grid by stages, of which `members` of five threads do each.
template <class... Stages>
void run_by_stages(int members, const PipelineShape& shape, std::tuple<Stages...> stages) {
  const auto pipeline = pipeline_for(shape, stages);
  const Team team(5);
#pragma omp parallel num_threads(team.threads())
  {
    auto mine = stages;
    pipeline.run_by_stages(share_number(), members, mine, [] {
#pragma omp barrier
    });
  }
}

std::vector<PipelineShape> pipeline_shapes() {
  std::vector<PipelineShape> shapes;
  for (const std::int64_t planes : {1, 2, 7, 24, 29}) {
    for (const std::int64_t rows : {1, 3, 16, 25}) {
      for (const std::int64_t slab : {6, 8, 100}) {
        for (int bits = 0; bits < 4; ++bits) {
          shapes.push_back(
              {planes, (bits & 1) != 0 && planes > 1, rows, (bits & 2) != 0 && rows > 1, slab});
        }
      }
    }
  }
  return shapes;
}

template <class... Stages>
void run_by(int threads, bool backwards, const PipelineShape& shape, std::tuple<Stages...> stages) {
  const auto pipeline = pipeline_for(shape, stages);
  const int members = pipeline.members(threads, stages);
  if (members == 0) {
    pipeline.run_in_turn(stages);
    return;
  }
  for (int n = 0; n < members; ++n) {
    pipeline.run_inside(backwards ? members - 1 - n : n, members, stages);
  }
  for (int n = 0; n < members; ++n) {
    pipeline.run_between(backwards ? members - 1 - n : n, members, stages);
  }
}

TEST(MultigridPipeline, StagesFollowEachOther) {
  for (const PipelineShape& shape : pipeline_shapes()) {
    for (const int threads : {1, 2, 3, 5}) {
      for (const bool backwards : {false, true}) {
        for (int pairs = 0; pairs < 4; ++pairs) {
          Record record(shape);
          run_by(threads, backwards, shape,
                 std::tuple(Recorded{&record, 0}, Recorded{&record, 1}, Recorded{&record, 2},
                            RecordedPairs{&record, 3, (pairs & 1) != 0, (pairs & 2) != 0}));
          const bool complete = std::all_of(record.stages.begin(), record.stages.end(),
                                            [](int stages) { return stages == 4; });
          EXPECT_TRUE(complete && record.violations == 0)
              << record.violations << " violations: " << shape.planes << ' ' << shape.around_planes
              << ' ' << shape.rows << ' ' << shape.around_rows << ' ' << shape.slab << " by "
              << threads << ", pairs " << pairs;
        }
      }
    }
  }
}

/// All around a row have then seen the stage before, which is more than pipelines promise.
TEST(MultigridStages, MembersDoOneAfterTheOther) {
  for (const PipelineShape& shape : pipeline_shapes()) {
    for (const int members : {1, 2, 5}) {
      for (int pairs = 0; pairs < 4; ++pairs) {
        Record record(shape);
        run_by_stages(members, shape,
                      std::tuple(Recorded{&record, 0}, Recorded{&record, 1},
                                 RecordedPairs{&record, 2, (pairs & 1) != 0, (pairs & 2) != 0}));
        const bool complete = std::all_of(record.stages.begin(), record.stages.end(),
                                          [](int stages) { return stages == 3; });
        EXPECT_TRUE(complete && record.violations == 0)
            << record.violations << " violations: " << shape.planes << " x " << shape.rows << " by "
            << members << ", pairs " << pairs;
      }
    }
  }
}

/// What cells at a distance from the ends of an axis have seen, of so many stages.
int seen_at(std::int64_t n, std::int64_t count, const OpenEnds& open, int stages) {
  const std::int64_t from_lower = open.lower ? n + 1 : stages;
  const std::int64_t from_upper = open.upper ? count - n : stages;
  return static_cast<int>(std::min<std::int64_t>({from_lower, from_upper, stages}));
}

/// Cells that have not seen as many of three stages as their distance from open ends allows.
int different_from_allowed(Record& record) {
  constexpr int stages = 3;
  const PipelineShape& shape = record.shape;
  int different = 0;
  for (std::int64_t i = 0; i < shape.planes; ++i) {
    for (std::int64_t j = 0; j < shape.rows; ++j) {
      const int expected = std::min(seen_at(i, shape.planes, shape.open_planes, stages),
                                    seen_at(j, shape.rows, shape.open_rows, stages));
      different += record.at(i, j) == expected ? 0 : 1;
    }
  }
  return different;
}

/// All combinations of ends at which a grid goes on.
std::vector<PipelineShape> open_shapes(std::int64_t slab) {
  std::vector<PipelineShape> shapes;
  for (int bits = 0; bits < 16; ++bits) {
    shapes.push_back({.planes = 26,
                      .rows = 25,
                      .slab = slab,
                      .open_planes = {(bits & 1) != 0, (bits & 2) != 0},
                      .open_rows = {(bits & 4) != 0, (bits & 8) != 0}});
  }
  return shapes;
}

auto three_stages(Record& record) {
  return std::tuple(Recorded{&record, 0}, Recorded{&record, 1}, Recorded{&record, 2});
}

TEST(MultigridPipeline, StagesEndBeforeEachOtherWhereTheGridGoesOn) {
  for (const std::int64_t slab : {6, 8, 100}) {
    for (const PipelineShape& shape : open_shapes(slab)) {
      for (const int threads : {1, 2, 3}) {
        Record record(shape);
        run_by(threads, false, shape, three_stages(record));
        EXPECT_EQ(different_from_allowed(record), 0) << "slab " << slab << ", by " << threads;
        EXPECT_EQ(record.violations, 0) << "slab " << slab << ", by " << threads;
      }
    }
  }
}

TEST(MultigridStages, EndBeforeEachOtherWhereTheGridGoesOn) {
  for (const PipelineShape& shape : open_shapes(100)) {
    for (const int members : {1, 4}) {
      Record record(shape);
      run_by_stages(members, shape, three_stages(record));
      EXPECT_EQ(different_from_allowed(record), 0) << members;
      EXPECT_EQ(record.violations, 0) << members;
    }
  }
}

/// Where an odd axis closes on itself two cells of one colour meet; no two members may work there
/// at once.
TEST(MultigridPipeline, NothingCrossesAnOddSeamBeforeMembersMet) {
  const PipelineShape shape{25, true, 8, false, 100};
  Record record(shape);
  auto stages = std::tuple(Recorded{&record, 0});
  const auto pipeline = pipeline_for(shape, stages);
  pipeline.run_inside(0, 2, stages);
  pipeline.run_inside(1, 2, stages);
  EXPECT_EQ(record.at(0, 0), 0);
  EXPECT_EQ(record.at(24, 0), 0);
  EXPECT_EQ(record.at(1, 0), 1);
}

/// How many of sixteen threads have planes enough for two stages.
int members_of_two_stages(const PipelineShape& shape, bool pairs) {
  Record record(shape);
  const auto stages = std::tuple(Recorded{&record, 0}, RecordedPairs{&record, 1, pairs, pairs});
  return pipeline_for(shape, stages).members(16, stages);
}

TEST(MultigridPipeline, FewPlanesHaveFewMembers) {
  EXPECT_EQ(members_of_two_stages({3, true, 8, true, 8}, false), 0);
  EXPECT_EQ(members_of_two_stages({3, false, 8, true, 8}, false), 1);
  EXPECT_EQ(members_of_two_stages({16, true, 8, true, 8}, true), 4);
  EXPECT_EQ(members_of_two_stages({16, true, 8, true, 8}, false), 8);
}

TEST(MultigridPipeline, HasSlabsOfEqualRowsThatTheCacheHolds) {
  const Axis planes{std::vector<double>(8, 1.0), true};
  const Axis rows{std::vector<double>(100, 1.0), true};
  const Axis cells{std::vector<double>(300, 1.0), true};
  const CpuLevel level(make_levels({planes, rows, cells}).front(), Team(1));
  const std::int64_t mebi = std::int64_t{1} << 20;
  EXPECT_EQ(level.shape(1, mebi).slab, 100);
  // Room for 60 rows at most, for fewer than 16.
  EXPECT_EQ(level.shape(mebi / (60 * level.e.row_bytes()), mebi).slab, 50);
  EXPECT_EQ(level.shape(mebi, mebi).slab, 16);
}

TEST(MultigridPipeline, ManyStagesHaveThickSlabsWhereSecondCachesAreSmall) {
  constexpr std::int64_t mebi = std::int64_t{1} << 20;
  for (const std::int64_t unknown_or_small : {std::int64_t{0}, mebi / 2, mebi}) {
    EXPECT_EQ(slab_bytes(5, unknown_or_small), mebi);
    EXPECT_EQ(slab_bytes(6, unknown_or_small), 3 * mebi);
  }
  EXPECT_EQ(slab_bytes(5, 2 * mebi), mebi);
  EXPECT_EQ(slab_bytes(6, 2 * mebi), mebi);
}

TEST(MultigridPipeline, CountsPlanesOfTheOuterIterate) {
  using Start = Relaxation<float>;
  EXPECT_EQ(outer_planes_of<Start>(), 0);
  EXPECT_EQ((outer_planes_of<Correction<double>>()), 2);
  EXPECT_EQ((outer_planes_of<Both<Defect<double>, Start>>()), 8);
  EXPECT_EQ((outer_planes_of<Both<Defect<float>, Start>>()), 4);
}

}  // namespace
}  // namespace bankfull::poisson::multigrid
