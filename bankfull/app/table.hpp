#pragma once

#include <string>
#include <vector>

namespace bankfull {

/// Text columns that line up: the first column is left-aligned, the others right-aligned.
class Table {
 public:
  explicit Table(std::vector<std::string> headings);

  /// One cell per heading.
  void add_row(std::vector<std::string> cells);

  /// All rows under their headings, each line indented by two spaces and ended by a newline.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace bankfull
