#include "bankfull/app/counts.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/format.hpp"

#include <charconv>
#include <fmt/format.h>
#include <set>

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

}  // namespace

std::optional<std::int64_t> parse_count(const std::string& text, std::int64_t most) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  const bool good = error == std::errc{} && stop == end && value >= 1 && value <= most;
  return good ? std::optional(value) : std::nullopt;
}

std::vector<int> parse_rank_counts(const std::string& text, Repeated repeated) {
  std::set<int> counts;
  for (const std::string& part : parts_of(text, ',')) {
    const std::vector<std::string> ends = parts_of(part, ':');
    const int first = parse_rank_count(text, ends.front());
    const int last = parse_rank_count(text, ends.back());
    if (ends.size() > 2 || last < first) {
      refuse_ranks(text, "has the range " + part + ", which is none");
    }
    for (int count = first; count <= last && counts.size() <= max_counts; ++count) {
      if (!counts.insert(count).second && repeated == Repeated::refused) {
        throw UsageError(fmt::format("--ranks {} has {} twice", text, count), "name it once");
      }
    }
  }
  if (counts.size() > max_counts) {
    throw UsageError("--ranks " + text + " is more than anybody reads",
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
