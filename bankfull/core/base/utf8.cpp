#include "bankfull/core/base/utf8.hpp"

#include <algorithm>
#include <array>

namespace bankfull {
namespace {

/// The length that a first byte announces, and the smallest character that needs as many bytes.
struct Form {
  unsigned mask = 0;
  unsigned mark = 0;
  Character least;
};

constexpr std::array forms{Form{0x80U, 0x00U, {0, 1}}, Form{0xE0U, 0xC0U, {0x80, 2}},
                           Form{0xF0U, 0xE0U, {0x800, 3}}, Form{0xF8U, 0xF0U, {0x10000, 4}}};

}  // namespace

std::optional<Character> first_character(std::string_view text) {
  constexpr char32_t last_character = 0x10FFFF;
  const unsigned lead = static_cast<unsigned char>(text.front());
  const auto* const form = std::find_if(forms.begin(), forms.end(), [lead](const Form& candidate) {
    return (lead & candidate.mask) == candidate.mark;
  });
  if (form == forms.end() || text.size() < form->least.bytes) {
    return std::nullopt;
  }
  Character found{.code = lead & ~form->mask, .bytes = form->least.bytes};
  for (std::size_t n = 1; n < found.bytes; ++n) {
    if (!continues_character(text[n])) {
      return std::nullopt;
    }
    found.code = found.code << 6U | (static_cast<unsigned char>(text[n]) & 0x3FU);
  }
  const bool is_surrogate = found.code >= 0xD800 && found.code <= 0xDFFF;
  const bool is_one = found.code >= form->least.code && found.code <= last_character;
  return is_one && !is_surrogate ? std::optional(found) : std::nullopt;
}

}  // namespace bankfull
