#include "bankfull/app/output_file.hpp"

#include "bankfull/app/line_file.hpp"
#include "bankfull/core/base/error.hpp"
#include "tests/temporary_folder.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

namespace bankfull {
namespace {

namespace fs = std::filesystem;

class WrittenFiles : public testing::Test {
 protected:
  static std::string read(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  [[nodiscard]] std::size_t count() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  TemporaryFolder temporary_;
  fs::path folder_ = temporary_.path();
};

TEST_F(WrittenFiles, AppearWhole) {
  const OutputFile file(folder_ / "out.json");
  EXPECT_EQ(count(), 0U);
  file.commit("first");
  file.commit("second");
  EXPECT_EQ(read(folder_ / "out.json"), "second");
  EXPECT_EQ(count(), 1U);
}

TEST_F(WrittenFiles, MayHaveTheLongestNames) {
  const fs::path path = folder_ / std::string(255, 'x');
  OutputFile(path).commit("text");
  EXPECT_EQ(read(path), "text");
  EXPECT_THROW(OutputFile(folder_ / std::string(256, 'x')), UsageError);
}

TEST_F(WrittenFiles, AreWhereLinksLead) {
  fs::create_symlink("not-yet", folder_ / "second");
  fs::create_symlink("second", folder_ / "first");
  EXPECT_EQ(destination_of(folder_ / "first"), fs::canonical(folder_) / "not-yet");
  OutputFile(folder_ / "first").commit("text");
  EXPECT_EQ(read(folder_ / "not-yet"), "text");
  EXPECT_TRUE(fs::is_symlink(folder_ / "first"));
  fs::create_symlink("round", folder_ / "round");
  EXPECT_THROW(OutputFile(folder_ / "round"), UsageError);
}

TEST_F(WrittenFiles, OfARunReplaceLinks) {
  std::ofstream(folder_ / "mine") << "mine";
  fs::create_symlink("mine", folder_ / "out");
  StagedFile(folder_ / "out", "text").replace();
  EXPECT_EQ(read(folder_ / "mine"), "mine");
  EXPECT_EQ(read(folder_ / "out"), "text");
  fs::create_symlink("mine", folder_ / "lines");
  EXPECT_THROW(LineFile(folder_ / "lines", "heading"), RuntimeFailure);
  EXPECT_EQ(read(folder_ / "mine"), "mine");
}

TEST_F(WrittenFiles, ThatGetNoNameAreGone) {
  { const StagedFile staged(folder_ / "out", "text"); }
  EXPECT_EQ(count(), 0U);
  EXPECT_THROW(StagedFile(folder_ / "missing" / "out", "text"), RuntimeFailure);
}

TEST_F(WrittenFiles, TakeNoNameThatIsTaken) {
  std::ofstream(folder_ / "report.txt") << "mine";
  EXPECT_EQ(write_new_file(folder_ / "report.txt", "a"), folder_ / "report-2.txt");
  EXPECT_EQ(write_new_file(folder_ / "report.txt", "b"), folder_ / "report-3.txt");
  EXPECT_EQ(read(folder_ / "report.txt"), "mine");
  EXPECT_EQ(read(folder_ / "report-2.txt"), "a");
  EXPECT_EQ(count(), 3U);
}

TEST_F(WrittenFiles, KnowTheirTemporaryNames) {
  EXPECT_TRUE(is_temporary_of("run.json.part-aB3x9Z", "run.json"));
  EXPECT_TRUE(is_temporary_of("run.json.part-4711", "run.json")) << "of earlier versions";
  EXPECT_FALSE(is_temporary_of("run.json.part-", "run.json"));
  EXPECT_FALSE(is_temporary_of("run.json.part-a/b", "run.json"));
  EXPECT_FALSE(is_temporary_of("run.json", "run.json"));
  EXPECT_FALSE(is_temporary_of("my-run.json.part-4711", "run.json"));
}

TEST_F(WrittenFiles, GrowByLines) {
  LineFile file(folder_ / "lines", "heading");
  file.append("first");
  EXPECT_EQ(read(folder_ / "lines"), "heading\nfirst\n");
  EXPECT_THROW(LineFile(folder_ / "lines", "heading"), RuntimeFailure);
  fs::remove(folder_ / "lines");
  EXPECT_THROW(file.append("second"), RuntimeFailure);
}

}  // namespace
}  // namespace bankfull
