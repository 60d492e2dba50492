#include "bankfull/numerics/poisson/direct/elimination.hpp"
#include "bankfull/numerics/poisson/direct/modes.hpp"
#include "bankfull/numerics/poisson/direct/sizes.hpp"
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

  Traffic run() {
    return counting::traffic_of([&] {
      for (std::int64_t n = 0; n + 1 < cells_; ++n) {
        forward(n);
      }
      turn();
      for (std::int64_t n = cells_ - 1; n > 0; --n) {
        back(n - 1);
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

  void forward(std::int64_t n) {
    std::array<Pivot<Value>, Kind::count> pivots;
    for (Pivot<Value>& pivot : pivots) {
      LowerEnd<Value> end{1.0, 1.0};
      pivot = Elimination<Cyclic>::eliminate(decay_ * width_, above_, end, root_dominance_);
    }
    const Amplitudes<Value> side = separated(n);
    for (int n4 = 0; n4 < 4; ++n4) {
      const Pivot<Value>& pivot = pivots[static_cast<std::size_t>(Kind::mode_of(n4))];
      const Value right_side = right_side_ + charge_ * side.of[n4];
      solution_ = pivot.inverse * right_side;
      right_side_ = above_ * solution_;
      if constexpr (Cyclic) {
        root_side_ += pivot.around * right_side;
      }
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

  void back(std::int64_t n) {
    const Pivot<Value> pivot{1.0, 1.0, 1.0};
    Amplitudes<Value> x;
    for (Value& of : x.of) {
      of = Elimination<Cyclic>::solution(pivot, solution_, right_side_, root_side_);
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

template <class Kind>
Traffic counted_elimination(const Domain& domain) {
  return domain.i.periodic ? CountedElimination<Kind, true>(domain.i.cells()).run()
                           : CountedElimination<Kind, false>(domain.i.cells()).run();
}

Traffic counted_elimination(const Domain& domain) {
  if (domain.j.periodic) {
    return domain.k.periodic ? counted_elimination<Modes<false, false>>(domain)
                             : counted_elimination<Modes<false, true>>(domain);
  }
  return domain.k.periodic ? counted_elimination<Modes<true, false>>(domain)
                           : counted_elimination<Modes<true, true>>(domain);
}

std::vector<NamedDomain> kinds_of_domains() {
  std::vector<NamedDomain> all;
  for (const bool i : {false, true}) {
    for (const bool j : {false, true}) {
      for (const bool k : {false, true}) {
        const auto name = [](bool periodic) { return periodic ? "periodic" : "walls"; };
        all.push_back({std::string(name(i)) + '_' + name(j) + '_' + name(k),
                       {uniform_axis(7, i), uniform_axis(6, j), uniform_axis(5, k)}});
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

INSTANTIATE_TEST_SUITE_P(Kinds, DirectTraffic, testing::ValuesIn(kinds_of_domains()), domain_name);

}  // namespace
}  // namespace bankfull::poisson
