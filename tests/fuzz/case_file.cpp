// A case file, and all that is decided of it before a run.

#include "bankfull/app/convect/case_file.hpp"

#include "bankfull/workloads/convection/plan.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <algorithm>

namespace {

using namespace bankfull;

/// Plans of long axes take long.
bool is_small(const convection::Problem& problem) {
  return std::all_of(problem.axes.begin(), problem.axes.end(),
                     [](const convection::AxisCells& axis) { return axis.cells <= 4096; });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  bankfull::fuzz::answer_or_refuse([&] {
    const convect::Case first = convect::parse_case(fuzz::text_of(data, size), "case.toml", {});
    // What a run writes down is the same case again.
    const convect::Case again = convect::parse_case(first.resolved, "case.toml", {});
    fuzz::require_property(again.resolved == first.resolved, "a resolved case resolves to itself");
    if (is_small(first.problem)) {
      static_cast<void>(convection::Plan(first.problem));
    }
  });
  return 0;
}
