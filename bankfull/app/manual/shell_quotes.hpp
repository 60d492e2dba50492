#pragma once

#include <string>

namespace bankfull::manual {

/// One word of bash and zsh, in single quotes.
std::string quoted(const std::string& text);

/// Text with a backslash before each of these letters.
std::string with_escapes(const std::string& text, const std::string& letters);

/// A description up to its first semicolon, colon or parenthesis: what fits beside a name.
std::string brief(const std::string& description);

}  // namespace bankfull::manual
