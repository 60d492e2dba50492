#include "bankfull/app/convect/case_file.hpp"
#include "bankfull/app/convect/ready_cases.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/format.hpp"
#include "bankfull/workloads/convection/plan.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <random>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace bankfull::convect {
namespace {

using Lines = std::vector<std::string>;

constexpr const char* case_file = "case.toml";

/// What may stand where a value is due.
constexpr std::array junk{"nan",
                          "-inf",
                          "1e308",
                          "-1e308",
                          "1e-320",
                          "0",
                          "-1",
                          "0.5",
                          "9223372036854775807",
                          "99999999999999999999",
                          "true",
                          "2020-01-01",
                          "\"\"",
                          "\"x\"",
                          "\"sin(x\"",
                          "\"periodic\"",
                          "\"\x1b[2J\\n\"",
                          "\"\xff\"",
                          "[]",
                          "[1]",
                          "[1, 2, 3]",
                          "[1, 0, 0]",
                          "[0, 1, 1]",
                          "[1, \"a\", nan]",
                          "[1e308, 1e308, 1e308]",
                          "[1048576, 1048576, 1048576]",
                          "[30000, 30000, 3000]",
                          "\"9999x9999x9999\"",
                          "{}",
                          "{ a = 1 }",
                          "{ lower = 1, upper = \"periodic\" }",
                          "[[1], [2]]",
                          "[{}, {}]",
                          "'unclosed",
                          ""};

Lines lines_of(const std::filesystem::path& path) {
  std::ifstream stream(path);
  return parts_of({std::istreambuf_iterator<char>(stream), {}}, '\n');
}

std::string joined(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += line + "\n";
  }
  return text;
}

/// Random choices, the same in every run.
class Choices {
 public:
  explicit Choices(unsigned seed) : random_(seed) {}

  std::size_t below(std::size_t count) { return random_() % count; }

 private:
  std::mt19937 random_;
};

/// Puts junk in the place of a line's value.
void spoil_value(std::string& line, Choices& choices) {
  const std::size_t equals = line.find('=');
  if (equals != std::string::npos) {
    line = line.substr(0, equals + 1) + " " + junk.at(choices.below(junk.size()));
  }
}

void delete_section(Lines& lines, std::size_t begin) {
  std::size_t end = begin + 1;
  while (end < lines.size() && !lines[end].starts_with("[")) {
    ++end;
  }
  lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(begin),
              lines.begin() + static_cast<std::ptrdiff_t>(end));
}

void mutate(Lines& lines, Choices& choices) {
  const std::size_t at = choices.below(lines.size());
  const auto line = lines.begin() + static_cast<std::ptrdiff_t>(at);
  switch (choices.below(8)) {
    case 0:
      lines.erase(line);
      break;
    case 1:
      delete_section(lines, at);
      break;
    case 2:
      lines.insert(line, *line);
      break;
    case 3:
      std::swap(*line, lines[choices.below(lines.size())]);
      break;
    case 4:
      line->erase(0, 1);
      break;
    default:
      spoil_value(*line, choices);
      break;
  }
  if (lines.empty()) {
    lines.emplace_back();
  }
}

/// What a dry run does with a case; the refusal, empty where there is none.
std::string refusal_in_dry_run(const std::string& text, const std::vector<std::string>& settings) {
  try {
    const Case loaded = parse_case(text, case_file, settings);
    placed(loaded.places, [&] { convection::Plan(loaded.problem).require_memory(); });
    return {};
  } catch (const UsageError& error) {
    return error.what();
  }
}

void expect_place(const std::string& refusal, const std::string& text) {
  static const std::regex place(R"(^(case\.toml:[1-9]\d*:[1-9]\d*|--set [^:]*): .*; .*)");
  EXPECT_TRUE(refusal.empty() || std::regex_match(refusal, place))
      << "refused with\n  " << refusal << "\nwithout a place or a remedy:\n"
      << text;
}

class CasePlaces : public testing::TestWithParam<std::filesystem::path> {};

TEST_P(CasePlaces, StandBeforeEveryRefusal) {
  constexpr unsigned mutants = 100;
  int refused = 0;
  for (unsigned seed = 1; seed <= mutants; ++seed) {
    Choices choices(seed);
    Lines lines = lines_of(GetParam());
    for (std::size_t n = 0; n <= choices.below(3); ++n) {
      mutate(lines, choices);
    }
    const std::string text = joined(lines);
    const std::string refusal = refusal_in_dry_run(text, {});
    expect_place(refusal, text);
    refused += refusal.empty() ? 0 : 1;
  }
  EXPECT_GT(refused, 10);
}

TEST_P(CasePlaces, StandBeforeEveryRefusalOfASetting) {
  const std::string text = joined(lines_of(GetParam()));
  for (const std::string key : {"ra",
                                "pr",
                                "re",
                                "nu",
                                "kappa",
                                "cells",
                                "scheme",
                                "dt",
                                "cfl",
                                "steps",
                                "end",
                                "solver",
                                "divergence",
                                "precision",
                                "schedule",
                                "noise",
                                "name",
                                "domain.upper",
                                "domain.stretching",
                                "boundaries.z",
                                "boundaries.z.lower.velocity",
                                "output.slice",
                                "scalar",
                                "physics",
                                "time"}) {
    for (const char* value : junk) {
      const std::string setting = key + "=" + value;
      expect_place(refusal_in_dry_run(text, {setting}), "--set " + setting);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ready, CasePlaces, testing::ValuesIn(ready_cases()),
                         [](const auto& given) {
                           std::string name = given.param.stem().string();
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(SettingPlaces, AreThoseOfTheNearestThatWasWritten) {
  const std::string text = "[time]\ndt = 1\n[[scalar]]\nname = \"salt\"\n";
  const SettingPlaces places(toml::parse(text, std::string_view(case_file)), case_file);
  EXPECT_EQ(places.of("time.dt"), "case.toml:2:6");
  EXPECT_EQ(places.of("time.cfl"), "case.toml:1:1");
  EXPECT_EQ(places.of("scalar.0.name"), "case.toml:4:8");
  EXPECT_EQ(places.of("scalar.0.diffusivity"), "case.toml:3:1");
  EXPECT_EQ(places.of("initial.noise"), "case.toml:1:1");
}

}  // namespace
}  // namespace bankfull::convect
