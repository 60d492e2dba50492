#include "bankfull/workloads/hpcg/hpcg_dat.hpp"

#include "bankfull/core/base/error.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <string_view>
#include <utility>
#include <vector>

namespace bankfull::hpcg {
namespace {

constexpr std::size_t longest_line = 4096;
constexpr std::size_t line_count = 5;  ///< of those that are read
constexpr std::size_t local_line = line_of_local - 1;
constexpr std::size_t seconds_line = line_of_seconds - 1;
constexpr std::size_t ranks_line = line_of_process_grid - 1;

std::string remedy_for_local() {
  return fmt::format("write nx ny nz, three numbers from {} to {}", min_dimension, max_dimension);
}

std::string remedy_for_seconds() {
  return fmt::format("write the seconds of the run, from 0 to {:.0f}", longest_seconds);
}

constexpr const char* remedy_for_ranks =
    "write npx npy npz, three numbers of at least 1 or all 0, or leave the line out";

/// Text as it can stand in a message of one line.
std::string shown(std::string_view text) {
  constexpr std::size_t most = 40;
  std::string result(text.substr(0, most));
  std::replace_if(
      result.begin(), result.end(), [](char letter) { return letter < ' ' || letter > '~'; }, '?');
  return result + (text.size() > most ? "..." : "");
}

[[noreturn]] void refuse(const std::string& name, std::size_t line, std::size_t column,
                         const std::string& what, const std::string& remedy) {
  throw UsageError(fmt::format("{}:{}:{}: {}", name, line + 1, column + 1, what), remedy);
}

/// The first lines of the file. Lines end in \n, \r or both.
std::vector<std::string> read_lines(std::istream& stream, const std::string& name) {
  std::vector<std::string> lines;
  std::string line;
  bool after_return = false;
  for (char letter = 0; lines.size() < line_count && stream.get(letter);) {
    const bool ends = letter == '\r' || (letter == '\n' && !after_return);
    if (ends) {
      lines.push_back(std::move(line));
      line.clear();
    } else if (letter != '\n') {
      line += letter;
    }
    after_return = letter == '\r';
    if (line.size() > longest_line) {
      refuse(name, lines.size(), longest_line, "the line is too long for an hpcg.dat",
             "name another file");
    }
  }
  if (lines.size() < line_count && !line.empty()) {
    lines.push_back(std::move(line));
  }
  const auto blank = [](const std::string& text) {
    return text.find_first_not_of(" \t") == std::string::npos;
  };
  while (!lines.empty() && blank(lines.back())) {
    lines.pop_back();
  }
  return lines;
}

/// Takes a line apart word by word.
class Words {
 public:
  Words(std::string name, std::size_t line, std::string_view text)
      : name_(std::move(name)), line_(line), text_(text) {}

  /// The next word; empty at the end of the line.
  std::string_view next() {
    begin_ = std::min(text_.find_first_not_of(" \t", end_), text_.size());
    end_ = std::min(text_.find_first_of(" \t", begin_), text_.size());
    return text_.substr(begin_, end_ - begin_);
  }

  /// Refuses the word that `next` gave.
  [[noreturn]] void refuse_word(const std::string& why, const std::string& remedy) const {
    const std::string_view word = text_.substr(begin_, end_ - begin_);
    const std::string what = word.empty() ? "the line ends where a number is expected"
                                          : fmt::format("'{}' {}", shown(word), why);
    refuse(name_, line_, begin_, what, remedy);
  }

 private:
  std::string name_;
  std::size_t line_;
  std::string_view text_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

/// A whole word as a number.
template <class T>
std::optional<T> number_in(std::string_view word) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') {
    word.remove_prefix(1);
  }
  T value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  const bool whole = error == std::errc{} && end == word.data() + word.size();
  return whole ? std::optional<T>(value) : std::nullopt;
}

std::int64_t read_count(Words& words, std::int64_t least, const std::string& remedy) {
  const auto value = number_in<std::int64_t>(words.next());
  if (!value) {
    words.refuse_word("is not a whole number", remedy);
  }
  if (*value < least || *value > max_dimension) {
    words.refuse_word(*value < least ? "is too small" : "is too large", remedy);
  }
  return *value;
}

/// In braces, so that the numbers are read in their order.
Grid3 read_grid(Words& words, std::int64_t least, const std::string& remedy) {
  return Grid3{read_count(words, least, remedy), read_count(words, least, remedy),
               read_count(words, least, remedy)};
}

/// Further numbers are an error, other words a comment.
void refuse_more_numbers(Words& words, const std::string& remedy) {
  if (number_in<double>(words.next())) {
    words.refuse_word("is one number too many", remedy);
  }
}

double read_seconds(Words& words) {
  const auto value = number_in<double>(words.next());
  if (!value || !std::isfinite(*value)) {
    words.refuse_word("is not a number of seconds", remedy_for_seconds());
  }
  if (*value < 0.0 || *value > longest_seconds) {
    words.refuse_word(*value < 0.0 ? "is negative" : "is longer than a week", remedy_for_seconds());
  }
  return *value;
}

/// None where all are 0.
std::optional<Grid3> read_ranks(Words& words) {
  const Grid3 grid = read_grid(words, 0, remedy_for_ranks);
  if (grid == Grid3{}) {
    return std::nullopt;
  }
  if (grid.count() == 0) {
    words.refuse_word("ends three numbers of which only some are 0", remedy_for_ranks);
  }
  return grid;
}

}  // namespace

HpcgDat read_hpcg_dat(std::istream& stream, const std::string& name) {
  const std::vector<std::string> lines = read_lines(stream, name);
  if (lines.size() <= local_line) {
    refuse(name, lines.size(), 0, "the file ends before its third line", remedy_for_local());
  }
  HpcgDat result;
  Words local(name, local_line, lines[local_line]);
  result.local = read_grid(local, min_dimension, remedy_for_local());
  refuse_more_numbers(local, remedy_for_local());
  if (lines.size() > seconds_line) {
    Words seconds(name, seconds_line, lines[seconds_line]);
    result.seconds = read_seconds(seconds);
    refuse_more_numbers(seconds, remedy_for_seconds());
  }
  if (lines.size() > ranks_line) {
    Words ranks(name, ranks_line, lines[ranks_line]);
    result.process_grid = read_ranks(ranks);
    refuse_more_numbers(ranks, remedy_for_ranks);
  }
  return result;
}

}  // namespace bankfull::hpcg
