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

Figure order_parameter(CgOrder order) { return {.name = "order", .value = to_string(order)}; }

Facts facts_of(const Problem& problem) {
  const CgParameters& cg = cg_parameters(problem.size);
  const double products = cg.vector_nonzeros * (cg.vector_nonzeros + 1);
  const double step = 5.0 + products;
  return {.size = fmt::format("{}", cg.rows),
          .iterations = cg.iterations,
          .operations = 2.0 * cg.iterations * static_cast<double>(cg.rows) *
                        (3.0 + products + steps_an_iteration * step + 3.0),
          .operation = "floating point"};
}

std::int64_t memory_bytes(const Problem& problem, int ranks) {
  if constexpr (build::cuda) {
    if (problem.device.is_cuda()) {
      return cuda_memory_bytes(problem, ranks);
    }
  }
  if (problem.schedule == Schedule::reference) {
    return reference_memory_bytes(problem.size);
  }
  const CgParameters& cg = cg_parameters(problem.size);
  constexpr std::int64_t entry_bytes = 12;
  constexpr std::int64_t packed_bytes = 10;
  const Kept kept = better_kept(problem.size, ranks, problem.threads);
  const std::int64_t inputs = max_inputs(cg.rows, kept, ranks);
  const std::int64_t entries = cg.nonzeros / (kept == Kept::upper ? 2 * ranks : ranks);
  // The block as it is assembled and as it is used; what it needs of the vectors that the matrix is
  // made of, twice; what each thread forms rows and sums in; vectors.
  const std::int64_t vectors = 2 * inputs * (cg.vector_nonzeros + 1) * entry_bytes;
  return entries * (entry_bytes + packed_bytes) + vectors + cg.rows * 8 +
         inputs * (32 + 32 * problem.threads) + cg.rows / ranks * 72;
}

std::string refusal_of_ranks(const Problem& problem, int ranks) {
  constexpr std::int64_t fewest_rows = 16;
  const std::int64_t most = cg_parameters(problem.size).rows / fewest_rows;
  return ranks > most ? fmt::format("runs on up to {} ranks", most) : "";
}

std::unique_ptr<Benchmark> make(const Problem& problem, const Communicator& ranks) {
  if constexpr (build::cuda) {
    if (problem.device.is_cuda()) {
      return make_cuda(problem, ranks);
    }
  }
  return problem.schedule == Schedule::reference ? make_reference(problem.size)
                                                 : make_cpu(problem, ranks);
}

}  // namespace bankfull::npb::cg
