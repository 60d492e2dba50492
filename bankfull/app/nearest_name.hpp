#pragma once

#include <string>
#include <vector>

namespace bankfull {

/// The candidate that takes the fewest insertions, deletions and replacements of letters to become
/// `name` (V. I. Levenshtein, "Binary codes capable of correcting deletions, insertions, and
/// reversals", Soviet Physics Doklady 10, 1966), case aside; one that begins with `name` is one
/// edit away. The first of equals, "" of none.
std::string nearest_name(const std::string& name, const std::vector<std::string>& candidates);

}  // namespace bankfull
