#pragma once

#include <string>
#include <vector>

namespace bankfull {

/// The candidate that takes the fewest insertions, deletions, replacements and swaps of
/// neighbouring letters to become `name` (F. J. Damerau, "A technique for computer detection and
/// correction of spelling errors", Communications of the ACM 7, 1964), case aside; one that begins
/// with `name` is one edit away. The first of equals. "" where all take half of their letters or
/// more: then none is likely to be meant.
std::string nearest_name(const std::string& name, const std::vector<std::string>& candidates);

/// What to do about a name that is unknown: "did you mean 'x'?" or, where none is near, "use a, b
/// or c". Requires candidates.
std::string remedy_for_name(const std::string& name, const std::vector<std::string>& candidates);

}  // namespace bankfull
