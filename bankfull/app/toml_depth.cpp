#include "bankfull/app/toml_depth.hpp"

#include <algorithm>
#include <cstddef>

namespace bankfull {
namespace {

class DepthScanner {
 public:
  explicit DepthScanner(std::string_view text) : text_(text) {}

  std::optional<TextPlace> first_too_deep() {
    while (at_ < text_.size()) {
      if (!take()) {
        return place();
      }
    }
    return std::nullopt;
  }

 private:
  /// Moves on by a letter, a string or a comment; false where that is too deep.
  bool take() {
    const char letter = text_[at_];
    switch (letter) {
      case '#':
        at_ = std::min(text_.find('\n', at_), text_.size());
        return true;
      case '"':
      case '\'':
        skip_string(letter);
        return true;
      case '[':
      case '{':
        parts_ = 1;
        ++levels_;
        break;
      case ']':
      case '}':
        parts_ = 1;
        levels_ = std::max(0, levels_ - 1);
        break;
      case '.':
        ++parts_;
        break;
      case '\n':
      case ',':
      case '=':
        parts_ = 1;
        break;
      default:
        break;
    }
    if (parts_ > deepest_toml || levels_ > deepest_toml) {
      return false;
    }
    ++at_;
    return true;
  }

  [[nodiscard]] bool has_three(char quote) const {
    return text_.substr(at_, 3) == std::string_view(quote == '"' ? R"(""")" : "'''");
  }

  /// Strings in three quotes go over lines, others end with theirs, which is a mistake.
  void skip_string(char quote) {
    const bool long_one = has_three(quote);
    const std::size_t quotes = long_one ? 3 : 1;
    at_ += quotes;
    while (at_ < text_.size()) {
      const bool ends = long_one ? has_three(quote) : text_[at_] == quote || text_[at_] == '\n';
      if (ends) {
        at_ += quotes;
        // A long string may have two quotes of its own before the three that end it.
        for (int own = 0; long_one && own < 2 && text_.substr(at_, 1).starts_with(quote); ++own) {
          ++at_;
        }
        return;
      }
      const bool escapes = quote == '"' && text_[at_] == '\\';
      at_ += escapes ? 2U : 1U;
    }
    at_ = text_.size();
  }

  [[nodiscard]] TextPlace place() const {
    const std::string_view before = text_.substr(0, at_);
    const std::size_t newline = before.rfind('\n');  // npos + 1 is 0
    return {.line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n')),
            .column = static_cast<int>(at_ - (newline + 1)) + 1};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int parts_ = 1;   ///< of a key, or what might be one
  int levels_ = 0;  ///< of brackets
};

}  // namespace

std::optional<TextPlace> too_deep_toml(std::string_view text) {
  return DepthScanner(text).first_too_deep();
}

}  // namespace bankfull
