#include "bankfull/workloads/hpcg/hpcg_dat.hpp"

#include "bankfull/core/base/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

namespace bankfull::hpcg {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string head = "HPCG benchmark input file\nSandia; Knoxville\n";

HpcgDat read(const std::string& text) {
  std::istringstream stream(text);
  return read_hpcg_dat(stream, "hpcg.dat");
}

std::string refusal_of(const std::string& text) {
  try {
    read(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  ADD_FAILURE() << "accepted:\n" << text;
  return "";
}

TEST(HpcgDat, ReadsTheFileOfTheOfficialProgram) {
  const HpcgDat dat = read(head + "104 104 104\n60\n");
  EXPECT_EQ(dat.local, (Grid3{104, 104, 104}));
  EXPECT_EQ(dat.seconds, 60.0);
  EXPECT_EQ(dat.process_grid, std::nullopt);
}

TEST(HpcgDat, ReadsTheProcessGrid) {
  const HpcgDat dat = read(head + "16 24 32\n1800\n1 2 4\n");
  EXPECT_EQ(dat.local, (Grid3{16, 24, 32}));
  EXPECT_EQ(dat.process_grid, (Grid3{1, 2, 4}));
}

TEST(HpcgDat, TakesZeroRanksForAChoiceLeftToTheProgram) {
  EXPECT_EQ(read(head + "16 16 16\n0\n0 0 0\n").process_grid, std::nullopt);
}

TEST(HpcgDat, NeedsNoMoreThanTheSize) {
  for (const char* end : {"", "\n", "\n\n\n", "\n  \n\t\n"}) {
    const HpcgDat dat = read(head + "16 16 16" + end);
    EXPECT_EQ(dat.seconds, std::nullopt);
    EXPECT_EQ(dat.process_grid, std::nullopt);
  }
}

TEST(HpcgDat, IgnoresRemarksAndWhatFollows) {
  const HpcgDat dat =
      read("\n\n \t+16  16\t16 points each, 3 axes\n 60.5 s\n1 1 2 # ranks\nanything\n1 2 3");
  EXPECT_EQ(dat.local, (Grid3{16, 16, 16}));
  EXPECT_EQ(dat.seconds, 60.5);
  EXPECT_EQ(dat.process_grid, (Grid3{1, 1, 2}));
}

TEST(HpcgDat, KnowsAllLineEnds) {
  for (const char* end : {"\n", "\r\n", "\r"}) {
    const auto with = [&](const std::string& line) { return line + end; };
    const HpcgDat dat = read(with("a") + with("") + with("16 24 32") + with("7") + with("1 1 3"));
    EXPECT_EQ(dat.local, (Grid3{16, 24, 32}));
    EXPECT_EQ(dat.seconds, 7.0);
    EXPECT_EQ(dat.process_grid, (Grid3{1, 1, 3}));
  }
}

TEST(HpcgDat, NamesPlaceAndTextOfWhatIsWrong) {
  EXPECT_THAT(refusal_of(head + "104 10x4 104\n60\n"),
              StartsWith("hpcg.dat:3:5: '10x4' is not a whole number; write nx ny nz"));
  EXPECT_THAT(refusal_of(head + "104 104\n60\n"),
              StartsWith("hpcg.dat:3:8: the line ends where a number is expected; write nx ny nz"));
  EXPECT_THAT(refusal_of(head + "104 104 7\n60\n"), StartsWith("hpcg.dat:3:9: '7' is too small"));
  EXPECT_THAT(refusal_of(head + "104 104 -8\n60\n"), StartsWith("hpcg.dat:3:9: '-8' is too small"));
  EXPECT_THAT(refusal_of(head + "16 16 16 16\n60\n"),
              StartsWith("hpcg.dat:3:10: '16' is one number too many"));
  EXPECT_THAT(refusal_of(head + "16 16 16\n-1\n"), StartsWith("hpcg.dat:4:1: '-1' is negative"));
  EXPECT_THAT(refusal_of(head + "16 16 16\n\n1 1 1\n"), StartsWith("hpcg.dat:4:1: the line ends"));
  EXPECT_THAT(refusal_of(head + "16 16 16\n60\n1 0 2\n"), StartsWith("hpcg.dat:5:5: '2' ends"));
  EXPECT_THAT(refusal_of(head), StartsWith("hpcg.dat:3:1: the file ends before its third line"));
  EXPECT_THAT(refusal_of(""), StartsWith("hpcg.dat:1:1: the file ends before its third line"));
}

TEST(HpcgDat, RefusesNumbersOutOfRange) {
  for (const char* line : {"99999999999999999999 16 16", "1048577 16 16", "16.5 16 16", "1e2 16 16",
                           "0x10 16 16", "16, 16, 16", "nan 16 16", "+-16 16 16", "+ 16 16"}) {
    EXPECT_THAT(refusal_of(head + line + "\n60\n"), HasSubstr("hpcg.dat:3:1: ")) << line;
  }
  for (const char* line : {"nan", "inf", "1e400", "604801", "soon", "60s", "60,"}) {
    EXPECT_THAT(refusal_of(head + "16 16 16\n" + line), HasSubstr("hpcg.dat:4:1: ")) << line;
  }
  for (const char* line : {"-1 1 1", "1", "1 1", "a b c", "1 1 1 1", "2000000 1 1"}) {
    EXPECT_THAT(refusal_of(head + "16 16 16\n60\n" + line), HasSubstr("hpcg.dat:5:")) << line;
  }
}

TEST(HpcgDat, RefusesWhatIsNoText) {
  EXPECT_THAT(refusal_of(std::string(100000, 'x')), HasSubstr("too long"));
  const std::string message = refusal_of(head + "\x01\x1b[31m\xff 16 16\n");
  EXPECT_THAT(message, HasSubstr("'??[31m?'"));
}

}  // namespace
}  // namespace bankfull::hpcg
