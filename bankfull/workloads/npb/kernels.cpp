#include "bankfull/build_config.hpp"
#include "bankfull/workloads/npb/benchmark.hpp"
#include "bankfull/workloads/npb/cg/cg.hpp"
#include "bankfull/workloads/npb/ep/ep.hpp"
#include "bankfull/workloads/npb/ft/ft.hpp"
#include "bankfull/workloads/npb/is/is.hpp"
#include "bankfull/workloads/npb/mg/mg.hpp"

namespace bankfull::npb {
namespace {

using Make = std::unique_ptr<Benchmark>(const Problem&, const Communicator& ranks);

/// The interface of a kernel.
struct KernelEntry {
  Facts (*facts)(const Problem&);
  WorkBytes (*bytes)(const Problem&, int ranks);
  std::string (*refusal)(const Problem&, int ranks);
  std::unique_ptr<Benchmark> (*reference)(Class);
  Make* on_cpus;
};

const KernelEntry& entry_of(Kernel kernel) {
  static constexpr std::array<KernelEntry, all_kernels.size()> entries{{
      {cg::facts_of, cg::work_bytes, cg::refusal_of_ranks, cg::make_reference, cg::make_cpu},
      {ep::facts_of, ep::work_bytes, ep::refusal_of_ranks, ep::make_reference, ep::make_cpu},
      {ft::facts_of, ft::work_bytes, ft::refusal_of_ranks, ft::make_reference, ft::make_cpu},
      {is::facts_of, is::work_bytes, is::refusal_of_ranks, is::make_reference, is::make_cpu},
      {mg::facts_of, mg::work_bytes, mg::refusal_of_ranks, mg::make_reference, mg::make_cpu},
  }};
  return entries[static_cast<std::size_t>(kernel)];
}

}  // namespace

std::string title_of(Kernel kernel, Class size) {
  return "npb " + to_string(kernel) + " " + to_string(size);
}

Check npb_check(Kernel kernel, Class size, const std::string& what, double value, double reference,
                double tolerance) {
  return {.name = title_of(kernel, size) + " " + what,
          .value = value,
          .reference = reference,
          .tolerance = tolerance,
          .source = npb_source};
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
  if constexpr (build::cuda) {
    if (problem.device.is_cuda()) {
      // Not constexpr: clang 14 takes no lambda there without CUDA.
      static const std::array<Make*, all_kernels.size()> on_gpus{
          cg::make_cuda, ep::make_cuda, ft::make_cuda,
          [](const Problem& p, const Communicator& r) -> std::unique_ptr<Benchmark> {
            return is::make_cuda(p, r);
          },
          mg::make_cuda};
      return on_gpus[static_cast<std::size_t>(kernel)](problem, ranks);
    }
  }
  const KernelEntry& entry = entry_of(kernel);
  return problem.schedule == Schedule::reference ? entry.reference(problem.size)
                                                 : entry.on_cpus(problem, ranks);
}

}  // namespace bankfull::npb
