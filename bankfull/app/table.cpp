#include "bankfull/app/table.hpp"

#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/base/printable.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace bankfull {

Table::Table(std::vector<std::string> headings) { rows_.push_back(std::move(headings)); }

void Table::add_row(std::vector<std::string> cells) {
  expects(cells.size() == rows_.front().size(), "a row has a cell per heading");
  constexpr std::size_t max_cell_length = 300;
  for (std::string& cell : cells) {
    cell = printable(cell, max_cell_length);
  }
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      widths[column] = std::max(widths[column], row[column].size());
    }
  }
  std::string text;
  for (const auto& row : rows_) {
    text += fmt::format("  {:<{}}", row.front(), widths.front());
    for (std::size_t column = 1; column < row.size(); ++column) {
      text += fmt::format("  {:>{}}", row[column], widths[column]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

}  // namespace bankfull
