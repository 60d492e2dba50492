#include "bankfull/app/html_report/base64.hpp"

#include <cstddef>
#include <cstdint>

namespace bankfull::html_report {

std::string base64(const std::string& bytes) {
  constexpr const char* letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t begin = 0; begin < bytes.size(); begin += 3) {
    std::uint32_t group = 0;
    for (std::size_t n = begin; n < begin + 3; ++n) {
      group = group << 8U | (n < bytes.size() ? static_cast<unsigned char>(bytes[n]) : 0U);
    }
    for (std::size_t n = 0; n < 4; ++n) {
      const bool is_padding = begin + n > bytes.size();
      text += is_padding ? '=' : letters[group >> (18U - 6U * n) & 63U];
    }
  }
  return text;
}

}  // namespace bankfull::html_report
