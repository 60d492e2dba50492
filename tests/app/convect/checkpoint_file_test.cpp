#include "bankfull/app/convect/checkpoint_file.hpp"

#include "bankfull/app/convect/checkpoints.hpp"
#include "bankfull/core/base/error.hpp"
#include "tests/temporary_folder.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace bankfull::convect {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class Checkpoint : public testing::Test {
 protected:
  [[nodiscard]] fs::path file() const { return folder_.path() / checkpoint_name(120); }

  TemporaryFolder folder_;
};

convection::Problem problem_with(const std::vector<std::string>& scalars, std::int64_t cells = 4) {
  convection::Problem problem;
  for (convection::AxisCells& axis : problem.axes) {
    axis = {.cells = cells, .periodic = true};
  }
  for (const std::string& name : scalars) {
    problem.scalars.push_back({.name = name});
  }
  return problem;
}

/// Saves a flow on 4 x 4 x 4 cells with one scalar; each value is its plane's number.
void save_example(convection::StateWriter& to) {
  to.numbers("clock/progress", {0.5, 0.25});
  to.counts("clock/steps", {120});
  for (const std::string name : {"u", "v", "w", "salt"}) {
    to.cells("flow/" + name, {4, 4, 4}, Precision::fp32, [](const Box& part, double* values) {
      for (std::int64_t i = part.i0; i < part.i1; ++i) {
        std::fill_n(values + (i - part.i0) * 16, 16, static_cast<double>(i));
      }
    });
  }
}

const CheckpointHeader example_header{.step = 120,
                                      .time = 0.5,
                                      .resolved_case = "a = 1\n",
                                      .told = {100, 3, 20, 2},
                                      .taken = {7200.5, 3}};

std::string refusal_of(const fs::path& path) {
  try {
    const CheckpointReader reader(path);
  } catch (const RuntimeFailure& failure) {
    return failure.what();
  }
  return "";
}

TEST_F(Checkpoint, GivesBackWhatWasSaved) {
  write_checkpoint({file()}, example_header, save_example);
  const CheckpointReader reader(file());
  EXPECT_EQ(reader.header().step, 120);
  EXPECT_EQ(reader.header().time, 0.5);
  EXPECT_EQ(reader.header().resolved_case, "a = 1\n");
  EXPECT_EQ(reader.header().told.slice_list_bytes, 20);
  EXPECT_EQ(reader.header().taken.seconds, 7200.5);
  EXPECT_EQ(reader.header().taken.processes, 3);
  EXPECT_TRUE(reader.has("flow/salt"));
  EXPECT_FALSE(reader.has("potential"));
  EXPECT_THAT(reader.numbers("clock/progress"), ElementsAre(0.5, 0.25));
  EXPECT_THAT(reader.counts("clock/steps"), ElementsAre(120));
  std::vector<double> planes(32);
  reader.cells("flow/salt", {2, 4, 0, 4, 0, 4}, planes.data());
  EXPECT_EQ(planes.front(), 2.0);
  EXPECT_EQ(planes.back(), 3.0);
}

TEST_F(Checkpoint, KnowsTheProblemThatItIsOf) {
  write_checkpoint({file()}, example_header, save_example);
  const CheckpointReader reader(file());
  const auto require_of = [&](const convection::Problem& problem) {
    reader.require_fields(problem, convection::Grid(problem.axes));
  };
  EXPECT_NO_THROW(require_of(problem_with({"salt"})));
  EXPECT_THROW(require_of(problem_with({"sugar"})), RuntimeFailure);
  EXPECT_THROW(require_of(problem_with({})), RuntimeFailure);
  EXPECT_THROW(require_of(problem_with({"salt", "sugar"})), RuntimeFailure);
  EXPECT_THROW(require_of(problem_with({"salt"}, 5)), RuntimeFailure);
}

TEST_F(Checkpoint, RefusesFilesOfOthers) {
  hdf5::NewFile other(file());
  other.add("u", std::vector<double>{1.0});
  other.commit();
  EXPECT_THAT(refusal_of(file()), HasSubstr("bankfull convect did not write it"));
}

TEST_F(Checkpoint, RefusesLaterVersions) {
  hdf5::NewFile later(file());
  later.set_attribute("format", "bankfull checkpoint of convection");
  later.set_attribute("version", 4);
  later.commit();
  EXPECT_THAT(refusal_of(file()),
              HasSubstr("it has version 4 of the format, and this program knows versions 2 and 3"));
}

TEST_F(Checkpoint, RefusesOneWithoutItsParts) {
  hdf5::NewFile empty(file());
  empty.set_attribute("format", "bankfull checkpoint of convection");
  empty.set_attribute("version", 3);
  empty.commit();
  EXPECT_THAT(refusal_of(file()), HasSubstr("it does not list its contents"));
}

TEST_F(Checkpoint, RefusesOneOfAnEarlierVersionWithoutItsParts) {
  hdf5::NewFile empty(file());
  empty.set_attribute("format", "bankfull checkpoint of convection");
  empty.set_attribute("version", 2);
  empty.commit();
  EXPECT_THAT(refusal_of(file()), HasSubstr("it has no state/clock/steps"));
}

TEST_F(Checkpoint, TheLastTwoAreKept) {
  for (const std::int64_t step : {1, 20, 300}) {
    write_checkpoint({folder_.path() / checkpoint_name(step)}, example_header, save_example);
  }
  for (const char* name : {"step-0000000300.h5.part-a1B2c3", "mine.h5", "step-1.h5"}) {
    std::ofstream(folder_.path() / name) << "x";
  }
  remove_old_checkpoints(folder_.path());
  EXPECT_THAT(checkpoints_in(folder_.path()), ElementsAre(folder_.path() / "step-0000000300.h5",
                                                          folder_.path() / "step-0000000020.h5"));
  EXPECT_TRUE(fs::exists(folder_.path() / "mine.h5"));
  EXPECT_FALSE(fs::exists(folder_.path() / "step-0000000300.h5.part-a1B2c3"));
}

TEST(CheckpointMemory, GrowsWithThreadsUpToAWholeField) {
  const Extents cells{64, 256, 256};
  const auto bytes = [&](Precision precision, int threads) {
    return bytes_to_write_checkpoint(cells, precision, threads);
  };
  EXPECT_EQ(bytes(Precision::fp64, 2), 2 * bytes(Precision::fp64, 1));
  EXPECT_EQ(bytes(Precision::fp64, 64), cells.count() * 8);
  EXPECT_EQ(bytes(Precision::fp32, 64), cells.count() * (8 + 4));
}

TEST(CheckpointNames, AreInTheOrderOfSteps) {
  EXPECT_EQ(checkpoint_name(7), "step-0000000007.h5");
  EXPECT_TRUE(is_checkpoint_name(checkpoint_name(std::int64_t{1} << 60)));
  for (const char* name :
       {"step-.h5", "step-12.h5", "step-00000000x7.h5", "step-0000000007.h5.part-abc"}) {
    EXPECT_FALSE(is_checkpoint_name(name)) << name;
  }
}

}  // namespace
}  // namespace bankfull::convect
