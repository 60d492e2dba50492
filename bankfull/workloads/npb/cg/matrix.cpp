#include "bankfull/core/exec/run_on_team.hpp"
#include "bankfull/workloads/npb/cg/cg.hpp"
#include "bankfull/workloads/npb/generator.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <numeric>

namespace bankfull::npb::cg {
namespace {

/// One of the sparse vectors.
struct Elements {
  std::vector<std::int32_t> indices;
  std::vector<double> values;

  [[nodiscard]] bool has(std::int32_t index) const {
    return std::find(indices.begin(), indices.end(), index) != indices.end();
  }

  /// Sets an element, which is added where there is none.
  void set(std::int32_t index, double value) {
    const auto found = std::find(indices.begin(), indices.end(), index);
    if (found == indices.end()) {
      indices.push_back(index);
      values.push_back(value);
    } else {
      values[static_cast<std::size_t>(found - indices.begin())] = value;
    }
  }
};

/// visit(i, x_i) for all vectors in the order in which they are drawn.
template <class Visit>
void for_vectors(Class size, const Visit& visit) {
  const CgParameters& cg = cg_parameters(size);
  const std::uint64_t range = std::bit_ceil(static_cast<std::uint64_t>(cg.rows));
  Generator generator(common_seed, 1);  // NPB discards one value
  Elements x;
  for (std::int64_t i = 0; i < cg.rows; ++i) {
    x.indices.clear();
    x.values.clear();
    while (static_cast<int>(x.indices.size()) < cg.vector_nonzeros) {
      const double value = generator.draw();
      const auto index = static_cast<std::int32_t>(static_cast<double>(range) * generator.draw());
      if (index < cg.rows && !x.has(index)) {
        x.indices.push_back(index);
        x.values.push_back(value);
      }
    }
    x.set(static_cast<std::int32_t>(i), own_element);
    visit(i, x);
  }
}

/// The vectors' elements in the block's rows and columns.
SparseVectors draw_elements(Class size, const Range& rows, const Range& columns) {
  const std::int64_t count = cg_parameters(size).rows;
  SparseVectors kept;
  kept.starts.reserve(static_cast<std::size_t>(count) + 1);
  for_vectors(size, [&](std::int64_t /*i*/, const Elements& x) {
    kept.starts.push_back(static_cast<std::int64_t>(kept.indices.size()));
    for (std::size_t n = 0; n < x.indices.size(); ++n) {
      if (rows.holds(x.indices[n]) || columns.holds(x.indices[n])) {
        kept.indices.push_back(x.indices[n]);
        kept.values.push_back(x.values[n]);
      }
    }
  });
  kept.starts.push_back(static_cast<std::int64_t>(kept.indices.size()));
  return kept;
}

double log_ratio_of(Class size) {
  return std::log(reciprocal_condition) / static_cast<double>(cg_parameters(size).rows);
}

/// For each row, which vectors have an element there.
SparseVectors transposed(const SparseVectors& x, const Range& rows) {
  SparseVectors members;
  members.starts.assign(static_cast<std::size_t>(rows.size()) + 1, 0);
  for (const std::int32_t row : x.indices) {
    if (rows.holds(row)) {
      ++members.starts[static_cast<std::size_t>(row - rows.begin) + 1];
    }
  }
  std::partial_sum(members.starts.begin(), members.starts.end(), members.starts.begin());
  members.indices.resize(static_cast<std::size_t>(members.starts.back()));
  members.values.resize(members.indices.size());
  std::vector<std::int64_t> next(members.starts.begin(), members.starts.end() - 1);
  for (std::size_t i = 0; i + 1 < x.starts.size(); ++i) {
    for (auto n = static_cast<std::size_t>(x.starts[i]);
         n < static_cast<std::size_t>(x.starts[i + 1]); ++n) {
      if (rows.holds(x.indices[n])) {
        const auto place =
            static_cast<std::size_t>(next[static_cast<std::size_t>(x.indices[n] - rows.begin)]++);
        members.indices[place] = static_cast<std::int32_t>(i);
        members.values[place] = x.values[n];
      }
    }
  }
  return members;
}

/// Assembles the rows of a block one by one, without allocations. Each thread has its own object,
/// on cache lines of its own.
class alignas(64) RowAssembly {
 public:
  RowAssembly(Class size, const Block& block, double scale, const SparseVectors& vectors,
              const SparseVectors& members)
      : block_(block),
        scale_(scale),
        vectors_(&vectors),
        members_(&members),
        log_ratio_(log_ratio_of(size)),
        sums_(static_cast<std::size_t>(block.columns.size()), 0.0),
        seen_(sums_.size(), false) {
    found_.reserve(sums_.size());
  }

  /// Columns of a row of the block in ascending order; `value` returns their values, times the
  /// scale, until the next call. Both are counted from where the block begins.
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
    const auto r = static_cast<std::size_t>(row);
    for (auto m = static_cast<std::size_t>(members_->starts[r]);
         m < static_cast<std::size_t>(members_->starts[r + 1]); ++m) {
      const std::int32_t i = members_->indices[m];
      add_vector(i, members_->values[m] * std::exp(log_ratio_ * i), formed, own);
    }
    std::sort(found_.begin(), found_.end());
    return found_;
  }

  [[nodiscard]] double value(std::int32_t column) const {
    return scale_ * sums_[static_cast<std::size_t>(column)];
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
  double scale_;
  const SparseVectors* vectors_;
  const SparseVectors* members_;  ///< of rows
  double log_ratio_;
  std::vector<double> sums_;
  std::vector<char> seen_;
  std::vector<std::int32_t> found_;
};

}  // namespace

SparseVectors draw_vectors(Class size) {
  const Range all{0, cg_parameters(size).rows};
  return draw_elements(size, all, all);
}

double vector_weight(Class size, std::int64_t i) {
  return std::pow(reciprocal_condition,
                  static_cast<double>(i) / static_cast<double>(cg_parameters(size).rows));
}

double diagonal_shift(Class size) { return reciprocal_condition - cg_parameters(size).shift; }

Matrix assemble(Class size, const Block& block, const Team& team, double scale) {
  const Range& rows = block.rows;
  const SparseVectors vectors = draw_elements(size, rows, block.columns);
  const SparseVectors members = transposed(vectors, rows);
  Matrix matrix;
  matrix.starts.assign(static_cast<std::size_t>(rows.size()) + 1, 0);
  std::vector<std::unique_ptr<RowAssembly>> assemblies(static_cast<std::size_t>(team.threads()));
  const auto own_assembly = [&]() -> std::unique_ptr<RowAssembly>& {
    return assemblies[static_cast<std::size_t>(share_number())];
  };
  run_on_team(team, [&] {
    own_assembly() = std::make_unique<RowAssembly>(size, block, scale, vectors, members);
  });
  // One pass for the lengths of rows and one for their elements, so that no array has to grow.
#pragma omp parallel for num_threads(team.threads()) schedule(dynamic, 256)
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    matrix.starts[static_cast<std::size_t>(row) + 1] =
        static_cast<std::int64_t>(own_assembly()->form(row).size());
  }
  std::partial_sum(matrix.starts.begin(), matrix.starts.end(), matrix.starts.begin());
  matrix.columns.resize(static_cast<std::size_t>(matrix.nonzeros()));
  matrix.values.resize(static_cast<std::size_t>(matrix.nonzeros()));
#pragma omp parallel for num_threads(team.threads()) schedule(dynamic, 256)
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    RowAssembly& assembly = *own_assembly();
    auto place = static_cast<std::size_t>(matrix.starts[static_cast<std::size_t>(row)]);
    for (const std::int32_t column : assembly.form(row)) {
      matrix.columns[place] = column;
      matrix.values[place] = assembly.value(column);
      ++place;
    }
  }
  return matrix;
}

std::vector<double> diagonal_of(Class size, const Range& rows, double scale) {
  std::vector<double> diagonal(static_cast<std::size_t>(rows.size()), 0.0);
  const double log_ratio = log_ratio_of(size);
  for_vectors(size, [&](std::int64_t i, const Elements& x) {
    for (std::size_t n = 0; n < x.indices.size(); ++n) {
      if (rows.holds(x.indices[n])) {
        const double weighted = x.values[n] * std::exp(log_ratio * static_cast<double>(i));
        diagonal[static_cast<std::size_t>(x.indices[n] - rows.begin)] += x.values[n] * weighted;
      }
    }
  });
  for (double& element : diagonal) {
    element = scale * (element + diagonal_shift(size));
  }
  return diagonal;
}

}  // namespace bankfull::npb::cg
