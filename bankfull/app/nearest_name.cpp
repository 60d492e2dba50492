#include "bankfull/app/nearest_name.hpp"

#include "bankfull/core/base/expects.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <numeric>

namespace bankfull {
namespace {

/// Nobody means a name of ours by more, and comparing takes as many steps as both have letters.
constexpr std::size_t longest_compared = 100;

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

std::size_t edits_between(const std::string& a, const std::string& b) {
  // Row n holds the edits from the first n letters of a to every beginning of b.
  std::vector<std::size_t> before;
  std::vector<std::size_t> last;
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t n = 0; n < a.size(); ++n) {
    before = std::move(last);
    last = row;
    row[0] = n + 1;
    for (std::size_t m = 0; m < b.size(); ++m) {
      const std::size_t replaced = last[m] + (same_letter(a[n], b[m]) ? 0 : 1);
      row[m + 1] = std::min({replaced, row[m] + 1, last[m + 1] + 1});
      const bool swapped =
          n > 0 && m > 0 && same_letter(a[n], b[m - 1]) && same_letter(a[n - 1], b[m]);
      if (swapped) {
        row[m + 1] = std::min(row[m + 1], before[m - 1] + 1);
      }
    }
  }
  return row.back();
}

/// Who writes the beginning of a name means that name.
std::size_t distance_between(const std::string& name, const std::string& candidate) {
  const std::size_t edits = edits_between(name, candidate);
  const bool begins = name.size() > 1 && candidate.starts_with(name);
  return begins ? std::min<std::size_t>(edits, 1) : edits;
}

}  // namespace

std::string nearest_name(const std::string& name, const std::vector<std::string>& candidates) {
  std::string nearest;
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  if (name.size() > longest_compared) {
    return nearest;
  }
  for (const std::string& candidate : candidates) {
    const std::size_t edits = distance_between(name, candidate);
    const bool likely = 2 * edits < std::max(name.size(), candidate.size());
    if (likely && edits < fewest) {
      fewest = edits;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string remedy_for_name(const std::string& name, const std::vector<std::string>& candidates) {
  expects(!candidates.empty(), "there are names to choose from");
  if (const std::string nearest = nearest_name(name, candidates); !nearest.empty()) {
    return "did you mean '" + nearest + "'?";
  }
  std::string list = "use " + candidates.front();
  for (std::size_t n = 1; n < candidates.size(); ++n) {
    list += (n + 1 < candidates.size() ? ", " : " or ") + candidates[n];
  }
  return list;
}

}  // namespace bankfull
