#include "bankfull/workloads/npb/cg/panels.hpp"

#include "bankfull/core/base/host_device.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace bankfull::npb::cg {
namespace {

struct Entries {
  std::int64_t begin;
  std::int64_t end;

  [[nodiscard]] std::int64_t size() const { return end - begin; }
};

/// The entries of a row that are kept, the diagonal perhaps among them.
Entries kept_entries(const Matrix& matrix, Kept kept, std::int64_t row) {
  const auto r = static_cast<std::size_t>(row);
  const Entries all{matrix.starts[r], matrix.starts[r + 1]};
  if (kept == Kept::all) {
    return all;
  }
  const auto* columns = matrix.columns.data();
  return {std::upper_bound(columns + all.begin, columns + all.end, row) - columns, all.end};
}

/// Rows of each thread, with about as many entries each.
std::vector<Range> balanced_rows(const Matrix& matrix, Kept kept, int threads) {
  std::int64_t total = 0;
  for (std::int64_t row = 0; row < matrix.rows(); ++row) {
    total += kept_entries(matrix, kept, row).size();
  }
  std::vector<Range> ranges;
  std::int64_t row = 0;
  std::int64_t entries = 0;
  for (int thread = 0; thread < threads; ++thread) {
    const std::int64_t begin = row;
    const std::int64_t until = total * (thread + 1) / threads;
    while (row < matrix.rows() && (entries < until || thread + 1 == threads)) {
      entries += kept_entries(matrix, kept, row).size();
      ++row;
    }
    ranges.push_back({begin, row});
  }
  return ranges;
}

std::int64_t panel_count(const Matrix& matrix) {
  return (matrix.rows() + panel_columns - 1) / panel_columns;
}

/// body(row, entry) for the kept entries in the order of a part: panel by panel, rows ascending;
/// finished(row) after each piece.
template <class Body, class Finished>
void for_entries(const Matrix& matrix, Kept kept, const Range& rows, const Body& body,
                 const Finished& finished) {
  std::vector<std::int64_t> next;
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    next.push_back(kept_entries(matrix, kept, row).begin);
  }
  for (std::int64_t panel = 0; panel < panel_count(matrix); ++panel) {
    const std::int64_t limit = (panel + 1) * panel_columns;
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
      std::int64_t& n = next[static_cast<std::size_t>(row - rows.begin)];
      const std::int64_t end = matrix.starts[static_cast<std::size_t>(row) + 1];
      for (; n < end && matrix.columns[static_cast<std::size_t>(n)] < limit; ++n) {
        if (matrix.columns[static_cast<std::size_t>(n)] != row) {
          body(panel, static_cast<std::size_t>(n));
        }
      }
      finished();
    }
  }
}

Part make_part(const Matrix& matrix, Kept kept, const Range& rows) {
  std::size_t entries = 0;
  for_entries(
      matrix, kept, rows, [&](std::int64_t, std::size_t) { ++entries; }, [] {});
  Part part;
  part.rows = rows;
  const auto pieces = static_cast<std::size_t>(panel_count(matrix) * rows.size());
  part.lengths = Buffer<std::uint16_t>(MemorySpace::host, pieces);
  part.columns = Buffer<std::uint16_t>(MemorySpace::host, entries);
  part.values = Buffer<double>(MemorySpace::host, entries);
  std::size_t place = 0;
  std::size_t piece = 0;
  std::size_t piece_begin = 0;
  for_entries(
      matrix, kept, rows,
      [&](std::int64_t panel, std::size_t n) {
        part.columns.data()[place] =
            static_cast<std::uint16_t>(matrix.columns[n] - panel * panel_columns);
        part.values.data()[place] = matrix.values[n];
        ++place;
      },
      [&] {
        part.lengths.data()[piece++] = static_cast<std::uint16_t>(place - piece_begin);
        piece_begin = place;
      });
  return part;
}

/// Entries that are summed by themselves: more would not be faster, fewer would wait for each
/// other.
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
BANKFULL_ALWAYS_INLINE void for_pieces(const Panels& panels, const Part& part, const Body& body) {
  const std::uint16_t* lengths = part.lengths.data();
  const std::uint16_t* columns = part.columns.data();
  const double* values = part.values.data();
  for (std::int64_t first = 0; first < panels.rows(); first += panel_columns) {
    for (std::int64_t row = part.rows.begin; row < part.rows.end; ++row) {
      const std::int64_t length = *lengths++;
      body(row, first, columns, values, length);
      columns += length;
      values += length;
    }
  }
}

}  // namespace

Panels::Panels(const Matrix& matrix, Kept kept, const Team& team)
    : kept_(kept),
      rows_(matrix.rows()),
      parts_(static_cast<std::size_t>(team.threads())),
      diagonal_(MemorySpace::host, static_cast<std::size_t>(matrix.rows())) {
  const std::vector<Range> ranges = balanced_rows(matrix, kept, team.threads());
#pragma omp parallel num_threads(team.threads())
  {
    const auto own = static_cast<std::size_t>(share_number());
    parts_[own] = make_part(matrix, kept, ranges[own]);
    const Range mine = my_share(rows_);
    for (std::int64_t row = mine.begin; row < mine.end; ++row) {
      const Entries entries = kept_entries(matrix, Kept::all, row);
      const auto* columns = matrix.columns.data();
      const auto* place = std::lower_bound(columns + entries.begin, columns + entries.end, row);
      diagonal_.data()[row] = matrix.values[static_cast<std::size_t>(place - columns)];
    }
  }
}

std::int64_t Panels::bytes() const {
  std::size_t bytes = diagonal_.bytes();
  for (const Part& part : parts_) {
    bytes += part.lengths.bytes() + part.columns.bytes() + part.values.bytes();
  }
  return static_cast<std::int64_t>(bytes);
}

Kept better_kept(const Matrix& matrix, int threads) {
  constexpr std::int64_t entry_bytes = 10;
  constexpr std::int64_t sum_bytes = 24;  // written by a thread, read and cleared when added up
  const std::int64_t sums = threads * matrix.rows() * sum_bytes;
  return matrix.nonzeros() / 2 * entry_bytes > sums ? Kept::upper : Kept::all;
}

void multiply_all(const Panels& panels, const Part& part, const double* x, double* y) {
  std::fill(y + part.rows.begin, y + part.rows.end, 0.0);
  for_pieces(panels, part,
             [=](std::int64_t row, std::int64_t first, const std::uint16_t* columns,
                 const double* values, std::int64_t length) {
               const double* const panel = x + first;
               y[row] += sum_piece(length, [=](std::int64_t n, double& sum) {
                 sum = std::fma(values[n], panel[columns[n]], sum);
               });
             });
}

void multiply_upper(const Panels& panels, const Part& part, Pair* pairs) {
  for_pieces(panels, part,
             [=](std::int64_t row, std::int64_t first, const std::uint16_t* columns,
                 const double* values, std::int64_t length) {
               Pair* const panel = pairs + first;
               const double own_x = pairs[row].x;
               pairs[row].sum += sum_piece(length, [=](std::int64_t n, double& sum) {
                 Pair& pair = panel[columns[n]];
                 sum = std::fma(values[n], pair.x, sum);
                 pair.sum = std::fma(values[n], own_x, pair.sum);
               });
             });
}

}  // namespace bankfull::npb::cg
