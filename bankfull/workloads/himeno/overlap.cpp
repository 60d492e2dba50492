#include "bankfull/workloads/himeno/overlap.hpp"

#include "bankfull/core/base/enum_names.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/workloads/himeno/domain.hpp"

#include <algorithm>
#include <cmath>

namespace bankfull::himeno {
namespace {

using Kind = PassStep::Kind;

bool everybody(const Offset& /*offset*/) { return true; }

PassStep sweep(const Box& part) { return {.kind = Kind::sweep, .part = part}; }
PassStep sum() { return {.kind = Kind::sum}; }
PassStep start(int exchange) { return {.kind = Kind::start, .exchange = exchange}; }
PassStep finish(int exchange) { return {.kind = Kind::finish, .exchange = exchange}; }

PassPlan without_overlap(const Domain& domain) {
  PassPlan plan{.steps = {sweep(box_of(domain.interior())), sum()}, .exchanges = {}};
  if (domain.decomposition.ranks() > 1) {
    plan.steps.push_back(start(0));
    plan.steps.push_back(finish(0));
    plan.exchanges = {everybody};
  }
  return plan;
}

/// Cuts slabs off a box, one for each side that faces another rank.
class Peeling {
 public:
  explicit Peeling(const Domain& domain) : domain_(domain), rest_(box_of(domain.interior())) {}

  /// At both ends of an axis: `lower` and `upper` are the sides there, `first` and `last` the
  /// bounds of boxes along it.
  void peel(const Offset& lower, const Offset& upper, std::int64_t thickness,
            std::int64_t Box::*first, std::int64_t Box::*last) {
    Box slab = rest_;
    if (domain_.decomposition.neighbour(domain_.rank, lower)) {
      slab.*last = rest_.*first = std::min(rest_.*first + thickness, rest_.*last);
      slabs_.push_back(slab);
    }
    slab = rest_;
    if (domain_.decomposition.neighbour(domain_.rank, upper)) {
      // A multiple of the thickness from the first point, which keeps rows aligned.
      const std::int64_t points = rest_.*last - rest_.*first;
      slab.*first = rest_.*last = rest_.*first +
                                  std::max<std::int64_t>(0, points - 1) / thickness * thickness;
      slabs_.push_back(slab);
    }
  }

  [[nodiscard]] const std::vector<Box>& slabs() const { return slabs_; }
  [[nodiscard]] const Box& rest() const { return rest_; }

 private:
  const Domain& domain_;
  Box rest_;
  std::vector<Box> slabs_;
};

PassPlan boundary_first(const Domain& domain, const BoundaryThickness& thickness) {
  Peeling peeling(domain);
  peeling.peel({-1, 0, 0}, {+1, 0, 0}, thickness.i, &Box::i0, &Box::i1);
  peeling.peel({0, -1, 0}, {0, +1, 0}, thickness.j, &Box::j0, &Box::j1);
  peeling.peel({0, 0, -1}, {0, 0, +1}, thickness.k, &Box::k0, &Box::k1);
  if (peeling.rest().empty()) {
    return without_overlap(domain);
  }
  PassPlan plan{.steps = {}, .exchanges = {everybody}};
  for (const Box& slab : peeling.slabs()) {
    plan.steps.push_back(sweep(slab));
  }
  plan.steps.push_back(start(0));
  plan.steps.push_back({.kind = Kind::sweep, .part = peeling.rest(), .beside = true});
  plan.steps.push_back(sum());
  plan.steps.push_back(finish(0));
  return plan;
}

/// Part A of even ranks faces the rank below, that of odd ranks the rank above, so that A borders
/// on A and B on B. While B is swept, the halos of A are exchanged, and while A is swept those of
/// B.
PassPlan two_part(const Domain& domain, double split) {
  const RankGrid& cuts = domain.decomposition.grid();
  require(cuts.j == 1 && cuts.k == 1,
          "--overlap two-part cuts ranks along i only, these are " + to_string(cuts),
          "use --ranks-grid " + to_string(RankGrid{cuts.count(), 1, 1}));
  require(domain.decomposition.smallest_block().ni >= 2,
          "--overlap two-part: some ranks have a single plane", "use fewer ranks");
  const bool even = domain.rank % 2 == 0;
  const Extents n = domain.interior();
  const auto planes = static_cast<std::int64_t>(std::llround(split * static_cast<double>(n.ni)));
  const std::int64_t planes_a = std::clamp<std::int64_t>(planes, 1, n.ni - 1);
  Box low = box_of(n);
  Box high = low;
  low.i1 = high.i0 = even ? planes_a : n.ni - planes_a;
  const int side_a = even ? -1 : +1;
  const auto serves = [](int side) { return [side](const Offset& o) { return o.di == side; }; };
  return {.steps = {sweep(even ? low : high), start(0), finish(1), sweep(even ? high : low), sum(),
                    start(1), finish(0)},
          .exchanges = {serves(side_a), serves(-side_a)}};
}

constexpr auto overlap_names = enum_names<Overlap>({
    {Overlap::none, "none"},
    {Overlap::boundary, "boundary"},
    {Overlap::two_part, "two-part"},
});

}  // namespace

std::string to_string(Overlap overlap) { return overlap_names.to_string(overlap); }

Overlap parse_overlap(const std::string& text) {
  return overlap_names.parse(text, "--overlap " + text + " is unknown");
}

bool sweeps_meanwhile(const PassPlan& plan) {
  const auto is = [](PassStep::Kind kind) {
    return [kind](const PassStep& step) { return step.kind == kind; };
  };
  const auto started = std::find_if(plan.steps.begin(), plan.steps.end(), is(Kind::start));
  return std::any_of(started, plan.steps.end(), is(Kind::sweep));
}

PassPlan plan_pass(Overlap overlap, const Domain& domain, const BoundaryThickness& thickness,
                   double split) {
  if (domain.decomposition.ranks() == 1 || overlap == Overlap::none) {
    return without_overlap(domain);
  }
  return overlap == Overlap::boundary ? boundary_first(domain, thickness) : two_part(domain, split);
}

}  // namespace bankfull::himeno
