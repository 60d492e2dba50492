#include "bankfull/numerics/poisson/direct/elimination.hpp"
#include "bankfull/numerics/poisson/direct/matrix_product.hpp"
#include "bankfull/numerics/poisson/direct/modes.hpp"
#include "bankfull/numerics/poisson/direct/sizes.hpp"
#include "bankfull/numerics/poisson/direct/slabs.hpp"
#include "tests/counting.hpp"
#include "tests/numerics/poisson/domains.hpp"

#include <array>
#include <gtest/gtest.h>
#include <string>
#include <vector>

// The model of the direct solver's elimination against what its point functions read, write and
// compute. The transforms are a library's.
namespace bankfull::poisson {
namespace {

using Value = counting::Counted<double>;

/// One pair of columns of the spectrum, eliminated as LaneElimination does it in each lane: g++ 12
/// does not compile that one's loops of omp simd for classes.
template <class Kind, bool Cyclic>
class CountedElimination {
 public:
  explicit CountedElimination(std::int64_t cells)
      : cells_(cells), a_(cells, {1, 0}), b_(cells, {1, 0}) {}

  /// As of a slab that has the root below in reach of so many of its cells.
  Traffic run_slab(std::int64_t closed, std::int64_t gap) {
    return counting::traffic_of([&] {
      for (std::int64_t n = 0; n + 1 < cells_; ++n) {
        if (n < closed) {
          forward<true>(n);
        } else if (n >= closed + gap) {
          forward<false>(n);
        }
      }
      reduce();
      for (std::int64_t n = 0; n + 1 < cells_; ++n) {
        n < closed ? forward<true>(n) : forward<false>(n);
      }
      join(cells_ - 1, Amplitudes<Value>{});
      for (std::int64_t n = cells_ - 1; n-- > 0;) {
        n < closed ? back<true>(n) : back<false>(n);
      }
    });
  }

  Traffic run() {
    return counting::traffic_of([&] {
      for (std::int64_t n = 0; n + 1 < cells_; ++n) {
        forward<Cyclic>(n);
      }
      turn();
      for (std::int64_t n = cells_ - 1; n > 0; --n) {
        back<Cyclic>(n - 1);
      }
    });
  }

 private:
  using Element = Complex<Value>;

  static constexpr bool twists = Kind::wall_j || Kind::wall_k;

  [[nodiscard]] Amplitudes<Value> separated(std::int64_t n) const {
    const Element a = a_.data()[n];
    const Element b = b_.data()[n];
    return Kind::separate(twists ? ElementPair<Value>{times(twist_, a), times(twist_, b)}
                                 : ElementPair<Value>{a, b});
  }

  void join(std::int64_t n, const Amplitudes<Value>& x) {
    const ElementPair<Value> pair = Kind::join(x);
    a_.data()[n] = twists ? times(conjugate(twist_), pair.a) : pair.a;
    b_.data()[n] = twists ? times(conjugate(twist_), pair.b) : pair.b;
  }

  template <bool Closed>
  void forward(std::int64_t n) {
    std::array<Pivot<Value>, Kind::count> pivots;
    for (Pivot<Value>& pivot : pivots) {
      LowerEnd<Value> end{1.0, 1.0};
      pivot = Elimination<Closed>::eliminate(decay_ * width_, above_, end, root_dominance_);
    }
    const Amplitudes<Value> side = separated(n);
    for (int n4 = 0; n4 < 4; ++n4) {
      const Pivot<Value>& pivot = pivots[static_cast<std::size_t>(Kind::mode_of(n4))];
      const Value right_side = right_side_ + charge_ * side.of[n4];
      solution_ = pivot.inverse * right_side;
      right_side_ = above_ * solution_;
      if constexpr (Closed) {
        root_side_ += pivot.around * right_side;
      }
    }
  }

  /// The last cell of a slab, of which the dominance is known.
  void reduce() {
    const Amplitudes<Value> side = separated(cells_ - 1);
    for (const Value& of : side.of) {
      right_side_ += charge_ * of;
    }
  }

  void turn() {
    Amplitudes<Value> x = separated(cells_ - 1);
    for (Value& of : x.of) {
      const Value dominance = dominance_ + decay_ * width_ + root_dominance_;
      const Value right_side = right_side_ + charge_ * of + root_side_;
      of = root_solution(right_side, dominance);
    }
    join(cells_ - 1, x);
  }

  template <bool Closed>
  void back(std::int64_t n) {
    const Pivot<Value> pivot{1.0, 1.0, 1.0};
    Amplitudes<Value> x;
    for (Value& of : x.of) {
      of = Elimination<Closed>::solution(pivot, solution_, right_side_, root_side_);
    }
    join(n, x);
  }

  std::int64_t cells_;
  counting::Array<Element> a_;
  counting::Array<Element> b_;
  Element twist_{1.0, 0.0};
  Value decay_ = 1.0;
  Value width_ = 1.0;
  Value above_ = 1.0;
  Value charge_ = -1.0;
  Value dominance_ = 1.0;
  Value root_dominance_ = 0.0;
  Value right_side_ = 0.0;
  Value root_side_ = 0.0;
  Value solution_ = 0.0;
};

/// body(Kind{}) with the kind of modes of the domain.
template <class Body>
Traffic with_kind(const Domain& domain, const Body& body) {
  const bool two_along_k = !domain.k.periodic || !domain.k.uniform();
  if (!domain.j.uniform()) {
    return two_along_k ? body(RowModes<true>{}) : body(RowModes<false>{});
  }
  if (domain.j.periodic) {
    return two_along_k ? body(Modes<false, true>{}) : body(Modes<false, false>{});
  }
  return two_along_k ? body(Modes<true, true>{}) : body(Modes<true, false>{});
}

Traffic counted_elimination(const Domain& domain) {
  return with_kind(domain, [&]<class Kind>(Kind /*kind*/) {
    return domain.i.periodic ? CountedElimination<Kind, true>(domain.i.cells()).run()
                             : CountedElimination<Kind, false>(domain.i.cells()).run();
  });
}

std::vector<NamedDomain> kinds_of_domains() {
  std::vector<NamedDomain> all;
  for (const bool i : {false, true}) {
    for (const bool j : {false, true}) {
      for (const bool k : {false, true}) {
        const auto name = [](bool periodic) { return periodic ? "periodic" : "walls"; };
        const std::string ends = std::string(name(i)) + '_' + name(j) + '_' + name(k);
        const Domain uniform{uniform_axis(7, i), uniform_axis(6, j), uniform_axis(5, k)};
        const Axis stretched_j = stretched_axis(6, j, 1.1);
        const Axis stretched_k = stretched_axis(5, k, 1.1);
        all.push_back({ends, uniform});
        all.push_back({ends + "_stretched_j", {uniform.i, stretched_j, uniform.k}});
        all.push_back({ends + "_stretched_k", {uniform.i, uniform.j, stretched_k}});
        all.push_back({ends + "_stretched_jk", {uniform.i, stretched_j, stretched_k}});
      }
    }
  }
  return all;
}

class DirectTraffic : public testing::TestWithParam<NamedDomain> {};

TEST_P(DirectTraffic, EliminationIsAsCounted) {
  const Domain& domain = GetParam().domain;
  const double bytes = static_cast<double>(domain.i.cells()) * 4.0 * sizeof(double);
  counting::expect_equal({bytes, bytes, elimination_flops(domain)}, counted_elimination(domain));
}

TEST_P(DirectTraffic, EliminationOfSlabsIsAsCounted) {
  const Domain& domain = GetParam().domain;
  const std::int64_t cells = domain.i.cells();
  const double bytes = static_cast<double>(cells) * 4.0 * sizeof(double);
  for (const SlabReach& reach : {SlabReach{cells - 1, 0}, {2, 1}, {0, 0}, {1, 4}, {2, 2}}) {
    const SlabSweeps sweeps(cells, reach);
    const Traffic counted = with_kind(domain, [&]<class Kind>(Kind /*kind*/) {
      return CountedElimination<Kind, true>(cells).run_slab(
          reach.of_root_below, reach.leaves_a_gap() ? reach.of_root - reach.of_root_below : 0);
    });
    // What is read twice is counted once.
    counting::expect_equal({bytes, bytes, slab_elimination_flops(domain, sweeps)}, counted);
  }
}

TEST(DirectProduct, ProductIsAsCounted) {
  const ProductShape shape{.rows = 6, .depth = 5, .columns = 7};
  counting::Array<Value> a(shape.rows * shape.depth);
  counting::Array<Value> b(shape.depth * shape.columns);
  counting::Array<Value> to(shape.rows * shape.columns);
  const auto rows_of = [](const Value* data, std::int64_t pitch) {
    return MatrixRows<const Value>{data, pitch};
  };
  const Traffic counted = counting::traffic_of([&] {
    multiply<Value>(shape, rows_of(a.data(), shape.depth), rows_of(b.data(), shape.columns),
                    {to.data(), shape.columns});
  });
  const auto bytes = [](std::int64_t elements) {
    return static_cast<double>(elements) * sizeof(double);
  };
  counting::expect_equal({bytes(shape.depth * (shape.rows + shape.columns)),
                          bytes(shape.rows * shape.columns), product_flops(shape)},
                         counted);
}

/// Beside the elimination and the transforms along uniform axes.
TEST(DirectProduct, StretchedAxesAddTheirProducts) {
  const Axis uniform = uniform_axis(8, true);
  const Axis stretched = stretched_axis(8, true, 1.1);
  const Domain domain{uniform, stretched, stretched};
  const double eliminations = 5.0 * 5.0 * elimination_flops(domain);
  EXPECT_EQ(cpu_direct_traffic(domain, sizeof(double)).flops,
            eliminations + 512.0 * (4 * 8 + 4 * 8));
}

/// On a GPU both axes of a plane are taken to modes by products where one is stretched, as on a CPU
/// where both are.
TEST(DirectProduct, OnAGpuOneStretchedAxisCountsAsTwo) {
  for (const bool periodic : {false, true}) {
    const Axis i = uniform_axis(5, periodic);
    const Axis uniform_j = uniform_axis(8, periodic);
    const Axis uniform_k = uniform_axis(9, periodic);
    const Axis stretched_j = stretched_axis(8, periodic, 1.1);
    const Axis stretched_k = stretched_axis(9, periodic, 1.1);
    const Traffic expected = cpu_direct_traffic({i, stretched_j, stretched_k}, sizeof(float));
    for (const Domain& domain : {Domain{i, stretched_j, uniform_k},
                                 {i, uniform_j, stretched_k},
                                 {i, stretched_j, stretched_k}}) {
      const Traffic found = gpu_direct_traffic(domain, sizeof(float));
      EXPECT_EQ(found.flops, expected.flops);
      EXPECT_EQ(found.bytes_read, expected.bytes_read * 4.0 / 3.0);
    }
    EXPECT_LT(gpu_direct_traffic({i, uniform_j, uniform_k}, sizeof(float)).flops, expected.flops);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, DirectTraffic, testing::ValuesIn(kinds_of_domains()), domain_name);

}  // namespace
}  // namespace bankfull::poisson
