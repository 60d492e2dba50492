#include "bankfull/app/manual/shell_quotes.hpp"

#include <algorithm>

namespace bankfull::manual {

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char letter : text) {
    out += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  }
  return out + "'";
}

std::string with_escapes(const std::string& text, const std::string& letters) {
  std::string out;
  for (const char letter : text) {
    if (letters.find(letter) != std::string::npos) {
      out += '\\';
    }
    out += letter;
  }
  return out;
}

std::string brief(const std::string& description) {
  std::string text = description.substr(
      0, std::min({description.find(';'), description.find(": "), description.find(" (")}));
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace bankfull::manual
