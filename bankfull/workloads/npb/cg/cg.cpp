#include "bankfull/workloads/npb/cg/cg.hpp"

#include "bankfull/build_config.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace bankfull::npb::cg {
namespace {

constexpr double tolerance = 1e-10;

}  // namespace

std::vector<Check> checks_of(double zeta, Class size) {
  return {npb_check(Kernel::cg, size, "zeta", zeta, cg_parameters(size).zeta, tolerance)};
}

Figure order_parameter(CgOrder order) { return {.name = "order", .value = to_string(order)}; }

Facts facts_of(const Problem& problem) {
  const CgParameters& cg = cg_parameters(problem.size);
  const double products = cg.vector_nonzeros * (cg.vector_nonzeros + 1);
  const double step = 5.0 + products;
  return {.size = fmt::format("{}", cg.rows),
          .iterations = cg.iterations,
          .operations = 2.0 * cg.iterations * static_cast<double>(cg.rows) *
                        (3.0 + products + steps_per_iteration * step + 3.0),
          .operation = "floating point"};
}

WorkBytes work_bytes(const Problem& problem, int ranks) {
  const CgParameters& cg = cg_parameters(problem.size);
  const Kept kept = better_kept(problem.size, ranks, problem.threads);
  const std::int64_t inputs = max_inputs(cg.rows, kept, ranks);
  const std::int64_t entries = (cg.nonzeros - cg.rows) / (kept == Kept::upper ? 2 * ranks : ranks);
  constexpr std::int64_t entry_bytes = 12;
  constexpr std::int64_t packed_bytes = 10;
  const std::int64_t packed = entries * packed_bytes;
  const std::int64_t set =
      packed + cg.rows / ranks * 40 + (kept == Kept::upper ? 16 * inputs * problem.threads : 0);
  if constexpr (build::cuda) {
    if (problem.device.is_cuda()) {
      return {.device = cuda_memory_bytes(problem, ranks), .working_set = set};
    }
  }
  if (problem.schedule == Schedule::reference) {
    return {.device = reference_memory_bytes(problem.size)};
  }
  // Beside the block as it is assembled: what it needs of the vectors that the matrix is made of,
  // twice, and what each thread forms rows in; then the block as it is used.
  const std::int64_t vectors = 2 * inputs * (cg.vector_nonzeros + 1) * entry_bytes;
  const std::int64_t forming = vectors + cg.rows * 24 + inputs * 13 * problem.threads;
  return {.device = entries * entry_bytes + std::max(forming, packed), .working_set = set};
}

std::string refusal_of_ranks(const Problem& problem, int ranks) {
  constexpr std::int64_t fewest_rows = 16;
  const std::int64_t most = cg_parameters(problem.size).rows / fewest_rows;
  return ranks > most ? fmt::format("runs on up to {} ranks", most) : "";
}

}  // namespace bankfull::npb::cg
