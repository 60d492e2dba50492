#include "bankfull/workloads/npb/cg/cg.hpp"
#include "bankfull/workloads/npb/generator.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace bankfull::npb::cg {
namespace {

using Vector = std::vector<double>;

/// Draws a vector into `x`, behind what is there.
void draw_vector(Class size, std::int64_t i, Generator& generator, SparseVectors& x) {
  const CgParameters& cg = cg_parameters(size);
  const auto range = static_cast<double>(std::bit_ceil(static_cast<std::uint64_t>(cg.rows)));
  const auto begin = static_cast<std::ptrdiff_t>(x.indices.size());
  const auto find = [&](std::int64_t index) {
    return std::find(x.indices.begin() + begin, x.indices.end(), index) - x.indices.begin();
  };
  const auto size_now = [&] { return static_cast<std::ptrdiff_t>(x.indices.size()); };
  while (size_now() - begin < cg.vector_nonzeros) {
    const double value = generator.draw();
    const auto index = static_cast<std::int32_t>(range * generator.draw());
    if (index < cg.rows && find(index) == size_now()) {
      x.indices.push_back(index);
      x.values.push_back(value);
    }
  }
  const std::ptrdiff_t own = find(i);
  if (own == size_now()) {
    x.indices.push_back(static_cast<std::int32_t>(i));
    x.values.push_back(own_element);
  } else {
    x.values[static_cast<std::size_t>(own)] = own_element;
  }
}

struct Entry {
  std::int32_t column;
  double value;
};

/// Row n has the entries [starts[n], starts[n + 1]).
struct Rows {
  std::vector<std::size_t> starts;
  std::vector<Entry> entries;
};

/// visit(row, entry) for all terms of the sum of outer products as it is written.
template <class Visit>
void for_terms(Class size, const SparseVectors& x, const Visit& visit) {
  for (std::int64_t i = 0; i < cg_parameters(size).rows; ++i) {
    const double weight = vector_weight(size, i);
    const auto begin = static_cast<std::size_t>(x.starts[static_cast<std::size_t>(i)]);
    const auto end = static_cast<std::size_t>(x.starts[static_cast<std::size_t>(i) + 1]);
    for (std::size_t n = begin; n < end; ++n) {
      for (std::size_t m = begin; m < end; ++m) {
        visit(static_cast<std::size_t>(x.indices[n]),
              Entry{x.indices[m], weight * x.values[n] * x.values[m]});
      }
    }
    visit(static_cast<std::size_t>(i), Entry{static_cast<std::int32_t>(i), diagonal_shift(size)});
  }
}

/// The terms of each row, in the order of the sum.
Rows gather_terms(Class size) {
  const SparseVectors x = draw_vectors(size);
  Rows terms;
  terms.starts.assign(static_cast<std::size_t>(cg_parameters(size).rows) + 1, 0);
  for_terms(size, x, [&](std::size_t row, const Entry&) { ++terms.starts[row + 1]; });
  std::partial_sum(terms.starts.begin(), terms.starts.end(), terms.starts.begin());
  terms.entries.resize(terms.starts.back());
  std::vector<std::size_t> next(terms.starts.begin(), terms.starts.end() - 1);
  for_terms(size, x,
            [&](std::size_t row, const Entry& term) { terms.entries[next[row]++] = term; });
  return terms;
}

/// Adds terms of the same row and column in their order; columns ascend then.
Rows add_terms(Rows matrix) {
  const auto by_column = [](const Entry& a, const Entry& b) { return a.column < b.column; };
  const auto terms = matrix.entries.begin();
  std::size_t kept = 0;
  std::size_t begin = 0;
  for (std::size_t row = 0; row + 1 < matrix.starts.size(); ++row) {
    const std::size_t end = matrix.starts[row + 1];
    std::stable_sort(terms + static_cast<std::ptrdiff_t>(begin),
                     terms + static_cast<std::ptrdiff_t>(end), by_column);
    for (std::size_t n = begin; n < end; ++n) {
      const Entry term = matrix.entries[n];
      if (kept > matrix.starts[row] && matrix.entries[kept - 1].column == term.column) {
        matrix.entries[kept - 1].value += term.value;
      } else {
        matrix.entries[kept++] = term;
      }
    }
    matrix.starts[row + 1] = kept;
    begin = end;
  }
  matrix.entries.resize(kept);
  return matrix;
}

double dot(const Vector& x, const Vector& y) {
  return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
}

/// y += a x
void add_multiple(double a, const Vector& x, Vector& y) {
  for (std::size_t n = 0; n < x.size(); ++n) {
    y[n] += a * x[n];
  }
}

class Reference final : public Benchmark {
 public:
  explicit Reference(Class size)
      : Benchmark(Kernel::cg, size), matrix_(add_terms(gather_terms(size))) {
    rewind();
  }

  void rewind() override { x_.assign(static_cast<std::size_t>(cg_parameters(size()).rows), 1.0); }

  void warm_up() override { iterate(); }

  void run() override {
    in_units(pauses(), cg_parameters(size()).iterations, [&](std::int64_t /*n*/) { iterate(); });
  }

  std::vector<Check> checks() override { return checks_of(zeta_, size()); }

  [[nodiscard]] Work work() const override { return {.model = "none stated"}; }

  [[nodiscard]] std::vector<Figure> parameters() const override {
    return {order_parameter(CgOrder::nasa)};
  }

 private:
  [[nodiscard]] Vector multiply(const Vector& x) const {
    Vector y(x.size(), 0.0);
    for (std::size_t row = 0; row < y.size(); ++row) {
      for (std::size_t n = matrix_.starts[row]; n < matrix_.starts[row + 1]; ++n) {
        const Entry& entry = matrix_.entries[n];
        y[row] += entry.value * x[static_cast<std::size_t>(entry.column)];
      }
    }
    return y;
  }

  /// z with A z = x, nearly; also forms the norm of what is left.
  Vector solve() {
    Vector z(x_.size(), 0.0);
    Vector r = x_;
    Vector p = r;
    double rho = dot(r, r);
    for (int step = 0; step < steps_per_iteration; ++step) {
      const Vector q = multiply(p);
      const double alpha = rho / dot(p, q);
      add_multiple(alpha, p, z);
      add_multiple(-alpha, q, r);
      const double rho_before = rho;
      rho = dot(r, r);
      const double beta = rho / rho_before;
      for (std::size_t n = 0; n < p.size(); ++n) {
        p[n] = r[n] + beta * p[n];
      }
    }
    Vector left = multiply(z);
    add_multiple(-1.0, x_, left);
    residual_norm_ = std::sqrt(dot(left, left));
    return z;
  }

  void iterate() {
    const Vector z = solve();
    zeta_ = cg_parameters(size()).shift + 1.0 / dot(x_, z);
    const double scale = 1.0 / std::sqrt(dot(z, z));
    for (std::size_t n = 0; n < z.size(); ++n) {
      x_[n] = scale * z[n];
    }
  }

  Rows matrix_;
  Vector x_;
  double zeta_ = 0.0;
  double residual_norm_ = 0.0;
};

}  // namespace

SparseVectors draw_vectors(Class size) {
  SparseVectors x{.starts = {0}, .indices = {}, .values = {}};
  Generator generator(common_seed, 1);  // NPB discards one value
  for (std::int64_t i = 0; i < cg_parameters(size).rows; ++i) {
    draw_vector(size, i, generator, x);
    x.starts.push_back(static_cast<std::int64_t>(x.indices.size()));
  }
  return x;
}

std::int64_t reference_memory_bytes(Class size) {
  const CgParameters& cg = cg_parameters(size);
  const std::int64_t elements = cg.vector_nonzeros + 1;
  constexpr std::int64_t element_bytes = 12;
  constexpr std::int64_t row_bytes = 72;
  // All terms; the sparse vectors, in lists that have grown; row starts; vectors.
  return cg.rows * ((elements * elements + 1) * std::int64_t{sizeof(Entry)} +
                    2 * elements * element_bytes + row_bytes);
}

std::unique_ptr<Benchmark> make_reference(Class size) { return std::make_unique<Reference>(size); }

}  // namespace bankfull::npb::cg
