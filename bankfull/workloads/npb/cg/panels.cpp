#include "bankfull/workloads/npb/cg/panels.hpp"

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/exec/run_on_team.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace bankfull::npb::cg {
namespace {

/// Rows of each thread, with about as many entries each.
std::vector<Range> balanced_rows(const Matrix& matrix, int threads) {
  std::vector<Range> ranges;
  std::int64_t row = 0;
  for (int thread = 0; thread < threads; ++thread) {
    const std::int64_t begin = row;
    const std::int64_t until = matrix.nonzeros() * (thread + 1) / threads;
    while (row < matrix.rows() &&
           (matrix.starts[static_cast<std::size_t>(row)] < until || thread + 1 == threads)) {
      ++row;
    }
    ranges.push_back({begin, row});
  }
  return ranges;
}

std::int64_t panel_of(std::int32_t column) { return column / panel_columns; }

std::vector<Range> rows_of_panels(const Matrix& matrix, const Range& rows, std::int64_t columns) {
  const std::int64_t panels = (columns + panel_columns - 1) / panel_columns;
  std::vector<Range> of_panels(static_cast<std::size_t>(panels), Range{rows.end, rows.end});
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    for (std::int64_t n = matrix.starts[static_cast<std::size_t>(row)];
         n < matrix.starts[static_cast<std::size_t>(row) + 1]; ++n) {
      Range& panel = of_panels[static_cast<std::size_t>(
          panel_of(matrix.columns[static_cast<std::size_t>(n)]))];
      panel = {std::min(panel.begin, row), row + 1};
    }
  }
  return of_panels;
}

Part make_part(const Matrix& matrix, const Range& rows, std::int64_t columns) {
  const auto begin = matrix.starts.begin();
  const auto entries = static_cast<std::size_t>(begin[rows.end] - begin[rows.begin]);
  Part part;
  part.rows = rows;
  part.panel_rows = rows_of_panels(matrix, rows, columns);
  part.lengths = Buffer<std::uint16_t>(MemorySpace::host,
                                       static_cast<std::size_t>(total_size(part.panel_rows)));
  part.columns = Buffer<std::uint16_t>(MemorySpace::host, entries);
  part.values = Buffer<double>(MemorySpace::host, entries);
  std::vector<std::int64_t> next(begin + rows.begin, begin + rows.end);
  std::size_t place = 0;
  std::size_t piece = 0;
  for (std::size_t panel = 0; panel < part.panel_rows.size(); ++panel) {
    const std::int64_t first = static_cast<std::int64_t>(panel) * panel_columns;
    for (std::int64_t row = part.panel_rows[panel].begin; row < part.panel_rows[panel].end; ++row) {
      const std::size_t piece_begin = place;
      std::int64_t& n = next[static_cast<std::size_t>(row - rows.begin)];
      for (; n < begin[row + 1]; ++n) {
        const std::int64_t column = matrix.columns[static_cast<std::size_t>(n)] - first;
        if (column >= panel_columns) {
          break;
        }
        part.columns.data()[place] = static_cast<std::uint16_t>(column);
        part.values.data()[place] = matrix.values[static_cast<std::size_t>(n)];
        ++place;
      }
      part.lengths.data()[piece++] = static_cast<std::uint16_t>(place - piece_begin);
    }
  }
  return part;
}

/// Independent partial sums: more would not be faster, fewer would be limited by latency.
constexpr std::size_t chains = 4;

/// Sum of term(n) over a piece.
template <class Term>
BANKFULL_ALWAYS_INLINE double sum_piece(std::int64_t length, const Term& term) {
  std::array<double, chains> sums{};
  std::int64_t n = 0;
  for (; n + static_cast<std::int64_t>(chains) <= length; n += static_cast<std::int64_t>(chains)) {
    term(n, sums[0]);
    term(n + 1, sums[1]);
    term(n + 2, sums[2]);
    term(n + 3, sums[3]);
  }
  for (; n < length; ++n) {
    term(n, sums[0]);
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// body(row, first column of the panel, columns, values, length) for all pieces of a part.
template <class Body>
BANKFULL_ALWAYS_INLINE void for_pieces(const Part& part, const Body& body) {
  const std::uint16_t* lengths = part.lengths.data();
  const std::uint16_t* columns = part.columns.data();
  const double* values = part.values.data();
  std::int64_t first = 0;
  for (const Range& rows : part.panel_rows) {
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
      const std::int64_t length = *lengths++;
      body(row, first, columns, values, length);
      columns += length;
      values += length;
    }
    first += panel_columns;
  }
}

}  // namespace

Panels::Panels(const Matrix& matrix, const Block& block, const Team& team)
    : block_(block), parts_(static_cast<std::size_t>(team.threads())) {
  const std::vector<Range> ranges = balanced_rows(matrix, team.threads());
  run_on_team(team, [&] {
    const auto own = static_cast<std::size_t>(share_number());
    parts_[own] = make_part(matrix, ranges[own], block_.columns.size());
  });
}

std::int64_t Panels::bytes() const {
  std::size_t bytes = 0;
  for (const Part& part : parts_) {
    bytes += part.lengths.bytes() + part.columns.bytes() + part.values.bytes();
  }
  return static_cast<std::int64_t>(bytes);
}

void multiply_all(const Part& part, const double* x, double* y) {
  std::fill(y + part.rows.begin, y + part.rows.end, 0.0);
  for_pieces(part, [=](std::int64_t row, std::int64_t first, const std::uint16_t* columns,
                       const double* values, std::int64_t length) {
    const double* const panel = x + first;
    y[row] += sum_piece(length, [=](std::int64_t n, double& sum) {
      sum = std::fma(values[n], panel[columns[n]], sum);
    });
  });
}

void multiply_upper(const Panels& panels, const Part& part, Pair* pairs) {
  Pair* const columns_begin = pairs + panels.block().column_offset();
  for_pieces(part, [=](std::int64_t row, std::int64_t first, const std::uint16_t* columns,
                       const double* values, std::int64_t length) {
    Pair* const panel = columns_begin + first;
    const double own_x = pairs[row].x;
    pairs[row].sum += sum_piece(length, [=](std::int64_t n, double& sum) {
      Pair& pair = panel[columns[n]];
      sum = std::fma(values[n], pair.x, sum);
      pair.sum = std::fma(values[n], own_x, pair.sum);
    });
  });
}

}  // namespace bankfull::npb::cg
