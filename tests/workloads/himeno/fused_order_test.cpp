#include "bankfull/core/exec/for_each.hpp"
#include "bankfull/workloads/himeno/cpu/fused.hpp"
#include "bankfull/workloads/himeno/fields.hpp"

#include <gtest/gtest.h>
#include <vector>

// Which of the two orders a plan takes depends on the caches of the machine; here both are run.
namespace bankfull::himeno {
namespace {

constexpr GridSize odd_grid{13, 21, 39};

struct FusedOutcome {
  std::vector<float> pressure;
  std::vector<double> gosa;
  friend bool operator==(const FusedOutcome&, const FusedOutcome&) = default;
};

FusedOutcome after_one_pass(const FusedPassPlan& plan) {
  const Domain domain = whole_domain(odd_grid);
  Fields<float> fields(domain, Device::cpu());
  for_each(Team(plan.grid.threads()), fields.whole(),
           initialise(fields, {.kind = InitialState::Kind::random, .seed = 5}));
  const Fields<float>& present = fields;
  const Layout& layout = present.layout();
  const SweepView<float> view{layout.interior(), present.all(), present.pressure(), fields.next()};
  RowSums sums(domain.interior(), plan.sweeps);
  FusedSweep<float>(layout, domain.updated(0), plan)(view, sums);
  fields.advance();
  FusedOutcome outcome;
  outcome.pressure.resize(static_cast<std::size_t>(fields.interior().extents().count()));
  for_each(Team(1), fields.interior(),
           copy_pressures(fields, fields.interior(), outcome.pressure.data()));
  for (int sweep = 0; sweep < plan.sweeps; ++sweep) {
    outcome.gosa.push_back(sums.total(sweep));
  }
  return outcome;
}

TEST(FusedOrders, GiveTheSameBits) {
  for (const TeamGrid& grid : {TeamGrid{1, 1}, TeamGrid{2, 2}, TeamGrid{1, 3}}) {
    for (const int sweeps : {2, 3, 4}) {
      for (const std::int64_t strip_rows : {2, 5, 64}) {
        FusedPassPlan plan{.sweeps = sweeps, .strip_rows = strip_rows, .grid = grid};
        const FusedOutcome plane_by_plane = after_one_pass(plan);
        plan.row_by_row = true;
        EXPECT_EQ(after_one_pass(plan), plane_by_plane)
            << sweeps << " sweeps, strips of " << strip_rows << " rows";
      }
    }
  }
}

}  // namespace
}  // namespace bankfull::himeno
