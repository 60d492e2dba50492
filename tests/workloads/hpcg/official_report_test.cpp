#include "bankfull/workloads/hpcg/official_report.hpp"

#include "bankfull/core/base/build_facts.hpp"
#include "bankfull/core/base/format.hpp"
#include "tests/workloads/hpcg/recorded_outcome.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace bankfull::hpcg {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Line {
  std::string key;
  std::string value;
};

std::vector<Line> lines_of(const std::string& text) {
  std::vector<Line> lines;
  for (const std::string& line : parts_of(text, '\n')) {
    const bool remark = line.starts_with("# ");
    if (!remark && !line.empty()) {
      const std::size_t end = std::min(line.find('='), line.size());
      lines.push_back({line.substr(0, end), line.substr(std::min(end + 1, line.size()))});
    }
  }
  return lines;
}

std::vector<std::string> keys_of(const std::vector<Line>& lines) {
  std::vector<std::string> keys;
  keys.reserve(lines.size());
  for (const Line& line : lines) {
    keys.push_back(line.key);
  }
  return keys;
}

std::vector<Line> official_lines() {
  std::ifstream file(BANKFULL_OFFICIAL_KEYS);  // tests/workloads/hpcg/CMakeLists.txt knows where
  EXPECT_TRUE(file) << BANKFULL_OFFICIAL_KEYS;
  return lines_of({std::istreambuf_iterator<char>(file), {}});
}

/// The same text, or the same number: the record has six digits of what others are derived from.
void expect_same(const Line& ours, const Line& theirs) {
  char* end = nullptr;
  const double number = std::strtod(theirs.value.c_str(), &end);
  if (*end != '\0' || theirs.value.empty()) {
    EXPECT_EQ(ours.value, theirs.value) << ours.key;
  } else {
    EXPECT_NEAR(std::strtod(ours.value.c_str(), nullptr), number, 1e-5 * number) << ours.key;
  }
}

std::tm some_time() {
  std::tm time{};
  time.tm_year = 126;
  time.tm_mon = 10;
  time.tm_mday = 21;
  time.tm_hour = 14;
  time.tm_min = 5;
  time.tm_sec = 6;
  return time;
}

TEST(OfficialReport, HasTheLinesOfTheOfficialProgram) {
  std::vector<Line> ours = lines_of(official_report(recorded_outcome()));
  // Ours alone: it names this program.
  std::erase_if(ours, [](const Line& line) {
    return line.key == "Program" || line.key.starts_with("Program::");
  });
  const std::vector<Line> theirs = official_lines();
  ASSERT_EQ(keys_of(ours), keys_of(theirs));
  for (std::size_t n = 0; n < ours.size(); ++n) {
    expect_same(ours[n], theirs[n]);
  }
}

TEST(OfficialReport, WritesNumbersAsTheOfficialProgramDoes) {
  const std::string report = official_report(recorded_outcome());
  for (const char* line :
       {"Linear System Information::Number of Nonzero Terms=611800\n",
        "Memory Use Information::Coarse Grids::Memory used=2.9624e-05\n",
        "Memory Use Information::Bytes per equation (Total memory / Number of Equations)=715.483\n",
        "Floating Point Operations Summary::Raw MG=3.44859e+08\n",
        "Memory Use Information::Memory used for OptimizeProblem data (Gbytes)=0\n",
        "Benchmark Time Summary::Optimization phase=3.81e-07\n",
        "Final Summary::Official results execution time (sec) must be at least=1800\n"}) {
    EXPECT_THAT(report, HasSubstr(line));
  }
}

TEST(OfficialReport, NamesKernelsOfTheReferenceOnlyWhereTheyRan) {
  Outcome outcome = recorded_outcome();
  outcome.threads = 2;
  EXPECT_THAT(official_report(outcome), HasSubstr("ComputeMG used and number of threads"));
  outcome.reference = false;
  EXPECT_THAT(official_report(outcome), Not(HasSubstr("Reference version")));
}

TEST(OfficialReport, SaysWhatARunCountsFor) {
  Outcome outcome = recorded_outcome();
  outcome.quick = true;
  EXPECT_THAT(official_report(outcome), HasSubstr("You have selected the QuickPath option="));
  outcome.times.total = 1800.0;
  EXPECT_THAT(official_report(outcome), HasSubstr("Please upload results"));
}

TEST(OfficialReport, NamesThisProgram) {
  const std::string report = official_report(recorded_outcome());
  EXPECT_THAT(report, HasSubstr("\nProgram::Name=bankfull\n"));
  EXPECT_THAT(report, HasSubstr("\nProgram::Version=" + build_facts().version));
  EXPECT_THAT(report, HasSubstr("\nProgram::Relation to the official program=another code"));
}

TEST(OfficialReport, NotesWhatTimesCover) {
  Outcome outcome = recorded_outcome();
  EXPECT_THAT(official_report(outcome), Not(HasSubstr("Program::Note")));
  outcome.notes = {"r is updated in MG", "another"};
  const std::string report = official_report(outcome);
  EXPECT_THAT(report, HasSubstr("\nProgram::Note=r is updated in MG\n"));
  EXPECT_THAT(report, HasSubstr("\nProgram::Note=another\n"));
}

/// A run that keeps all rules.
Outcome official_outcome() {
  Outcome outcome = recorded_outcome();
  outcome.times.total = 1800.0;
  return outcome;
}

TEST(OfficialReport, AsksForAnUploadWhereAllRulesWereKept) {
  const std::string report = official_report(official_outcome());
  EXPECT_TRUE(why_not_official(official_outcome()).empty());
  EXPECT_THAT(report, HasSubstr("Program::Rules of official runs=kept\n"));
  EXPECT_THAT(report, HasSubstr("Please upload results"));
  EXPECT_THAT(report, Not(HasSubstr("official result")));
}

struct Offence {
  std::string name;
  void (*commit)(Outcome&);
  std::string words;
};

void PrintTo(const Offence& offence, std::ostream* stream) { *stream << offence.name; }

class NotOfficial : public ::testing::TestWithParam<Offence> {};

TEST_P(NotOfficial, SaysSoAndAsksForNoUpload) {
  Outcome outcome = official_outcome();
  GetParam().commit(outcome);
  ASSERT_EQ(why_not_official(outcome).size(), 1U);
  EXPECT_THAT(why_not_official(outcome).front(), HasSubstr(GetParam().words));
  const std::string report = official_report(outcome);
  EXPECT_THAT(report, HasSubstr("Program::Rules of official runs=not kept\n"));
  EXPECT_THAT(report, HasSubstr("Program::No official result=" + why_not_official(outcome)[0]));
  EXPECT_THAT(report, Not(HasSubstr("upload results")));
}

INSTANTIATE_TEST_SUITE_P(
    Rules, NotOfficial,
    ::testing::Values(
        Offence{"Time", [](Outcome& o) { o.times.total = 1799.0; }, "1799 s"},
        Offence{"Memory", [](Outcome& o) { o.broken_rules = {"less than a quarter"}; }, "quarter"},
        Offence{"QuickPathAndMemory",
                [](Outcome& o) {
                  o.quick = true;
                  o.broken_rules = {"less than a quarter"};
                },
                "quarter"},
        Offence{"Solution", [](Outcome& o) { o.solution.true_residual = 1.0; }, "a check failed"},
        Offence{"NaN", [](Outcome& o) { o.norms.mean = o.norms.variance = std::nan(""); },
                "a check failed"}),
    [](const auto& offence) { return offence.param.name; });

TEST(OfficialReport, RefusesRunsThatFailedAnyTest) {
  const auto invalid = [](auto change) {
    Outcome outcome = recorded_outcome();
    change(outcome);
    const std::string report = official_report(outcome);
    EXPECT_THAT(report, HasSubstr("::Result=FAILED\n"));
    EXPECT_THAT(report, HasSubstr("Final Summary::HPCG result is=INVALID.\n"));
    EXPECT_THAT(report, Not(HasSubstr("VALID with")));
  };
  invalid([](Outcome& o) { o.spectral.max_iterations_plain = 13; });
  invalid([](Outcome& o) { o.symmetry.departure_mg = 1.5; });
  invalid([](Outcome& o) { o.symmetry.departure_mg = std::nan(""); });
  invalid([](Outcome& o) { o.convergence.reached = false; });
  invalid([](Outcome& o) { o.norms.variance = 1e-5; });
}

/// Checks of ours have no line in the official file but its verdict.
TEST(OfficialReport, RefusesRunsThatFailedAnyCheckOfOurs) {
  const auto invalid = [](auto change) {
    Outcome outcome = recorded_outcome();
    change(outcome);
    EXPECT_THAT(official_report(outcome), HasSubstr("Final Summary::HPCG result is=INVALID.\n"));
  };
  invalid([](Outcome& o) { o.norms.spread = 1e-5; });
  invalid([](Outcome& o) { o.norms.spread = std::nan(""); });
  invalid([](Outcome& o) { o.norms.beyond_reference = 1e-5; });
  invalid([](Outcome& o) { o.norms.from_convergence = 1e-5; });
  invalid([](Outcome& o) { o.symmetry.spmv_residuals = {0.0, 1e-16}; });
  invalid([](Outcome& o) { o.symmetry.spmv_residuals = {std::nan(""), 0.0}; });
  invalid([](Outcome& o) { o.solution.departure = 1e-9; });
  invalid([](Outcome& o) { o.solution.true_residual = 1e-3; });
  invalid([](Outcome& o) { o.solution = {}; });
  invalid([](Outcome& o) { o.perturbation = 1e-20; });
}

TEST(OfficialReport, CountsBeyond32Bits) {
  Outcome outcome = recorded_outcome();
  outcome.levels[0].equations = 5'000'000'000;
  outcome.sets = 100'000'000;
  const std::string report = official_report(outcome);
  EXPECT_THAT(report, HasSubstr("::Number of Equations=5000000000\n"));
  EXPECT_THAT(report, HasSubstr("::Total number of reference iterations=5000000000\n"));
}

TEST(OfficialLog, HasTheLinesOfTheOfficialProgram) {
  Outcome outcome = recorded_outcome();
  outcome.spectral.solves = {
      {false, 11, 3.77036e-14}, {false, 13, 3.77036e-14}, {true, 2, 2.61857e-17}};
  outcome.symmetry.spmv_residuals = {0.0, 0.0};
  outcome.norms.residuals = {2.97587e-24, 3e-24};
  EXPECT_EQ(official_log(outcome),
            "WARNING: PERFORMING UNPRECONDITIONED ITERATIONS\n"
            "Call [0] Number of Iterations [11] Scaled Residual [3.77036e-14]\n"
            "WARNING: PERFORMING UNPRECONDITIONED ITERATIONS\n"
            "Call [1] Number of Iterations [13] Scaled Residual [3.77036e-14]\n"
            " Expected 12 iterations.  Performed 13.\n"
            "Call [0] Number of Iterations [2] Scaled Residual [2.61857e-17]\n"
            "Departure from symmetry (scaled) for SpMV abs(x'*A*y - y'*A*x) = 1.15302e-05\n"
            "Departure from symmetry (scaled) for MG abs(x'*Minv*y - y'*Minv*x) = 5.76512e-07\n"
            "SpMV call [0] Residual [0]\n"
            "SpMV call [1] Residual [0]\n"
            "Call [0] Scaled Residual [2.97587e-24]\n"
            "Call [1] Scaled Residual [3e-24]\n");
  outcome.convergence.reached = false;
  EXPECT_THAT(official_log(outcome), HasSubstr("\nFailed to reduce the residual 1 times.\nCall"));
}

TEST(OfficialNames, HoldTheTime) {
  EXPECT_EQ(official_file_name(some_time()), "HPCG-Benchmark_3.1_2026-11-21_14-05-06.txt");
  EXPECT_EQ(official_log_name(some_time()), "hpcg20261121T140506.txt");
}

}  // namespace
}  // namespace bankfull::hpcg
