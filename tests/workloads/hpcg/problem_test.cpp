#include "bankfull/core/base/error.hpp"
#include "bankfull/core/machine/cpu.hpp"
#include "bankfull/core/memory/capacity.hpp"
#include "bankfull/workloads/hpcg/plan.hpp"
#include "tests/alone.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <utility>

namespace bankfull::hpcg {
namespace {

using ::testing::HasSubstr;

/// The ranks along x, y and z that a problem of this local size gets.
Grid3 chosen(const Grid3& local, int ranks) {
  Problem problem;
  problem.local = local;
  const RankGrid grid = decompose(problem, ranks).grid();
  return {grid.k, grid.j, grid.i};
}

template <class Change>
std::string refusal_of(const Problem& good, const Change& change) {
  Problem problem = good;
  change(problem);
  try {
    make_plan(problem, alone());
  } catch (const UsageError& error) {
    return error.what();
  }
  ADD_FAILURE() << "accepted --local " << to_string(problem.local);
  return "";
}

Problem valid_problem() {
  Problem problem;
  problem.local = {16, 16, 16};
  return problem;
}

/// Passes the rules of official runs but for those of memory, which depend on the machine.
Problem official_problem() {
  Problem problem = valid_problem();
  problem.official = true;
  problem.seconds = official_seconds;
  return problem;
}

TEST(ParseGrid, TakesThreeNumbersAlongXYZ) {
  EXPECT_EQ(parse_grid("--local", "256x128x64"), (Grid3{256, 128, 64}));
  EXPECT_EQ(to_string(Grid3{256, 128, 64}), "256x128x64");
}

TEST(ParseGrid, RejectsNonsenseByName) {
  for (const char* text : {"", "x", "xx", "8x8", "8x8x8x8", "0x8x8", "-8x8x8", "8x8x8 ", "8.0x8x8",
                           "0x8x8x", "99999999999999999999x8x8", "1048577x8x8", "axbxc", "8X8X8"}) {
    try {
      parse_grid("--local", text);
      FAIL() << text << " was accepted";
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr(std::string("--local ") + text));
    }
  }
}

TEST(Names, AreUnderstood) {
  for (const Variant variant : all_variants()) {
    EXPECT_EQ(parse_variant(to_string(variant)), variant);
  }
  for (const ColumnIndices columns : {ColumnIndices::full, ColumnIndices::slim}) {
    EXPECT_EQ(parse_columns(to_string(columns)), columns);
  }
  for (const Sweeps sweeps :
       {Sweeps::automatic, Sweeps::classes, Sweeps::syncfree, Sweeps::pipelined}) {
    EXPECT_EQ(parse_sweeps(to_string(sweeps)), sweeps);
  }
  for (const Products products : {Products::direct, Products::recurrence}) {
    EXPECT_EQ(parse_products(to_string(products)), products);
  }
  EXPECT_THROW(parse_products("half"), UsageError);
  EXPECT_THROW(parse_variant("fast"), UsageError);
  EXPECT_THROW(parse_columns(""), UsageError);
  EXPECT_THROW(parse_sweeps("wave"), UsageError);
}

/// For the names of sweeps in old records the message states the new ones.
TEST(Names, EarlierOnesOfSweepsAreRefusedWithTheNewOnes) {
  for (const auto& [earlier, now] :
       {std::pair{"waves", "--sweeps syncfree"}, std::pair{"conveyors", "--sweeps pipelined"}}) {
    try {
      parse_sweeps(earlier);
      ADD_FAILURE() << earlier;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr(now));
    }
  }
}

TEST(LevelGrid, TakesEverySecondPoint) {
  EXPECT_EQ(level_grid({104, 16, 8}, 0), (Grid3{104, 16, 8}));
  EXPECT_EQ(level_grid({104, 16, 8}, 3), (Grid3{13, 2, 1}));
  for (std::int64_t n = 8; n < 40; ++n) {
    std::int64_t halved = n;
    for (int level = 0; level < level_count; ++level) {
      EXPECT_EQ(level_grid({n, 8, 8}, level).nx, halved);
      halved = (halved + 1) / 2;
    }
  }
}

TEST(Decompose, GivesEveryRankItsLocalGridAtEveryLevel) {
  Problem problem;
  problem.local = {9, 16, 31};
  problem.process_grid = Grid3{2, 3, 1};
  for (int level = 0; level < level_count; ++level) {
    const Decomposition decomposition = decompose(problem, 6, level);
    const Grid3 local = level_grid(problem.local, level);
    for (int rank = 0; rank < 6; ++rank) {
      const Box block = decomposition.block(rank);
      EXPECT_EQ(block.extents(), (Extents{local.nz, local.ny, local.nx}));
      // Ranks are numbered with x fastest, as in the official program.
      EXPECT_EQ(block.k0, rank % 2 * local.nx);
      EXPECT_EQ(block.j0, rank / 2 * local.ny);
      EXPECT_EQ(block.i0, 0);
    }
  }
}

TEST(Decompose, CutsAlongZFirst) {
  EXPECT_EQ(chosen({64, 64, 64}, 1), (Grid3{1, 1, 1}));
  EXPECT_EQ(chosen({64, 64, 64}, 2), (Grid3{1, 1, 2}));
  EXPECT_EQ(chosen({64, 64, 64}, 3), (Grid3{1, 1, 3}));
  EXPECT_EQ(chosen({64, 64, 64}, 4), (Grid3{1, 2, 2}));
  EXPECT_EQ(chosen({64, 64, 64}, 8), (Grid3{2, 2, 2}));
}

TEST(Decompose, CutsAcrossTheLongestSide) {
  EXPECT_EQ(chosen({64, 128, 64}, 2), (Grid3{1, 2, 1}));
  // Halos across x lie apart in memory and cost more.
  EXPECT_EQ(chosen({128, 64, 64}, 2), (Grid3{1, 1, 2}));
  EXPECT_EQ(chosen({512, 64, 64}, 2), (Grid3{2, 1, 1}));
}

TEST(Decompose, KeepsTheShapeThatOfficialRunsNeed) {
  for (const int ranks : {12, 16, 27, 32, 64, 96, 100, 1000, 4096}) {
    const Grid3 grid = chosen({64, 64, 64}, ranks);
    EXPECT_EQ(grid.count(), ranks);
    EXPECT_GE(aspect_ratio(grid), smallest_ratio) << to_string(grid);
  }
  EXPECT_EQ(chosen({64, 64, 64}, 11), (Grid3{1, 1, 11}));
}

TEST(Decompose, RefusesAGridOfOtherRanks) {
  Problem problem = valid_problem();
  for (const Grid3 grid : {Grid3{1, 1, 2}, Grid3{0, 1, 1}, Grid3{-1, -1, 4}, Grid3{4, 4, 4},
                           Grid3{std::int64_t{1} << 40, std::int64_t{1} << 40, 1}}) {
    problem.process_grid = grid;
    EXPECT_THROW(decompose(problem, 4), UsageError) << to_string(grid);
  }
}

TEST(WorkBytes, FollowFromRowsAndHalo) {
  Problem problem;
  problem.local = {128, 128, 128};
  const double rows = 128.0 * 128.0 * 128.0;
  const auto alone_bytes = static_cast<double>(work_bytes(problem, 1).device);
  EXPECT_NEAR(alone_bytes, 818.0 * rows * 8.0 / 7.0, 0.01 * alone_bytes);
  const auto shared_bytes = static_cast<double>(work_bytes(problem, 4).device);
  EXPECT_GT(shared_bytes, alone_bytes);
  EXPECT_LT(shared_bytes, 1.02 * alone_bytes);
}

TEST(LeastMemoryBytes, AreFewerThanTheMost) {
  Problem problem;
  for (const std::int64_t side : {16, 104, 352}) {
    problem.local = {side, side, side};
    for (const Variant variant : all_variants()) {
      problem.variant = variant;
      EXPECT_GT(data_bytes(problem), 0);
      for (const int ranks : {1, 4, 27}) {
        EXPECT_LT(data_bytes(problem), work_bytes(problem, ranks).device) << to_string(variant);
      }
    }
  }
}

/// A copy that a variant does not make, or makes smaller, does not count.
TEST(LeastMemoryBytes, KnowTheVariant) {
  Problem problem;
  problem.local = {128, 128, 128};
  const std::int64_t tuned = data_bytes(problem);
  problem.columns = ColumnIndices::slim;
  EXPECT_LT(data_bytes(problem), tuned);
  problem.columns = ColumnIndices::full;
  problem.variant = Variant::reference;
  EXPECT_LT(data_bytes(problem), tuned * 6 / 10);
}

TEST(Validate, TakesAnySizeFrom8) {
  for (const Grid3 local : {Grid3{8, 8, 8}, Grid3{9, 17, 33}, Grid3{8, 8, 800}}) {
    Problem problem;
    problem.local = local;
    make_plan(problem, alone());
  }
}

TEST(Validate, RejectsWhatMakesNoSense) {
  const auto rejected = [](const auto& change, const char* saying) {
    EXPECT_THAT(refusal_of(valid_problem(), change), HasSubstr(saying));
  };
  rejected([](Problem& p) { p.local = {7, 8, 8}; }, "--local 7x8x8");
  rejected([](Problem& p) { p.local = {0, 8, 8}; }, "--local 0x8x8");
  rejected([](Problem& p) { p.local = {8, 8, -8}; }, "--local 8x8x-8");
  rejected([](Problem& p) { p.local = {2'000'000, 8, 8}; }, "too long");
  rejected([](Problem& p) { p.local = {1300, 1300, 1300}; }, "32-bit");
  rejected([](Problem& p) { p.local = {1 << 20, 1 << 20, 1 << 20}; }, "32-bit");
  rejected([](Problem& p) { p.seconds = -1.0; }, "--seconds -1");
  rejected([](Problem& p) { p.seconds = std::nan(""); }, "--seconds nan");
  rejected([](Problem& p) { p.seconds = 700000.0; }, "--seconds 700000");
  rejected([](Problem& p) { p.threads = 0; }, "--threads 0");
  rejected([](Problem& p) { p.process_grid = Grid3{1, 1, 2}; }, "--ranks-grid 1x1x2");
}

/// Before memory is looked at, so that the machine does not matter.
TEST(Validate, RefusesMoreSlotsThanCanBeNumbered) {
  const auto refused = [](const Grid3& local, Variant variant) {
    return refusal_of(valid_problem(), [&](Problem& p) {
      p.local = local;
      p.variant = variant;
    });
  };
  EXPECT_EQ(refused({1104, 1104, 1104}, Variant::tuned),
            "--local 1104x1104x1104 has 1345572864 points per rank; their entries in slices of 8 "
            "rows exceed 32-bit indices; use up to 1096x1096x1096 per rank, and more ranks");
  EXPECT_THAT(refused({8, 20000, 8300}, Variant::tuned), HasSubstr("slices of 8 rows"));
  EXPECT_THAT(refused({1300, 1300, 1300}, Variant::reference),
              HasSubstr("exceeds 32-bit indices; use up to 1288x1288x1288 per rank"));

  EXPECT_LE(max_upper_slots({1096, 1096, 1096}, 8), INT32_MAX);
  EXPECT_GT(max_upper_slots({1104, 1104, 1104}, 8), INT32_MAX);
}

TEST(Validate, KeepsGpuVariantsOffTheCpu) {
  for (const Variant variant :
       {Variant::ell, Variant::csr, Variant::cusparse_coloured, Variant::cusparse_csr}) {
    EXPECT_THAT(refusal_of(valid_problem(), [&](Problem& p) { p.variant = variant; }),
                HasSubstr("use --variant tuned or reference, or --device cuda"));
  }
  EXPECT_THAT(refusal_of(valid_problem(),
                         [](Problem& p) {
                           p.variant = Variant::reference;
                           p.columns = ColumnIndices::slim;
                         }),
              HasSubstr("--columns slim"));
  EXPECT_THAT(refusal_of(valid_problem(), [](Problem& p) { p.products = Products::recurrence; }),
              HasSubstr("--products recurrence is for --variant tuned on GPUs"));
}

TEST(Validate, NamesASizeThatFitsMemory) {
  if (free_bytes(Device::cpu()) > std::int64_t{1} << 40) {
    GTEST_SKIP() << "the largest grid that 32-bit indices can name fits this machine";
  }
  EXPECT_THAT(refusal_of(valid_problem(),
                         [](Problem& p) {
                           p.local = {1096, 1096, 1096};
                         }),
              HasSubstr("the largest cube that fits is --local "));
}

TEST(Validate, InsistsOnTheRulesOfOfficialRuns) {
  const auto rejected = [](const auto& change, const char* saying) {
    EXPECT_THAT(refusal_of(official_problem(), change), HasSubstr(saying));
  };
  rejected([](Problem& p) { p.seconds = 0.0; }, "quick path");
  rejected([](Problem& p) { p.seconds = 0.0; }, "use --seconds 1800 or more");
  rejected([](Problem& p) { p.seconds = 1799.0; }, "--seconds 1799");
  rejected([](Problem& p) { p.local = {20, 24, 24}; }, "multiples of 8");
  rejected([](Problem& p) { p.local = {8, 16, 16}; }, "from 16");
  rejected([](Problem& p) { p.local = {16, 16, 136}; }, "differ too much");
}

TEST(Validate, NamesAllBrokenRulesOfOfficialRunsAtOnce) {
  const std::string message = refusal_of(official_problem(), [](Problem& p) {
    p.seconds = 60.0;
    p.local = {20, 24, 200};
    p.columns = ColumnIndices::slim;
    p.perturbation = 1e-6;
  });
  EXPECT_THAT(message, ::testing::StartsWith("--official: --seconds 60 is too short; "));
  for (const char* words : {"the side 20", "differ too much", "--columns slim keeps", "1e-06",
                            "a quarter of the memory", "use --seconds 1800 or more",
                            "use multiples of 8", "none is longer than 8 times another",
                            "use --columns full", "leave out --perturb-operator", "use --local "}) {
    EXPECT_THAT(message, HasSubstr(words));
  }
}

TEST(Validate, KeepsWhatIsNotSettledOutOfOfficialRuns) {
  EXPECT_THAT(refusal_of(official_problem(), [](Problem& p) { p.columns = ColumnIndices::slim; }),
              HasSubstr("--official: --columns slim"));
  EXPECT_THAT(refusal_of(official_problem(), [](Problem& p) { p.perturbation = 1e-6; }),
              HasSubstr("--perturb-operator"));
}

TEST(BrokenRules, AreNamedWithoutBeingInsistedOn) {
  Problem problem = valid_problem();
  problem.local = {20, 24, 200};
  problem.columns = ColumnIndices::slim;
  const std::vector<BrokenRule> broken = make_plan(problem, alone()).broken_rules;
  ASSERT_EQ(broken.size(), 4U);
  EXPECT_THAT(broken[0].what, HasSubstr("the side 20"));
  EXPECT_THAT(broken[1].what, HasSubstr("differ too much"));
  EXPECT_THAT(broken[2].what, HasSubstr("--columns slim"));
  EXPECT_THAT(broken[3].what, HasSubstr("a quarter of the memory"));
}

/// The sizes that the pages show for official runs on an H200 with 150109880320 bytes.
TEST(OfficialMemory, OfAnH200NeedsMoreThan256) {
  constexpr double memory = 150109880320.0;
  Problem problem = official_problem();
  const auto share = [&](std::int64_t side, int ranks) {
    problem.local = {side, side, side};
    return static_cast<double>(work_bytes(problem, ranks).device) / memory;
  };
  const auto min_share = [&](std::int64_t side) {
    problem.local = {side, side, side};
    return static_cast<double>(data_bytes(problem)) / memory;
  };
  EXPECT_LT(min_share(256), official_memory_share);
  EXPECT_LT(min_share(352), official_memory_share);
  EXPECT_GT(min_share(360), official_memory_share);
  EXPECT_GT(min_share(384), 0.3);
  EXPECT_LT(share(384, 4), 0.36);
  EXPECT_LT(share(528, 4), 0.95);
  // Without a copy of the matrix the same size fills less.
  problem.variant = Variant::reference;
  EXPECT_LT(min_share(384), official_memory_share);
}

TEST(Validate, AsksOfficialRunsForAQuarterOfMemory) {
  const std::string message = refusal_of(official_problem(), [](Problem& /*p*/) {});
  ASSERT_THAT(message, HasSubstr("less than a quarter"));
  const std::string option = "use --local ";
  const std::size_t begin = message.find(option) + option.size();
  Problem larger = official_problem();
  larger.local = parse_grid("--local", message.substr(begin, message.find(' ', begin) - begin));
  const double quarter = static_cast<double>(survey_cpu().memory_bytes) / 4.0;
  EXPECT_GE(static_cast<double>(data_bytes(larger)), quarter);
  larger.local = {larger.local.nx - 8, larger.local.ny - 8, larger.local.nz - 8};
  EXPECT_LT(static_cast<double>(data_bytes(larger)), quarter);
}

}  // namespace
}  // namespace bankfull::hpcg
