#include "bankfull/app/counts.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/format.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <set>
#include <string_view>

namespace bankfull {
namespace {

constexpr std::int64_t max_ranks = std::int64_t{1} << 20;
constexpr std::size_t max_counts = 100'000;

[[noreturn]] void refuse_ranks(const std::string& text, const std::string& why) {
  throw UsageError(
      "--ranks " + text + " " + why,
      fmt::format("use N, A:B with A <= B, or several with commas, each from 1 to {}", max_ranks));
}

int parse_rank_count(const std::string& text, const std::string& part) {
  const auto value = parse_count(part, max_ranks);
  if (!value) {
    refuse_ranks(text, "has '" + part + "' for a number of ranks");
  }
  return static_cast<int>(*value);
}

/// The number that the whole text stands for, if any.
template <class Number>
std::optional<Number> number_in(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) {
    text.remove_prefix(1);
  }
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && stop == end ? std::optional(value) : std::nullopt;
}

/// 20 of "MiB", "mb", " M".
std::optional<int> binary_exponent(std::string unit) {
  unit.erase(0, unit.find_first_not_of(' '));
  std::transform(unit.begin(), unit.end(), unit.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  if (unit.empty() || unit == "b") {
    return 0;
  }
  const std::size_t prefix = std::string_view("kmgtpe").find(unit.front());
  const std::string rest = unit.substr(1);
  if (prefix == std::string_view::npos || !(rest.empty() || rest == "b" || rest == "ib")) {
    return std::nullopt;
  }
  return 10 * (static_cast<int>(prefix) + 1);
}

}  // namespace

std::optional<std::int64_t> parse_whole(const std::string& text) {
  return number_in<std::int64_t>(text);
}

std::optional<std::int64_t> parse_count(const std::string& text, std::int64_t most) {
  const auto value = text.starts_with('+') ? std::nullopt : parse_whole(text);
  return value && *value >= 1 && *value <= most ? value : std::nullopt;
}

std::optional<double> parse_decimal(const std::string& text) { return number_in<double>(text); }

std::optional<std::int64_t> parse_byte_amount(const std::string& text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto value = parse_whole(text.substr(0, digits));
  const auto exponent = binary_exponent(text.substr(digits));
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  if (!value || !exponent || *value > most >> *exponent) {
    return std::nullopt;
  }
  return *value << *exponent;
}

std::vector<std::string> parse_list(const std::string& option, const std::string& text) {
  std::vector<std::string> parts = parts_of(text, ',');
  std::set<std::string> seen;
  for (const std::string& part : parts) {
    if (part.empty()) {
      throw UsageError(fmt::format("{} {} has an empty part", option, text),
                       "leave out the comma, or say what belongs there");
    }
    if (!seen.insert(part).second) {
      throw UsageError(fmt::format("{} {} has {} twice", option, text, part), "name it once");
    }
  }
  return parts;
}

std::vector<int> parse_rank_counts(const std::string& text, Repeated repeated) {
  std::set<int> counts;
  for (const std::string& part : parts_of(text, ',')) {
    const std::vector<std::string> ends = parts_of(part, ':');
    const int first = parse_rank_count(text, ends.front());
    const int last = parse_rank_count(text, ends.back());
    if (ends.size() > 2 || last < first) {
      refuse_ranks(text, "has the invalid range " + part);
    }
    for (int count = first; count <= last && counts.size() <= max_counts; ++count) {
      if (!counts.insert(count).second && repeated == Repeated::refused) {
        throw UsageError(fmt::format("--ranks {} has {} twice", text, count), "name it once");
      }
    }
  }
  if (counts.size() > max_counts) {
    throw UsageError("--ranks " + text + " is too many",
                     fmt::format("use up to {} numbers of ranks", max_counts));
  }
  return {counts.begin(), counts.end()};
}

std::vector<int> doubled_rank_counts(int most) {
  std::vector<int> counts;
  for (int count = 1; count < most; count *= 2) {
    counts.push_back(count);
  }
  counts.push_back(most);
  return counts;
}

}  // namespace bankfull
