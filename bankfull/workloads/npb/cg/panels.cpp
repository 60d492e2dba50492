#include "bankfull/workloads/npb/cg/panels.hpp"

#include "bankfull/core/base/host_device.hpp"
#include "bankfull/core/exec/run_on_team.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace bankfull::npb::cg {
namespace {

/// Panels of about equal widths, none wider than `width`.
std::vector<Panel> cut_into_panels(const Tile& tile, std::int64_t width) {
  const std::int64_t columns = tile.columns.size();
  const auto count = static_cast<int>((columns + width - 1) / width);
  std::vector<Panel> panels;
  panels.reserve(static_cast<std::size_t>(count));
  for (int panel = 0; panel < count; ++panel) {
    panels.push_back({.first_column = share(columns, panel, count).begin});
  }
  return panels;
}

/// One past a panel's last column.
std::int64_t end_of_panel(const std::vector<Panel>& panels, std::size_t panel, const Tile& tile) {
  return panel + 1 < panels.size() ? panels[panel + 1].first_column : tile.columns.size();
}

/// The end of a panel's entries in a row, of which those from `n` on are left.
std::int64_t end_of_piece(const Matrix& matrix, std::int64_t row, std::int64_t n,
                          std::int64_t end_column) {
  const std::int64_t end = matrix.starts[static_cast<std::size_t>(row) + 1];
  while (n < end && matrix.columns[static_cast<std::size_t>(n)] < end_column) {
    ++n;
  }
  return n;
}

/// Sets the panels' rows and where their pieces and entries begin; returns the number of pieces.
std::int64_t set_rows(const Matrix& matrix, const Tile& tile, std::vector<Panel>& panels) {
  std::vector<std::int64_t> next(matrix.starts.begin(), matrix.starts.end() - 1);
  std::int64_t pieces = 0;
  std::int64_t entries = 0;
  for (std::size_t panel = 0; panel < panels.size(); ++panel) {
    const std::int64_t end = end_of_panel(panels, panel, tile);
    panels[panel].first_piece = pieces;
    panels[panel].first_entry = entries;
    Range rows{matrix.rows(), matrix.rows()};
    for (std::int64_t row = 0; row < matrix.rows(); ++row) {
      std::int64_t& n = next[static_cast<std::size_t>(row)];
      const std::int64_t piece_end = end_of_piece(matrix, row, n, end);
      if (piece_end > n) {
        rows = {std::min(rows.begin, row), row + 1};
      }
      entries += piece_end - n;
      n = piece_end;
    }
    panels[panel].rows = rows;
    pieces += rows.size();
  }
  return pieces;
}

Part make_part(const Matrix& matrix, const Tile& tile) {
  Part part;
  part.tile = tile;
  part.panels =
      cut_into_panels(tile, panel_columns(matrix.rows(), tile.columns.size(), matrix.nonzeros()));
  const std::int64_t pieces = set_rows(matrix, tile, part.panels);
  const auto entries = static_cast<std::size_t>(matrix.nonzeros());
  part.lengths = Buffer<std::uint16_t>(MemorySpace::host, static_cast<std::size_t>(pieces));
  part.columns = Buffer<std::uint16_t>(MemorySpace::host, entries);
  part.values = Buffer<double>(MemorySpace::host, entries);
  std::vector<std::int64_t> next(matrix.starts.begin(), matrix.starts.end() - 1);
  std::size_t place = 0;
  std::size_t piece = 0;
  for (std::size_t panel = 0; panel < part.panels.size(); ++panel) {
    const std::int64_t first = part.panels[panel].first_column;
    const std::int64_t end = end_of_panel(part.panels, panel, tile);
    const Range& rows = part.panels[panel].rows;
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
      std::int64_t& n = next[static_cast<std::size_t>(row)];
      const std::int64_t piece_end = end_of_piece(matrix, row, n, end);
      part.lengths.data()[piece++] = static_cast<std::uint16_t>(piece_end - n);
      for (; n < piece_end; ++n) {
        const auto entry = static_cast<std::size_t>(n);
        part.columns.data()[place] = static_cast<std::uint16_t>(matrix.columns[entry] - first);
        part.values.data()[place++] = matrix.values[entry];
      }
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

/// body(row, first column of the panel, columns, values, length) for all pieces of a panel, rows
/// and columns counted from where the tile begins.
template <class Body>
BANKFULL_ALWAYS_INLINE void for_pieces(const Part& part, const Panel& panel, const Body& body) {
  const std::uint16_t* lengths = part.lengths.data() + panel.first_piece;
  const std::uint16_t* columns = part.columns.data() + panel.first_entry;
  const double* values = part.values.data() + panel.first_entry;
  for (std::int64_t row = panel.rows.begin; row < panel.rows.end; ++row) {
    const std::int64_t length = *lengths++;
    body(row, panel.first_column, columns, values, length);
    columns += length;
    values += length;
  }
}

/// The same for all panels.
template <class Body>
BANKFULL_ALWAYS_INLINE void for_pieces(const Part& part, PanelOrder order, const Body& body) {
  const std::size_t count = part.panels.size();
  for (std::size_t n = 0; n < count; ++n) {
    for_pieces(part, part.panels[order == PanelOrder::ascending ? n : count - 1 - n], body);
  }
}

/// visit(inputs of the block, where the first of them stands in the tile's copy) for the tile's
/// ranges.
template <class Visit>
void for_inputs(const Tile& tile, const Visit& visit) {
  std::int64_t place = 0;
  for (const Range& range : tile.inputs()) {
    visit(range, place);
    place += range.size();
  }
}

}  // namespace

std::int64_t panel_columns(std::int64_t rows, std::int64_t columns, std::int64_t entries) {
  std::int64_t width = min_panel_columns;
  while (width < max_panel_columns && width * entries < enough_in_piece * rows * columns) {
    width *= 2;
  }
  return width;
}

Panels::Panels(Class size, const Block& block, const Team& team, double scale)
    : block_(block), parts_(static_cast<std::size_t>(team.threads())) {
  const OuterProducts products(size, block, team, scale);
  const std::vector<Tile> tiles = cut_into_tiles(block, team.threads());
  run_on_team(team, [&] {
    const auto own = static_cast<std::size_t>(share_number());
    parts_[own] = make_part(products.assemble(block_of(block, tiles[own])), tiles[own]);
  });
}

std::int64_t Panels::bytes() const {
  std::size_t bytes = 0;
  for (const Part& part : parts_) {
    bytes += part.lengths.bytes() + part.columns.bytes() + part.values.bytes();
  }
  return static_cast<std::int64_t>(bytes);
}

std::int64_t Panels::pair_bytes() const {
  std::int64_t pairs = 0;
  for (const Part& part : parts_) {
    pairs += block_.kept == Kept::upper ? part.tile.input_count() : 0;
  }
  return pairs * static_cast<std::int64_t>(sizeof(Pair));
}

void multiply_all(const Part& part, PanelOrder order, const double* x, double* y) {
  double* const rows = y + part.tile.rows.begin;
  std::fill_n(rows, part.tile.rows.size(), 0.0);
  for_pieces(part, order,
             [=](std::int64_t row, std::int64_t first, const std::uint16_t* columns,
                 const double* values, std::int64_t length) {
               const double* const panel = x + first;
               rows[row] += sum_piece(length, [=](std::int64_t n, double& sum) {
                 sum = std::fma(values[n], panel[columns[n]], sum);
               });
             });
}

void multiply_upper(const Part& part, PanelOrder order, const double* x, Pair* pairs) {
  for_inputs(part.tile, [=](const Range& inputs, std::int64_t place) {
    for (std::int64_t n = 0; n < inputs.size(); ++n) {
      pairs[place + n] = {x[inputs.begin + n], 0.0};
    }
  });
  Pair* const columns_begin = pairs + part.tile.column_offset();
  for_pieces(part, order,
             [=](std::int64_t row, std::int64_t first, const std::uint16_t* columns,
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

void add_sums(const Part& part, const Pair* pairs, const Range& inputs, double* sums) {
  for_inputs(part.tile, [=](const Range& own, std::int64_t place) {
    const std::int64_t end = std::min(own.end, inputs.end);
    for (std::int64_t n = std::max(own.begin, inputs.begin); n < end; ++n) {
      sums[n] += pairs[place + n - own.begin].sum;
    }
  });
}

}  // namespace bankfull::npb::cg
