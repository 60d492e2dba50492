#include "bankfull/workloads/npb/cg/cg.hpp"
#include "bankfull/workloads/npb/generator.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace bankfull::npb::cg {
namespace {

/// Sets element `index` of the vector that begins at `start`, which is added where it has none.
void set_element(SparseVectors& vectors, std::int64_t start, std::int32_t index, double value) {
  const auto begin = vectors.indices.begin() + start;
  const auto found = std::find(begin, vectors.indices.end(), index);
  if (found == vectors.indices.end()) {
    vectors.indices.push_back(index);
    vectors.values.push_back(value);
  } else {
    vectors.values[static_cast<std::size_t>(found - vectors.indices.begin())] = value;
  }
}

/// Which vectors have an element in each row.
struct Members {
  std::vector<std::int64_t> starts;
  std::vector<std::int32_t> vectors;
  std::vector<double> values;
};

Members transposed(const SparseVectors& x, std::int64_t rows) {
  Members members;
  members.starts.assign(static_cast<std::size_t>(rows) + 1, 0);
  for (const std::int32_t row : x.indices) {
    ++members.starts[static_cast<std::size_t>(row) + 1];
  }
  for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
    members.starts[row + 1] += members.starts[row];
  }
  members.vectors.resize(x.indices.size());
  members.values.resize(x.indices.size());
  std::vector<std::int64_t> next(members.starts.begin(), members.starts.end() - 1);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t n = x.starts[static_cast<std::size_t>(i)];
         n < x.starts[static_cast<std::size_t>(i) + 1]; ++n) {
      const auto place = static_cast<std::size_t>(
          next[static_cast<std::size_t>(x.indices[static_cast<std::size_t>(n)])]++);
      members.vectors[place] = static_cast<std::int32_t>(i);
      members.values[place] = x.values[static_cast<std::size_t>(n)];
    }
  }
  return members;
}

/// Forms one row after the other; each thread has its own.
class RowAssembly {
 public:
  RowAssembly(Class size, const SparseVectors& vectors, const Members& members)
      : vectors_(&vectors),
        members_(&members),
        log_ratio_(std::log(reciprocal_condition) / static_cast<double>(cg_parameters(size).rows)),
        shift_(diagonal_shift(size)),
        sums_(static_cast<std::size_t>(cg_parameters(size).rows), 0.0),
        seen_(sums_.size(), false) {}

  /// Columns of the row in ascending order; `value` tells their values until the next row.
  const std::vector<std::int32_t>& form(std::int64_t row) {
    for (const std::int32_t column : columns_) {
      seen_[static_cast<std::size_t>(column)] = false;
      sums_[static_cast<std::size_t>(column)] = 0.0;
    }
    columns_.clear();
    const auto r = static_cast<std::size_t>(row);
    for (std::int64_t n = members_->starts[r]; n < members_->starts[r + 1]; ++n) {
      const auto m = static_cast<std::size_t>(n);
      const std::int32_t i = members_->vectors[m];
      add_vector(i, members_->values[m] * std::exp(log_ratio_ * i));
    }
    add(static_cast<std::int32_t>(row), shift_);
    std::sort(columns_.begin(), columns_.end());
    return columns_;
  }

  [[nodiscard]] double value(std::int32_t column) const {
    return sums_[static_cast<std::size_t>(column)];
  }

 private:
  void add_vector(std::int32_t i, double scale) {
    const auto v = static_cast<std::size_t>(i);
    for (std::int64_t n = vectors_->starts[v]; n < vectors_->starts[v + 1]; ++n) {
      const auto element = static_cast<std::size_t>(n);
      add(vectors_->indices[element], vectors_->values[element] * scale);
    }
  }

  void add(std::int32_t column, double value) {
    const auto c = static_cast<std::size_t>(column);
    if (!seen_[c]) {
      seen_[c] = true;
      columns_.push_back(column);
    }
    sums_[c] += value;
  }

  const SparseVectors* vectors_;
  const Members* members_;
  double log_ratio_;
  double shift_;
  std::vector<double> sums_;
  std::vector<char> seen_;
  std::vector<std::int32_t> columns_;
};

}  // namespace

SparseVectors draw_vectors(Class size) {
  const CgParameters& cg = cg_parameters(size);
  const std::uint64_t range = std::bit_ceil(static_cast<std::uint64_t>(cg.rows));
  Generator generator(common_seed, 1);  // NPB draws and forgets one value
  SparseVectors x;
  x.starts.reserve(static_cast<std::size_t>(cg.rows) + 1);
  x.indices.reserve(static_cast<std::size_t>(cg.rows * (cg.vector_nonzeros + 1)));
  x.values.reserve(x.indices.capacity());
  for (std::int64_t i = 0; i < cg.rows; ++i) {
    const auto start = static_cast<std::int64_t>(x.indices.size());
    x.starts.push_back(start);
    while (static_cast<std::int64_t>(x.indices.size()) - start < cg.vector_nonzeros) {
      const double value = generator.draw();
      const auto index = static_cast<std::int32_t>(static_cast<double>(range) * generator.draw());
      const bool known =
          std::find(x.indices.begin() + start, x.indices.end(), index) != x.indices.end();
      if (index < cg.rows && !known) {
        x.indices.push_back(index);
        x.values.push_back(value);
      }
    }
    set_element(x, start, static_cast<std::int32_t>(i), own_element);
  }
  x.starts.push_back(static_cast<std::int64_t>(x.indices.size()));
  return x;
}

double vector_weight(Class size, std::int64_t i) {
  return std::pow(reciprocal_condition,
                  static_cast<double>(i) / static_cast<double>(cg_parameters(size).rows));
}

double diagonal_shift(Class size) { return reciprocal_condition - cg_parameters(size).shift; }

Matrix assemble(Class size, const Team& team) {
  const std::int64_t rows = cg_parameters(size).rows;
  const SparseVectors vectors = draw_vectors(size);
  const Members members = transposed(vectors, rows);
  Matrix matrix;
  matrix.starts.assign(static_cast<std::size_t>(rows) + 1, 0);
  // Once for the lengths of rows and once for their elements: no array need grow.
#pragma omp parallel num_threads(team.threads())
  {
    RowAssembly assembly(size, vectors, members);
#pragma omp for schedule(dynamic, 256)
    for (std::int64_t row = 0; row < rows; ++row) {
      matrix.starts[static_cast<std::size_t>(row) + 1] =
          static_cast<std::int64_t>(assembly.form(row).size());
    }
#pragma omp single
    {
      for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
        matrix.starts[row + 1] += matrix.starts[row];
      }
      matrix.columns.resize(static_cast<std::size_t>(matrix.nonzeros()));
      matrix.values.resize(static_cast<std::size_t>(matrix.nonzeros()));
    }
#pragma omp for schedule(dynamic, 256)
    for (std::int64_t row = 0; row < rows; ++row) {
      auto place = static_cast<std::size_t>(matrix.starts[static_cast<std::size_t>(row)]);
      for (const std::int32_t column : assembly.form(row)) {
        matrix.columns[place] = column;
        matrix.values[place] = assembly.value(column);
        ++place;
      }
    }
  }
  return matrix;
}

}  // namespace bankfull::npb::cg
