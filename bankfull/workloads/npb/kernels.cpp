#include "bankfull/workloads/npb/benchmark.hpp"
#include "bankfull/workloads/npb/cg/cg.hpp"
#include "bankfull/workloads/npb/ep/ep.hpp"
#include "bankfull/workloads/npb/ft/ft.hpp"
#include "bankfull/workloads/npb/is/is.hpp"
#include "bankfull/workloads/npb/mg/mg.hpp"

namespace bankfull::npb {
namespace {

/// What every kernel offers.
struct KernelEntry {
  Facts (*facts)(const Problem&);
  WorkBytes (*bytes)(const Problem&, int ranks);
  std::string (*refusal)(const Problem&, int ranks);
  std::unique_ptr<Benchmark> (*make)(const Problem&, const Communicator& ranks);
};

const KernelEntry& entry_of(Kernel kernel) {
  static constexpr std::array<KernelEntry, all_kernels.size()> entries{{
      {cg::facts_of, cg::work_bytes, cg::refusal_of_ranks, cg::make},
      {ep::facts_of, ep::work_bytes, ep::refusal_of_ranks, ep::make},
      {ft::facts_of, ft::work_bytes, ft::refusal_of_ranks, ft::make},
      {is::facts_of, is::work_bytes, is::refusal_of_ranks, is::make},
      {mg::facts_of, mg::work_bytes, mg::refusal_of_ranks, mg::make},
  }};
  return entries[static_cast<std::size_t>(kernel)];
}

}  // namespace

std::string title_of(Kernel kernel, Class size) {
  return "npb " + to_string(kernel) + " " + to_string(size);
}

Facts facts_of(Kernel kernel, const Problem& problem) { return entry_of(kernel).facts(problem); }

WorkBytes work_bytes(Kernel kernel, const Problem& problem, int ranks) {
  return entry_of(kernel).bytes(problem, ranks);
}

std::string refusal_of_ranks(Kernel kernel, const Problem& problem, int ranks) {
  return entry_of(kernel).refusal(problem, ranks);
}

std::unique_ptr<Benchmark> make_benchmark(Kernel kernel, const Problem& problem,
                                          const Communicator& ranks) {
  return entry_of(kernel).make(problem, ranks);
}

}  // namespace bankfull::npb
