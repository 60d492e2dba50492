#include "bankfull/core/exec/cpu_executor.hpp"
#include "bankfull/core/exec/run_on_team.hpp"
#include "bankfull/workloads/npb/cg/cg.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace bankfull::npb::cg {
namespace {

double log_ratio_of(Class size) {
  return std::log(reciprocal_condition) / static_cast<double>(cg_parameters(size).rows);
}

/// For each row, which vectors have an element there, in ascending order. Each thread has a share
/// of the rows and looks through all vectors for them, so that no two write to one place.
SparseVectors transposed(const SparseVectors& x, const Range& rows, const Team& team) {
  SparseVectors members;
  members.starts.assign(static_cast<std::size_t>(rows.size()) + 1, 0);
  run_on_team(team, [&] {
    const Range mine = my_share(rows.size());
    for (const std::int32_t row : x.indices) {
      if (mine.holds(row - rows.begin)) {
        ++members.starts[static_cast<std::size_t>(row - rows.begin) + 1];
      }
    }
  });
  std::partial_sum(members.starts.begin(), members.starts.end(), members.starts.begin());
  members.indices.resize(static_cast<std::size_t>(members.starts.back()));
  members.values.resize(members.indices.size());
  run_on_team(team, [&] {
    const Range mine = my_share(rows.size());
    std::vector<std::int64_t> next(members.starts.begin() + mine.begin,
                                   members.starts.begin() + mine.end);
    for (std::size_t i = 0; i + 1 < x.starts.size(); ++i) {
      for (auto n = static_cast<std::size_t>(x.starts[i]);
           n < static_cast<std::size_t>(x.starts[i + 1]); ++n) {
        const std::int64_t row = x.indices[n] - rows.begin;
        if (mine.holds(row)) {
          const auto place =
              static_cast<std::size_t>(next[static_cast<std::size_t>(row - mine.begin)]++);
          members.indices[place] = static_cast<std::int32_t>(i);
          members.values[place] = x.values[n];
        }
      }
    }
  });
  return members;
}

/// Assembles the rows of a block one by one, without allocations.
class RowAssembly {
 public:
  /// `members` are those of `member_rows`, times their vectors' weights.
  RowAssembly(const Block& block, const SparseVectors& vectors, const SparseVectors& members,
              const Range& member_rows)
      : block_(block),
        first_member_(block.rows.begin - member_rows.begin),
        vectors_(&vectors),
        members_(&members),
        sums_(static_cast<std::size_t>(block.columns.size()), 0.0),
        seen_(sums_.size(), false) {
    found_.reserve(sums_.size());
  }

  /// Columns of a row of the block in ascending order; `value` returns their values until the next
  /// call. Both are counted from where the block begins.
  const std::vector<std::int32_t>& form(std::int64_t row) {
    for (const std::int32_t column : found_) {
      seen_[static_cast<std::size_t>(column)] = false;
      sums_[static_cast<std::size_t>(column)] = 0.0;
    }
    found_.clear();
    const std::int64_t own = row + block_.rows.begin;
    const bool upper = block_.kept == Kept::upper;
    const Range formed{upper ? std::max(own + 1, block_.columns.begin) : block_.columns.begin,
                       block_.columns.end};
    const auto r = static_cast<std::size_t>(first_member_ + row);
    for (auto m = static_cast<std::size_t>(members_->starts[r]);
         m < static_cast<std::size_t>(members_->starts[r + 1]); ++m) {
      const std::int32_t i = members_->indices[m];
      add_vector(i, members_->values[m], formed, own);
    }
    std::sort(found_.begin(), found_.end());
    return found_;
  }

  [[nodiscard]] double value(std::int32_t column) const {
    return sums_[static_cast<std::size_t>(column)];
  }

 private:
  void add_vector(std::int32_t i, double scale, const Range& formed, std::int64_t own) {
    const auto v = static_cast<std::size_t>(i);
    for (auto n = static_cast<std::size_t>(vectors_->starts[v]);
         n < static_cast<std::size_t>(vectors_->starts[v + 1]); ++n) {
      const std::int32_t column = vectors_->indices[n];
      if (formed.holds(column) && column != own) {
        add(column - block_.columns.begin, vectors_->values[n] * scale);
      }
    }
  }

  void add(std::int64_t column, double value) {
    const auto c = static_cast<std::size_t>(column);
    if (!seen_[c]) {
      seen_[c] = true;
      found_.push_back(static_cast<std::int32_t>(column));
    }
    sums_[c] += value;
  }

  Block block_;
  std::int64_t first_member_;  ///< row of the members that is the block's first row
  const SparseVectors* vectors_;
  const SparseVectors* members_;  ///< of rows
  std::vector<double> sums_;
  std::vector<char> seen_;
  std::vector<std::int32_t> found_;
};

}  // namespace

double vector_weight(Class size, std::int64_t i) {
  return std::pow(reciprocal_condition,
                  static_cast<double>(i) / static_cast<double>(cg_parameters(size).rows));
}

double diagonal_shift(Class size) { return reciprocal_condition - cg_parameters(size).shift; }

OuterProducts::OuterProducts(Class size, const Block& block, const Team& team, double scale)
    : size_(size),
      rows_(block.rows),
      scale_(scale),
      vectors_(draw_elements(size, block.rows, block.columns, team)),
      members_(transposed(vectors_, block.rows, team)) {
  const double log_ratio = log_ratio_of(size);
  CpuExecutor(team.threads()).each(members_.starts.back(), [&](std::int64_t n) {
    const auto m = static_cast<std::size_t>(n);
    members_.values[m] *= std::exp(log_ratio * members_.indices[m]);
  });
}

/// More than the part's entries: they are equally dense everywhere. What is not used is not
/// touched.
std::size_t OuterProducts::room_for_entries(const Block& part) const {
  constexpr double spread = 1.2;
  constexpr double few = 1000.0;
  const CgParameters& cg = cg_parameters(size_);
  const double density = static_cast<double>(cg.nonzeros) / static_cast<double>(cg.rows) /
                         static_cast<double>(cg.rows);
  const double places =
      static_cast<double>(part.rows.size()) * static_cast<double>(part.columns.size());
  return static_cast<std::size_t>(spread * density * places + few);
}

Matrix OuterProducts::assemble(const Block& part) const {
  Matrix matrix{.starts = {0}, .columns = {}, .values = {}};
  matrix.starts.reserve(static_cast<std::size_t>(part.rows.size()) + 1);
  const std::size_t room = room_for_entries(part);
  matrix.columns.reserve(room);
  matrix.values.reserve(room);
  RowAssembly assembly(part, vectors_, members_, rows_);
  for (std::int64_t row = 0; row < part.rows.size(); ++row) {
    for (const std::int32_t column : assembly.form(row)) {
      matrix.columns.push_back(column);
      matrix.values.push_back(scale_ * assembly.value(column));
    }
    matrix.starts.push_back(static_cast<std::int64_t>(matrix.columns.size()));
  }
  return matrix;
}

Matrix assemble(Class size, const Block& block, const Team& team, double scale) {
  return OuterProducts(size, block, team, scale).assemble(block);
}

void form_diagonal(Class size, const Range& rows, const Team& team, double scale,
                   double* diagonal) {
  const SparseVectors vectors = draw_elements(size, rows, rows, team);
  const SparseVectors members = transposed(vectors, rows, team);
  const double log_ratio = log_ratio_of(size);
  CpuExecutor(team.threads()).each(rows.size(), [&](std::int64_t row) {
    const auto r = static_cast<std::size_t>(row);
    double sum = 0.0;
    for (auto m = static_cast<std::size_t>(members.starts[r]);
         m < static_cast<std::size_t>(members.starts[r + 1]); ++m) {
      const double weighted = members.values[m] * std::exp(log_ratio * members.indices[m]);
      sum += members.values[m] * weighted;
    }
    diagonal[row] = scale * (sum + diagonal_shift(size));
  });
}

std::vector<double> diagonal_of(Class size, const Range& rows, double scale) {
  std::vector<double> diagonal(static_cast<std::size_t>(rows.size()));
  form_diagonal(size, rows, Team(1), scale, diagonal.data());
  return diagonal;
}

}  // namespace bankfull::npb::cg
