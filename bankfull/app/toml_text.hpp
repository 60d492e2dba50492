#pragma once

#include <string>
#include <toml++/toml.h>
#include <vector>

namespace bankfull {

/// A text as a quoted TOML string.
std::string toml_string(const std::string& text);

/// A value in one line: lists and tables within it inline. Numbers take the fewest digits that read
/// back as the same number.
std::string toml_text(const toml::node& value);

/// A whole file: first the keys in the given order, then the others in theirs. Tables and lists of
/// tables become sections; empty tables are left out.
std::string toml_text(const toml::table& root, const std::vector<std::string>& order);

}  // namespace bankfull
