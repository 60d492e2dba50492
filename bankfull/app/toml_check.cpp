#include "bankfull/app/toml_check.hpp"

#include "bankfull/core/base/printable.hpp"
#include "bankfull/core/base/utf8.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace bankfull {
namespace {

constexpr std::string_view blanks = " \t";
constexpr std::string_view white = " \t\r\n";
constexpr std::size_t max_quote_length = 80;

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

bool is_quote(char letter) { return letter == '"' || letter == '\''; }

bool is_of_bare_key(char letter) {
  return is_digit(letter) || (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         letter == '_' || letter == '-';
}

/// Letters of numbers, dates, true, false, inf and nan. The blank may separate a date from a time.
bool is_of_bare_value(char letter) {
  return is_of_bare_key(letter) || std::string_view("+.: ").find(letter) != std::string_view::npos;
}

bool is_beyond_ascii(char letter) { return static_cast<unsigned char>(letter) >= 0x80U; }

/// As toml++ looks at a word before it decides what it is.
std::string without_underscores(std::string_view word) {
  std::string letters(word);
  letters.erase(std::remove(letters.begin(), letters.end(), '_'), letters.end());
  return letters;
}

constexpr std::size_t letters_of_date = 10;

bool begins_with_date(const std::string& letters) {
  return letters.size() >= letters_of_date && is_digit(letters[0]) && letters[4] == '-' &&
         letters[7] == '-';
}

/// Whether what begins as a date has underscores, or continues as if a time came, and none does.
bool is_no_date(std::string_view word) {
  const std::string letters = without_underscores(word);
  if (!begins_with_date(letters)) {
    return false;
  }
  if (letters.size() != word.size()) {
    return true;
  }
  const std::string rest = letters.substr(letters_of_date);
  const bool expects_time =
      !rest.empty() && std::string_view(" Tt").find(rest[0]) != std::string_view::npos;
  return expects_time && (rest.size() < 3 || !is_digit(rest[1]));
}

bool looks_like_value(std::string_view word) {
  return std::all_of(word.begin(), word.end(), is_of_bare_value);
}

class TomlScanner {
 public:
  explicit TomlScanner(std::string_view text) : text_(text) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    at_ = text_.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  }

  std::optional<TomlFault> first_fault() {
    while (at_ < text_.size() && !fault_) {
      take();
    }
    return fault_;
  }

  /// Where letters begin that toml++ mistakes, in what was read.
  [[nodiscard]] const std::vector<std::size_t>& unsafe_letters() const { return unsafe_letters_; }

 private:
  /// Moves on by a letter, a string, a comment, the beginning of a heading or a bare value.
  void take() {
    const char letter = text_[at_];
    if (letter == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (white.find(letter) != std::string_view::npos) {
      take_white(letter);
    } else {
      const bool begins_line = std::exchange(begins_line_, false);
      if (letter == '[' && begins_line && open_.empty()) {
        take_heading();
      } else {
        take_word(letter);
      }
    }
  }

  void take_word(char letter) {
    const bool is_mark = std::string_view("[]{},=").find(letter) != std::string_view::npos;
    if (is_quote(letter)) {
      expects_value_ = false;
      skip_string(letter);
    } else if (is_mark || (letter == '.' && !expects_value_)) {
      take_mark(letter);
    } else if (expects_value_) {
      take_bare_value();
    } else {
      take_letter(letter);
    }
  }

  void take_white(char letter) {
    if (letter == '\n') {
      parts_ = 1;
      begins_line_ = true;
      expects_value_ = expects_value_ && !open_.empty();
    }
    ++at_;
  }

  void take_mark(char mark) {
    parts_ = mark == '.' ? parts_ + 1 : 1;
    if (mark == '[' || mark == '{') {
      open_ += mark;
    } else if (mark == '}' && is_in_list()) {
      refuse("a list ends with '}'", "end it with ]");
    } else if ((mark == ']' || mark == '}') && !open_.empty()) {
      open_.pop_back();
    }
    expects_value_ = mark == '=' || mark == '[' || (mark == ',' && is_in_list());
    if (parts_ > deepest_toml || open_.size() > deepest_toml) {
      TomlFault& fault = refuse(fmt::format("nested more than {} deep", deepest_toml),
                                "no field of a case is nested so deeply");
      fault.too_deep = true;
    }
    ++at_;
  }

  /// One bracket or two and the first letter of a name, or an end that the parser refuses itself.
  void take_heading() {
    const std::size_t begin = at_;
    for (int brackets = 0; brackets < 2 && text_.substr(at_).starts_with('['); ++brackets) {
      at_ = std::min(text_.find_first_not_of(blanks, at_ + 1), text_.size());
    }
    const bool has_name = at_ == text_.size() || is_of_bare_key(text_[at_]) ||
                          is_quote(text_[at_]) || text_[at_] == ']' || is_beyond_ascii(text_[at_]);
    if (!has_name) {
      refuse(fmt::format("the heading '{}' has no name", rest_of_line(begin)),
             "write [name] or [[name]]; a name with characters other than letters, digits, _ and - "
             "must be quoted");
    }
  }

  void take_letter(char letter) {
    if (!is_beyond_ascii(letter)) {
      ++at_;
      return;
    }
    const auto character = first_character(text_.substr(at_));
    if (!character) {  // The parser says so.
      at_ = text_.size();
      return;
    }
    refuse(fmt::format("'{}' (U+{:04X}) stands outside quotes",
                       printable(text_.substr(at_, character->bytes)),
                       static_cast<unsigned>(character->code)),
           "put the name or text that it is of into quotes");
  }

  [[nodiscard]] std::size_t end_of_word(std::size_t begin) const {
    return std::min(text_.find_first_of(" \t\r\n,]}#", begin), text_.size());
  }

  /// A word, or a date, a blank and a time.
  [[nodiscard]] std::size_t end_of_value() const {
    const std::size_t end = end_of_word(at_);
    const std::string letters = without_underscores(text_.substr(at_, end - at_));
    const bool has_time = letters.size() == letters_of_date && begins_with_date(letters) &&
                          text_.substr(end).starts_with(' ') && end + 1 < text_.size() &&
                          is_digit(text_[end + 1]);
    return has_time ? end_of_word(end + 1) : end;
  }

  void take_bare_value() {
    const std::size_t end = end_of_value();
    const std::string_view value = text_.substr(at_, end - at_);
    const std::string shown = printable(value, max_quote_length);
    if (!looks_like_value(value)) {
      refuse(fmt::format("'{}' is not a value", shown), "put a text into quotes");
    } else if (is_no_date(value)) {
      refuse(fmt::format("'{}' is not a date", shown), "write 2020-01-31 or 2020-01-31T09:30:00");
    }
    expects_value_ = false;
    at_ = end;
  }

  [[nodiscard]] bool is_in_list() const { return open_.ends_with('['); }

  [[nodiscard]] bool has_three(char quote) const {
    return text_.substr(at_, 3) == std::string_view(quote == '"' ? R"(""")" : "'''");
  }

  /// Strings in three quotes go over lines, others end with theirs, which is a mistake.
  void skip_string(char quote) {
    const bool long_one = has_three(quote);
    const std::size_t quotes = long_one ? 3 : 1;
    at_ += quotes;
    while (at_ < text_.size() && !fault_) {
      const bool ends = long_one ? has_three(quote) : text_[at_] == quote || text_[at_] == '\n';
      if (ends) {
        at_ += quotes;
        // A long string may have two quotes of its own before the three that end it.
        for (int own = 0; long_one && own < 2 && text_.substr(at_, 1).starts_with(quote); ++own) {
          ++at_;
        }
        return;
      }
      if (quote == '"' && text_[at_] == '\\') {
        skip_escape(long_one);
      } else {
        ++at_;
      }
    }
    at_ = std::min(at_, text_.size());
  }

  void skip_escape(bool in_long_string) {
    const std::size_t next = text_.find_first_not_of(blanks, at_ + 1);
    if (!in_long_string || next == std::string_view::npos) {
      at_ += 2;
    } else if (text_[next] == '\n' || text_[next] == '\r') {
      at_ = std::min(text_.find_first_not_of(white, next), text_.size());
      if (at_ < text_.size() && is_beyond_ascii(text_[at_])) {
        unsafe_letters_.push_back(at_);
      }
    } else if (is_beyond_ascii(text_[next])) {
      const auto letter = first_character(text_.substr(next));
      const std::size_t end = next + (letter ? letter->bytes : 1);
      refuse(fmt::format("'{}' is not an escape sequence",
                         printable(text_.substr(at_, end - at_), max_quote_length)),
             R"(write \\ for a backslash)");
    } else {
      at_ = next + 1;
    }
  }

  [[nodiscard]] std::string rest_of_line(std::size_t begin) const {
    std::string_view line = text_.substr(begin, text_.find('\n', begin) - begin);
    line = line.substr(0, line.find_last_not_of(white) + 1);
    return printable(line, max_quote_length);
  }

  TomlFault& refuse(std::string problem, std::string remedy) {
    const std::string_view before = text_.substr(0, at_);
    const std::size_t newline = before.rfind('\n');  // npos + 1 is 0
    return fault_.emplace(
        TomlFault{.line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n')),
                  .column = static_cast<int>(at_ - (newline + 1)) + 1,
                  .problem = std::move(problem),
                  .remedy = std::move(remedy)});
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int parts_ = 1;     ///< of a key, or what might be one
  std::string open_;  ///< brackets of lists and inline tables
  bool begins_line_ = true;
  bool expects_value_ = false;
  std::optional<TomlFault> fault_;
  std::vector<std::size_t> unsafe_letters_;
};

}  // namespace

std::optional<TomlFault> toml_fault(std::string_view text) {
  return TomlScanner(text).first_fault();
}

std::string safe_toml(std::string_view text) {
  TomlScanner scanner(text);
  scanner.first_fault();
  std::string safe;
  std::size_t copied = 0;
  for (const std::size_t at : scanner.unsafe_letters()) {
    const auto character = first_character(text.substr(at));
    if (character) {
      safe += fmt::format("{}\\U{:08X}", text.substr(copied, at - copied),
                          static_cast<unsigned>(character->code));
      copied = at + character->bytes;
    }
  }
  return safe.append(text.substr(copied));
}

}  // namespace bankfull
