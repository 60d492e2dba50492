#include "bankfull/core/io/hdf5_file.hpp"

#include "bankfull/core/base/error.hpp"
#include "tests/file_limit.hpp"
#include "tests/temporary_folder.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

namespace bankfull::hdf5 {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

std::string bytes_of_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::vector<double> ramp(std::size_t count) {
  std::vector<double> values(count);
  std::iota(values.begin(), values.end(), 0.25);
  return values;
}

/// Extents of more than one chunk along the first two dimensions.
const std::vector<std::int64_t> large{3, 700, 1001};

/// A file with one of everything.
void write_example(const fs::path& path, int deflate = 0) {
  NewFile file(path);
  file.set_attribute("format", "an example");
  file.set_attribute("version", 3);
  file.add("clock/progress", std::vector<double>{1.5, -0.25, HUGE_VAL});
  file.add("clock/steps", std::vector<std::int64_t>{12, -7, std::int64_t{1} << 60});
  file.add("case", std::string("a = 1\nb = \"\xc3\xa4\"\n"));
  file.add("none", std::vector<double>{});
  {
    Dataset cells = file.add("flow/u", {Element::fp64, {6, 5, 4}, deflate});
    const std::vector<double> values = ramp(120);
    // Later planes first, then a part of the others.
    cells.write({{2, 0, 0}, {4, 5, 4}}, values.data() + 40);
    cells.write({{0, 0, 0}, {2, 5, 4}}, values.data());
  }
  file.commit();
}

class Hdf5File : public testing::Test {
 protected:
  [[nodiscard]] fs::path file() const { return folder_.path() / "example.h5"; }

  TemporaryFolder folder_;
};

void expect_example(const fs::path& path) {
  const OldFile file(path);
  EXPECT_EQ(file.text_attribute("format"), "an example");
  EXPECT_EQ(file.count_attribute("version"), 3);
  EXPECT_FALSE(file.has_attribute("colour"));
  EXPECT_THAT(file.datasets(),
              ElementsAre("case", "clock/progress", "clock/steps", "flow/u", "none"));
  EXPECT_THAT(file.dataset("clock/progress").numbers(), ElementsAre(1.5, -0.25, HUGE_VAL));
  EXPECT_THAT(file.dataset("clock/steps").counts(), ElementsAre(12, -7, std::int64_t{1} << 60));
  EXPECT_EQ(file.dataset("case").text(), "a = 1\nb = \"\xc3\xa4\"\n");
  EXPECT_TRUE(file.dataset("none").numbers().empty());
  EXPECT_EQ(file.dataset("flow/u").numbers(), ramp(120));
  std::vector<double> part(6);
  file.dataset("flow/u").read({{1, 2, 1}, {1, 2, 3}}, part.data());
  EXPECT_THAT(part, ElementsAre(29.25, 30.25, 31.25, 33.25, 34.25, 35.25));
  EXPECT_TRUE(file.has("flow/u"));
  EXPECT_FALSE(file.has("flow/w"));
  EXPECT_FALSE(file.has("wall/u"));
}

TEST_F(Hdf5File, GivesBackWhatWasWritten) {
  write_example(file());
  expect_example(file());
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), {}), 1) << "temporary files";
}

TEST_F(Hdf5File, GivesBackWhatWasCompressed) {
  write_example(file(), 4);
  expect_example(file());
}

TEST_F(Hdf5File, TheSameCallsWriteTheSameBytes) {
  write_example(file());
  const std::string first = bytes_of_file(file());
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // files record times in seconds
  write_example(file());
  EXPECT_EQ(bytes_of_file(file()), first);
}

TEST_F(Hdf5File, ValuesOfLessPrecisionAreExactInIt) {
  NewFile written(file());
  {
    Dataset cells = written.add("u", {Element::fp32, {2}});
    const std::vector<double> values{static_cast<double>(0.1F), 0.5};
    cells.write({{0}, {2}}, values.data());
  }
  written.commit();
  EXPECT_THAT(OldFile(file()).dataset("u").numbers(), ElementsAre(static_cast<double>(0.1F), 0.5));
}

struct Writing {
  Element element = Element::fp64;
  int deflate = 0;
};

/// Several chunks, those at the ends in part beyond it, in two parts.
void write_chunks(const fs::path& path, const Writing& writing, int threads,
                  const std::vector<double>& values) {
  NewFile file(path);
  file.add("one", {writing.element, large, writing.deflate, threads})
      .write({{0, 0, 0}, large}, values.data());
  Dataset cells = file.add("two", {writing.element, large, writing.deflate, threads});
  const std::int64_t plane = large[1] * large[2];
  cells.write({{2, 0, 0}, {1, large[1], large[2]}}, values.data() + 2 * plane);
  cells.write({{0, 0, 0}, {2, large[1], large[2]}}, values.data());
  cells = Dataset({}, "");
  file.commit();
}

TEST_F(Hdf5File, ChunksOfThreadsAreThoseOfTheLibrary) {
  std::vector<double> values = ramp(static_cast<std::size_t>(large[0] * large[1] * large[2]));
  for (std::size_t n = 0; n < values.size(); n += 3) {
    values[n] = std::sin(static_cast<double>(n * n));  // chunks that do not become smaller, too
  }
  for (const Writing& writing :
       {Writing{}, Writing{Element::fp32}, Writing{Element::fp64, 1}, Writing{Element::fp32, 3}}) {
    std::vector<double> expected = values;
    if (writing.element == Element::fp32) {
      for (double& value : expected) {
        value = static_cast<double>(static_cast<float>(value));
      }
    }
    write_chunks(file(), writing, 1, values);
    const std::string of_one_thread = bytes_of_file(file());
    write_chunks(file(), writing, 3, values);
    EXPECT_TRUE(bytes_of_file(file()) == of_one_thread);
    const OldFile read(file());
    EXPECT_TRUE(read.dataset("one").numbers() == expected);
    EXPECT_TRUE(read.dataset("two").numbers() == expected);
  }
}

TEST_F(Hdf5File, LeavesTheOldFileUntilItIsWhole) {
  write_example(file());
  {
    NewFile other(file());
    other.add("x", std::vector<double>{1.0});
  }
  expect_example(file());
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), {}), 1) << "temporary files";
}

/// The message that reading all of a file throws; "" if it does not throw.
std::string fault_of(const fs::path& path) {
  try {
    OldFile(path).verify();
  } catch (const RuntimeFailure& failure) {
    return failure.what();
  }
  return "";
}

TEST_F(Hdf5File, RefusesWhatIsNone) {
  EXPECT_THAT(fault_of(file()), HasSubstr("No such file"));
  write_file(file(), "");
  EXPECT_THAT(fault_of(file()), HasSubstr("it is not an HDF5 file"));
  write_file(file(), "step,time\n0,0\n");
  EXPECT_THAT(fault_of(file()), HasSubstr(file().string() + ": it is not an HDF5 file"));
  EXPECT_THAT(fault_of(folder_.path()), HasSubstr("it is not a file"));
}

TEST_F(Hdf5File, RefusesWhatIsCutShort) {
  write_example(file());
  const std::string whole = bytes_of_file(file());
  for (std::size_t size = 1; size < whole.size(); size += 97) {
    write_file(file(), whole.substr(0, size));
    EXPECT_THAT(fault_of(file()), HasSubstr("cannot read")) << size;
  }
}

/// Bytes that describe nothing may change; what is read is never other than what was written.
TEST_F(Hdf5File, NoticesEveryFlippedByte) {
  write_example(file());
  const std::string whole = bytes_of_file(file());
  int noticed = 0;
  for (std::size_t place = 0; place < whole.size(); ++place) {
    std::string flipped = whole;
    flipped[place] = static_cast<char>(flipped[place] ^ 0x10);
    write_file(file(), flipped);
    if (fault_of(file()).empty()) {
      expect_example(file());
    } else {
      ++noticed;
    }
    if (testing::Test::HasFailure()) {
      FAIL() << "at byte " << place;
    }
  }
  EXPECT_GT(noticed, 1000) << "960 bytes are numbers of flow/u alone";
}

TEST_F(Hdf5File, NamesTheDatasetThatIsMissing) {
  write_example(file());
  const OldFile old(file());
  try {
    static_cast<void>(old.dataset("flow/w"));
    FAIL();
  } catch (const RuntimeFailure& failure) {
    EXPECT_THAT(failure.what(), HasSubstr("cannot read flow/w of " + file().string()));
  }
}

TEST_F(Hdf5File, SaysThatThereIsNoFolder) {
  try {
    NewFile file(folder_.path() / "none" / "x.h5");
    FAIL();
  } catch (const RuntimeFailure& failure) {
    EXPECT_THAT(failure.what(), HasSubstr("x.h5: No such file or directory"));
  }
}

TEST_F(Hdf5File, LeavesNoTraceWhereThereIsNoRoom) {
  write_example(file());
  const std::string whole = bytes_of_file(file());
  for (const rlim_t limit : {rlim_t{0}, rlim_t{1000}, rlim_t{100'000}, rlim_t{260'000}}) {
    const FileLimit full(limit);
    try {
      write_example(file());
      ADD_FAILURE() << limit;
    } catch (const RuntimeFailure& failure) {
      EXPECT_THAT(failure.what(), HasSubstr("cannot write")) << limit;
      EXPECT_THAT(failure.what(), HasSubstr("File too large")) << limit;
    }
  }
  EXPECT_EQ(bytes_of_file(file()), whole);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), {}), 1) << "temporary files";
}

/// As on file systems that cannot reserve room for a file: the lack is detected when it is written.
TEST_F(Hdf5File, SaysThatThereIsNoRoomInAnyThread) {
  const std::vector<double> values = ramp(3UL * 700 * 1001);
  for (const int threads : {1, 3}) {
    testing::internal::CaptureStderr();
    // The library keeps errors, and whether it prints them, for each thread.
    std::thread writer([&] {
      NewFile written(file());
      written.add("numbers", ramp(10));
      Dataset cells = written.add("u", {Element::fp64, large, 0, threads});
      const FileLimit full(10'000);
      EXPECT_THROW(cells.write({{0, 0, 0}, large}, values.data()), NoRoom);
    });
    writer.join();
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_TRUE(fs::is_empty(folder_.path()));
  }
}

TEST(ChunksOfHdf5, ArePlanesRowsOrParts) {
  EXPECT_THAT(chunk_of({512, 64, 64}, 8), ElementsAre(128, 64, 64));
  EXPECT_THAT(chunk_of({512, 1024, 1024}, 8), ElementsAre(1, 512, 1024));
  EXPECT_THAT(chunk_of({3, 2, 1 << 20}, 8), ElementsAre(1, 1, 1 << 19));
  EXPECT_THAT(chunk_of({7}, 8), ElementsAre(7));
}

}  // namespace
}  // namespace bankfull::hdf5
