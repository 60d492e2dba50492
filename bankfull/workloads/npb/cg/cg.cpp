#include "bankfull/workloads/npb/cg/cg.hpp"

#include "bankfull/build_config.hpp"
#include "bankfull/workloads/npb/cg/kept_entries.hpp"
#include "bankfull/workloads/npb/cg/panels.hpp"

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
  const Kept kept = kept_entries(problem, ranks, problem.threads);
  const Block block = largest_block(cg.rows, kept, ranks);
  const std::int64_t inputs = block.input_count();
  const std::int64_t entries = (cg.nonzeros - cg.rows) / (kept == Kept::upper ? 2 * ranks : ranks);
  constexpr std::int64_t entry_bytes = 12;
  constexpr std::int64_t packed_bytes = 10;
  const std::int64_t copies = input_count(cut_into_tiles(block, problem.threads));
  const std::int64_t pairs =
      kept == Kept::upper ? copies * static_cast<std::int64_t>(sizeof(Pair)) : 0;
  const std::int64_t set = entries * packed_bytes + cg.rows / ranks * 48 + pairs;
  if constexpr (build::cuda) {
    if (problem.device.is_cuda()) {
      return {.device = cuda_memory_bytes(problem, ranks), .working_set = set};
    }
  }
  if (problem.schedule == Schedule::reference) {
    return {.device = reference_memory_bytes(problem.size)};
  }
  // The block as it is assembled and as it is used; what is needed of the vectors that the matrix
  // is made of, twice, and what each thread forms rows in.
  const std::int64_t vectors = 2 * inputs * (cg.vector_nonzeros + 1) * entry_bytes;
  constexpr std::int64_t forming_bytes = 13;
  const std::int64_t formed =
      kept == Kept::upper ? copies : inputs * static_cast<std::int64_t>(problem.threads);
  return {.device = entries * (entry_bytes + packed_bytes) + vectors + cg.rows * 24 +
                    forming_bytes * formed,
          .working_set = set};
}

std::string refusal_of_ranks(const Problem& problem, int ranks) {
  constexpr std::int64_t fewest_rows = 16;
  const std::int64_t most = cg_parameters(problem.size).rows / fewest_rows;
  return ranks > most ? fmt::format("runs on up to {} ranks", most) : "";
}

}  // namespace bankfull::npb::cg
