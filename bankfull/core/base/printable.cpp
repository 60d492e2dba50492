#include "bankfull/core/base/printable.hpp"

#include "bankfull/core/base/utf8.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace bankfull {
namespace {

/// Paths and lists without blanks, in characters.
constexpr std::size_t longest_word = 400;

/// The text that replaces omitted characters is shorter than this.
constexpr std::size_t room_for_count = 40;

/// Control characters, ends of lines and paragraphs, and what turns or hides the writing.
bool misleads(char32_t code) {
  constexpr std::array<std::pair<char32_t, char32_t>, 6> ranges{{{0x00, 0x1F},
                                                                 {0x7F, 0x9F},
                                                                 {0x200B, 0x200F},
                                                                 {0x2028, 0x202E},
                                                                 {0x2060, 0x2069},
                                                                 {0xFEFF, 0xFEFF}}};
  return std::any_of(ranges.begin(), ranges.end(), [code](const auto& range) {
    return code >= range.first && code <= range.second;
  });
}

std::string escaped(char32_t code) {
  switch (code) {
    case U'\n':
      return "\\n";
    case U'\r':
      return "\\r";
    case U'\t':
      return "\\t";
    default:
      break;
  }
  const auto number = static_cast<unsigned>(code);
  return code < 0x80 ? fmt::format("\\x{:02x}", number) : fmt::format("\\u{:04x}", number);
}

std::size_t characters_of(std::string_view text) {
  return text.size() -
         static_cast<std::size_t>(std::count_if(text.begin(), text.end(), continues_character));
}

/// The byte where character `number` of a printable text begins.
std::size_t byte_of(std::string_view text, std::size_t number) {
  std::size_t byte = 0;
  for (std::size_t n = 0; n < number && byte < text.size(); ++n) {
    ++byte;
    while (byte < text.size() && continues_character(text[byte])) {
      ++byte;
    }
  }
  return byte;
}

/// At most `most` characters of a printable text, including the text that replaces those omitted.
std::string shortened(std::string_view text, std::size_t most) {
  const std::size_t all = text.size() <= most ? text.size() : characters_of(text);
  if (all <= most) {
    return std::string(text);
  }
  const std::size_t kept = (most - room_for_count) / 2;
  const std::size_t tail = byte_of(text, all - kept);
  return fmt::format("{}...({} characters)...{}", text.substr(0, byte_of(text, kept)),
                     all - 2 * kept, text.substr(tail));
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const std::optional<Character> character = first_character(text);
    const std::size_t bytes = character ? character->bytes : 1;
    if (!character) {
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    } else if (misleads(character->code)) {
      shown += escaped(character->code);
    } else {
      shown += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return shown;
}

std::string printable(std::string_view text, std::size_t most) {
  return shortened(printable(text), most);
}

std::string one_line(std::string_view message, std::size_t most) {
  const std::string shown = printable(message);
  std::string line;
  for (std::size_t begin = 0; begin < shown.size();) {
    const std::size_t end = std::min(shown.find(' ', begin), shown.size());
    line += shortened(std::string_view(shown).substr(begin, end - begin), longest_word);
    line += end < shown.size() ? " " : "";
    begin = end + 1;
  }
  return shortened(line, most);
}

}  // namespace bankfull
