#include "bankfull/workloads/npb/cg/cg.hpp"

#include "bankfull/build_config.hpp"

#include <fmt/format.h>

namespace bankfull::npb::cg {
namespace {

constexpr double tolerance = 1e-10;

}  // namespace

std::vector<Check> checks_of(double zeta, Class size) {
  return {{.name = fmt::format("npb cg {} zeta", to_string(size)),
           .value = zeta,
           .reference = cg_parameters(size).zeta,
           .tolerance = tolerance,
           .source = npb_source}};
}

Facts facts_of(const Problem& problem) {
  const CgParameters& cg = cg_parameters(problem.size);
  const double products = cg.vector_nonzeros * (cg.vector_nonzeros + 1);
  const double step = 5.0 + products;
  return {.size = fmt::format("{}", cg.rows),
          .iterations = cg.iterations,
          .operations = 2.0 * cg.iterations * static_cast<double>(cg.rows) *
                        (3.0 + products + steps_an_iteration * step + 3.0),
          .operation = "floating point",
          .data_bytes = cg.nonzeros * 12 + cg.rows * 48};
}

std::int64_t memory_bytes(const Problem& problem, int /*ranks*/) {
  const CgParameters& cg = cg_parameters(problem.size);
  constexpr std::int64_t entry_bytes = 12;
  // The matrix as it is assembled and as it is used; the vectors that it is made of, twice; and
  // what each thread forms rows in.
  const std::int64_t vectors = 2 * cg.rows * (cg.vector_nonzeros + 1) * entry_bytes;
  return 2 * cg.nonzeros * entry_bytes + vectors + cg.rows * (96 + 24 * problem.threads);
}

std::string refusal_of_ranks(const Problem& /*problem*/, int /*ranks*/) {
  return "runs on one rank so far";
}

std::unique_ptr<Benchmark> make(const Problem& problem, const Communicator& /*ranks*/) {
  if constexpr (build::cuda) {
    if (problem.device.is_cuda()) {
      return make_cuda(problem);
    }
  }
  return problem.schedule == Schedule::reference ? make_reference(problem.size)
                                                 : make_cpu(problem.size, problem.threads);
}

}  // namespace bankfull::npb::cg
