#include "bankfull/app/convect/case_file.hpp"
#include "bankfull/app/convect/run_writer.hpp"
#include "bankfull/build_config.hpp"
#include "bankfull/core/base/error.hpp"
#include "tests/file_limit.hpp"
#include "tests/temporary_folder.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace bankfull::convect {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

constexpr const char* still = R"toml(name = "still"
[domain]
upper = [1, 1, 1]
cells = [4, 3, 2]
[physics]
viscosity = 1
diffusivity = 1
gravity = 1
expansion = 1
[boundaries]
x = "periodic"
y = "periodic"
z.lower = { velocity = "no-slip", temperature = 1 }
z.upper = { velocity = "no-slip", temperature = 0 }
[time]
dt = 1e-3
steps = 1
)toml";

class Runs : public testing::Test {
 protected:
  static void write(const fs::path& path, const std::string& text = "mine") {
    std::ofstream(path) << text;
  }
  static std::string read(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  [[nodiscard]] std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
      names.insert(fs::relative(entry.path(), folder_).string());
    }
    return names;
  }

  /// A flow on the case's grid, with one value everywhere.
  static convection::FlowState flow_of(double value) {
    return {.fields = std::vector<std::vector<double>>(4, std::vector<double>(24, value))};
  }
  /// A checkpoint saved now, after no row and two pictures.
  static CheckpointHeader saved_after_two_pictures(const RunDirectory& directory) {
    const auto bytes = [](const fs::path& file) {
      return static_cast<std::int64_t>(fs::file_size(file));
    };
    CheckpointHeader saved;
    saved.told = {.series_bytes = bytes(directory.series()),
                  .series_lines = 1,
                  .slice_list_bytes = bytes(directory.slice_list()),
                  .slice_list_lines = 3};
    return saved;
  }

  TemporaryFolder temporary_;
  fs::path folder_ = temporary_.path();
  Case run_ = parse_case(still, "still.toml", {});
};

TEST_F(Runs, AreWrittenToNewFoldersOnly) {
  EXPECT_NO_THROW(RunDirectory(folder_ / "a" / "b", false));
  EXPECT_NO_THROW(RunDirectory(folder_, false));  // empty
  EXPECT_TRUE(files().empty());
  write(folder_ / "something");
  EXPECT_THROW(RunDirectory(folder_, false), UsageError);
  EXPECT_THROW(RunDirectory(folder_, true), UsageError) << "is no run";
  write(folder_ / "case.toml");
  EXPECT_THROW(RunDirectory(folder_, true), UsageError) << "is somebody's own case";
  EXPECT_THROW(RunDirectory(folder_ / "something", true), UsageError);
  EXPECT_THROW(RunDirectory(folder_ / "something" / "below", true), UsageError);
  EXPECT_THROW(RunDirectory("", true), UsageError);
}

TEST_F(Runs, AreKnownFromTheirFirstMomentOn) {
  // What runs leave that were killed: their lock, and the case under a temporary name.
  write(folder_ / FolderLock::file_name, "");
  EXPECT_NO_THROW(RunDirectory(folder_, false)) << "there is nothing to lose";
  write(folder_ / "case.toml.part-aB3x9Z", "# The case");
  EXPECT_THROW(RunDirectory(folder_, false), UsageError);
  const RunDirectory directory(folder_, true);
  directory.create(run_);
  EXPECT_EQ(files(), (std::set<std::string>{"bankfull.lock", "case.toml", "slices"}));
}

TEST_F(Runs, LeaveTemporaryFilesThatTheNextOneRemoves) {
  RunDirectory(folder_, false).create(run_);
  for (const char* name :
       {"run.json.part-123456", "case.toml.part-1234", "slices/u-z-0001.png.part-abcdef"}) {
    write(folder_ / name);
  }
  for (const char* name :
       {"case.toml.part-", "thesis.part-123456", "slices/notes.txt.part-abcdef"}) {
    write(folder_ / name);
  }
  RunDirectory(folder_, true).create(run_);
  EXPECT_EQ(files(), (std::set<std::string>{"case.toml", "case.toml.part-", "thesis.part-123456",
                                            "slices", "slices/notes.txt.part-abcdef"}));
}

TEST_F(Runs, FollowNoLinks) {
  const fs::path outside = folder_ / "outside";
  const fs::path inside = folder_ / "inside";
  fs::create_directory(outside);
  write(outside / "temperature-y-0000.png");
  write(outside / "series.csv");
  RunDirectory(inside, false);
  fs::create_directory(inside);
  RunDirectory(inside, false).create(run_);
  write(inside / "slices.csv", "file,time\nslices/temperature-y-0000.png,0\n");
  fs::remove(inside / "slices");
  fs::create_directory_symlink(outside, inside / "slices");
  EXPECT_THROW(RunDirectory(inside, true), UsageError);
  fs::remove(inside / "slices");
  fs::create_symlink(outside / "series.csv", inside / "series.csv");
  RunDirectory(inside, true).create(run_);
  EXPECT_FALSE(fs::exists(inside / "series.csv"));
  EXPECT_EQ(read(outside / "series.csv"), "mine");
  EXPECT_EQ(read(outside / "temperature-y-0000.png"), "mine");
}

TEST_F(Runs, ReplaceWhatARunWritesAndNothingElse) {
  RunDirectory(folder_, false).create(run_);
  for (const char* name : {"run.json", "series.csv", "slices/temperature-y-0003.png",
                           "slices/u-2-z-12345.png", "slices/trip-y-2024.png", "notes.txt",
                           // The run was killed before it listed this picture.
                           "slices/temperature-y-0000.png"}) {
    write(folder_ / name);
  }
  write(folder_ / "slices.csv",
        "file,time\nslices/temperature-y-0003.png,0\nslices/u-2-z-12345.png,1\nnotes.txt,2\n");
  const RunDirectory directory(folder_, true);
  directory.create(run_);
  EXPECT_EQ(files(),
            (std::set<std::string>{"case.toml", "notes.txt", "slices", "slices/trip-y-2024.png"}));
  EXPECT_THAT(read(directory.case_file()), HasSubstr(run_.resolved));
}

TEST_F(Runs, KeepEachRowAndPictureAtOnce) {
  const RunDirectory directory(folder_ / "run", false);
  EXPECT_TRUE(files().empty());
  const FolderLock lock(directory.path());
  RunWriter writer(run_, directory, lock);
  EXPECT_EQ(files(), (std::set<std::string>{"run", "run/bankfull.lock"}));
  EXPECT_FALSE(writer.has_begun());
  writer.begin();
  EXPECT_TRUE(writer.has_begun());
  convection::SeriesRow row{.step = 3, .time = 0.5, .dt = 0.25, .cycles = 2};
  row.nusselt = {.lower = 1.5, .upper = 1.25, .volume = 1.125, .thermal = 1.75, .kinetic = 1.375};
  row.diagnosis.dissipation = 0.5;
  row.diagnosis.buoyancy_work = 8.0;
  row.diagnosis.wall_work = 9.0;
  row.diagnosis.force_work = 10.0;
  row.diagnosis.scalars.resize(1);
  row.diagnosis.scalars[0].max = 7.0;
  row.diagnosis.scalars[0].mean_square = 11.0;
  row.diagnosis.scalars[0].dissipation = 12.0;
  row.diagnosis.scalars[0].wall_production = 13.0;
  row.diagnosis.scalars[0].source_production = 14.0;
  row.diagnosis.scalars[0].inflow[2] = {15.0, 16.0};
  row.seconds_per_cell_step = 2e-9;
  row.resolution.cell_peclet = 17.0;
  writer.record(row);
  row.nusselt.kinetic.reset();
  row.resolution.cell_over_batchelor = 3.5;
  row.time_scheme = {.energy = -0.25, .scalars = {-0.125}};
  writer.record(row);
  const std::string series = read(directory.series());
  EXPECT_THAT(series,
              HasSubstr("step,time,dt,dt_limit,courant,nusselt_lower,nusselt_upper,nusselt_volume,"
                        "nusselt_thermal,nusselt_kinetic,reynolds,kinetic_energy,dissipation,"
                        "buoyancy_work,wall_work,force_work,time_scheme_work,divergence,"
                        "cycles,ns_per_cell_step"));
  EXPECT_THAT(series, HasSubstr(",max_w,cell_peclet,cell_over_batchelor,resolution,"
                                "temperature_mean,temperature_least,temperature_most,"
                                "temperature_mean_square,temperature_dissipation,"
                                "temperature_wall_production,temperature_source_production,"
                                "temperature_time_scheme_production,"
                                "temperature_flux_lower,temperature_flux_upper,"
                                "temperature_flux_volume,temperature_difference,"
                                "temperature_sherwood_lower,temperature_sherwood_upper,"
                                "temperature_sherwood_volume\n"));
  EXPECT_THAT(series,
              HasSubstr("\n3,0.5,0.25,given,0,1.5,1.25,1.125,1.75,1.375,0,0,0.5,8,9,10,,0,2,2,"
                        "0,0,0,17,,resolved,0,0,7,11,12,13,14,,15,-16,0,0,,,\n"));
  EXPECT_THAT(series,
              HasSubstr("\n3,0.5,0.25,given,0,1.5,1.25,1.125,1.75,,0,0,0.5,8,9,10,-0.25,0,2,2,"
                        "0,0,0,17,3.5,under-resolved,0,0,7,11,12,13,14,-0.125,15,-16,0,0,,,\n"));
  const convection::Grid grid(run_.problem.axes);
  const convection::FlowState state = flow_of(0.5);
  const convection::KeptFlow flow(state, grid);
  writer.snapshot({.number = 0, .step = 0, .time = 0.0}, grid, flow);
  writer.snapshot({.number = 1, .step = 3, .time = 0.5}, grid, flow);
  EXPECT_EQ(writer.pictures().size(), 2U);
  EXPECT_TRUE(fs::is_regular_file(directory.slices() / "temperature-y-0001.png"));
  EXPECT_THAT(read(directory.slice_list()),
              HasSubstr("\nslices/temperature-y-0001.png,0.5,temperature,y,0.5,0.5,0.5\n"));
  writer.finish("{}");
  EXPECT_EQ(read(directory.result()), "{}");
}

/// Where the range of a field is not known beforehand, colours cover all pictures so far.
TEST_F(Runs, ContinueWithTheColoursOfTheirPictures) {
  const RunDirectory directory(folder_ / "run", false);
  const FolderLock lock(directory.path());
  const convection::Grid grid(run_.problem.axes);
  const auto show = [&](RunWriter& writer, std::int64_t number, double temperature) {
    const convection::FlowState state = flow_of(temperature);
    writer.snapshot({.number = number}, grid, convection::KeptFlow(state, grid));
  };
  RunWriter first(run_, directory, lock);
  first.begin();
  show(first, 0, 0.5);
  show(first, 1, 2.0);
  const CheckpointHeader saved = saved_after_two_pictures(directory);
  show(first, 2, 9.0);
  RunWriter second(run_, directory, lock);
  second.go_on_from(saved);
  second.begin();
  show(second, 2, 1.0);
  EXPECT_THAT(read(directory.slice_list()),
              HasSubstr("-0001.png,0,temperature,y,0.5,0.5,2\n"
                        "slices/temperature-y-0002.png,0,temperature,y,0.5,0.5,2\n"));
}

/// Their numbers have gaps then, beyond which what a killed run left is known as such all the same.
TEST_F(Runs, ContinueWithoutPicturesThatThereIsNoRoomFor) {
  run_.slice_data = build::hdf5;
  const RunDirectory directory(folder_ / "run", false);
  const FolderLock lock(directory.path());
  const convection::Grid grid(run_.problem.axes);
  const convection::FlowState state = flow_of(0.5);
  const convection::KeptFlow flow(state, grid);
  RunWriter writer(run_, directory, lock);
  std::vector<std::string> messages;
  writer.set_listener(
      {.failed = [&](const std::string& why) { messages.push_back(why); }, .written = {}});
  writer.begin();
  writer.snapshot({.number = 0}, grid, flow);
  {
    const FileLimit full(200);
    writer.snapshot({.number = 1}, grid, flow);
  }
  writer.snapshot({.number = 2}, grid, flow);
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_THAT(messages.front(),
              HasSubstr("File too large; the run continues without this picture"));
  EXPECT_FALSE(fs::exists(directory.slices() / "temperature-y-0001.png"));
  EXPECT_FALSE(fs::exists(directory.slices() / "temperature-y-0001.h5"));
  EXPECT_THAT(read(directory.slice_list()), Not(HasSubstr("0001.png")));
  EXPECT_THAT(read(directory.slice_list()), HasSubstr("0002.png"));
  EXPECT_THROW(writer.finish("{}"), RuntimeFailure);
  EXPECT_EQ(read(directory.result()), "{}");
  const CheckpointHeader saved = saved_after_two_pictures(directory);
  for (const std::string ending : {".png", ".h5"}) {
    std::ofstream(directory.slices() / ("temperature-y-0003" + ending)) << "what a kill left";
  }
  RunWriter second(run_, directory, lock);
  second.go_on_from(saved);
  second.begin();
  EXPECT_TRUE(fs::exists(directory.slices() / "temperature-y-0002.png"));
  EXPECT_FALSE(fs::exists(directory.slices() / "temperature-y-0003.png"));
  EXPECT_FALSE(fs::exists(directory.slices() / "temperature-y-0003.h5"));
}

TEST_F(Runs, RecordTheNumericalDissipationOfBoundedScalars) {
  const RunDirectory directory(folder_ / "run", false);
  const FolderLock lock(directory.path());
  run_.problem.scalars.front().advection = convection::Advection::bounded;
  RunWriter writer(run_, directory, lock);
  writer.begin();
  convection::SeriesRow row;
  row.diagnosis.scalars.resize(1);
  writer.record(row);
  row.time_scheme = {.scalars = {-0.125}, .numerical_dissipation = {0.5}};
  writer.record(row);
  const std::string series = read(directory.series());
  EXPECT_THAT(series, HasSubstr("temperature_time_scheme_production,"
                                "temperature_numerical_dissipation,temperature_flux_lower,"));
  EXPECT_THAT(series, HasSubstr("resolved,0,0,0,0,0,0,0,,,0,0,0,0,,,\n"));
  EXPECT_THAT(series, HasSubstr("resolved,0,0,0,0,0,0,0,-0.125,0.5,0,0,0,0,,,\n"));
}

/// A flow that takes its time, and knows whether it is read after it may.
class SlowFlow final : public convection::FlowReader {
 public:
  void read(int field, const Box& part, double* values) const override {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    EXPECT_TRUE(may_be_read);
    std::fill_n(values, part.extents().count(), field + 0.25);
  }

  std::atomic<bool> may_be_read = true;
};

TEST_F(Runs, WriteTheSameFieldsOfFlowsThatStay) {
  const Case run =
      parse_case(std::string(still) + "[fields]\nevery = 1\nbuffer = 1\n", "a.toml", {});
  const convection::Grid grid(run.problem.axes);
  std::vector<std::string> written;
  for (const bool stays : {false, true}) {
    const RunDirectory directory(folder_ / (stays ? "stays" : "passes"), false);
    const FolderLock lock(directory.path());
    RunWriter writer(run, directory, lock);
    writer.begin();
    for (std::int64_t number = 0; number < 3; ++number) {
      SlowFlow flow;
      writer.fields({number, number, 0.5}, {.grid = grid, .flow = flow, .stays = stays});
      writer.finish_reading();
      flow.may_be_read = false;
    }
    writer.finish("{}");
    std::string all;
    for (const auto& entry : std::set<fs::path>(fs::directory_iterator(directory.fields()), {})) {
      all += entry.filename().string() + read(entry);
    }
    written.push_back(all + read(directory.field_list()));
  }
  EXPECT_GT(written[0].size(), 1000U);
  EXPECT_TRUE(written[1] == written[0]);
}

TEST_F(Runs, EndWhereTheirFolderIsNoLongerTheirs) {
  const RunDirectory directory(folder_ / "run", false);
  const FolderLock lock(directory.path());
  RunWriter writer(run_, directory, lock);
  writer.begin();
  fs::rename(directory.path(), folder_ / "moved");
  EXPECT_THROW(writer.record({}), RuntimeFailure);
  fs::create_directory(directory.path());
  EXPECT_THROW(writer.finish("{}"), RuntimeFailure);
  EXPECT_TRUE(fs::is_empty(directory.path()));
  EXPECT_THAT(writer.what_is_left(), HasSubstr("nothing of the run is left there"));
}

TEST_F(Runs, SayWhichFilesAreTheirs) {
  const RunDirectory directory(folder_ / "run", false);
  for (const char* name : {"series.csv", "case.toml", "run.json", "slices.csv", "slices/x.json",
                           "slices", "bankfull.lock", "slices/../run.json", "."}) {
    EXPECT_THROW(directory.require_no_file_of_it((folder_ / "run" / name).string()), UsageError)
        << name;
  }
  EXPECT_THROW(directory.require_no_file_of_it(folder_.string()), UsageError);
  EXPECT_THROW(directory.require_no_file_of_it((folder_ / "run").string() + "/"), UsageError);
  EXPECT_NO_THROW(directory.require_no_file_of_it((folder_ / "run" / "mine.json").string()));
  EXPECT_NO_THROW(directory.require_no_file_of_it((folder_ / "run.json").string()));
  EXPECT_NO_THROW(directory.require_no_file_of_it(std::nullopt));
  fs::create_symlink("run/series.csv", folder_ / "link");
  EXPECT_THROW(directory.require_no_file_of_it((folder_ / "link").string()), UsageError);
}

}  // namespace
}  // namespace bankfull::convect
