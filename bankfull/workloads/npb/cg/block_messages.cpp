#include "bankfull/workloads/npb/cg/block_messages.hpp"

#include <numeric>

namespace bankfull::npb::cg {
namespace {

std::vector<std::int32_t> list_of(std::int64_t begin, std::int64_t count) {
  std::vector<std::int32_t> list(static_cast<std::size_t>(count));
  std::iota(list.begin(), list.end(), static_cast<std::int32_t>(begin));
  return list;
}

/// From the first element of a piece on.
Range within(const Range& piece, const Range& elements) {
  return {elements.begin - piece.begin, elements.end - piece.begin};
}

}  // namespace

GatherPlan plan_gather(std::int64_t rows, Kept kept, int rank, int ranks) {
  const Range piece = piece_of(rows, rank, ranks);
  const std::vector<Range> inputs = block_of(rows, kept, rank, ranks).inputs();
  GatherPlan plan;
  plan.piece_begin = (block_of(rows, kept, rank, ranks).input_count() + 1) / 2 * 2;
  plan.size = plan.piece_begin + piece.size();
  for (int other = 0; other < ranks; ++other) {
    if (other == rank) {
      continue;
    }
    ListNeighbour neighbour{.rank = other};
    if (const auto wanted = overlap_of(piece, block_of(rows, kept, other, ranks).inputs())) {
      neighbour.sent = list_of(plan.piece_begin + within(piece, wanted->elements).begin,
                               wanted->elements.size());
    }
    if (const auto needed = overlap_of(piece_of(rows, other, ranks), inputs)) {
      neighbour.received_begin = needed->number;
      neighbour.received = needed->elements.size();
    }
    plan.neighbours.push_back(neighbour);
  }
  if (const auto own = overlap_of(piece, inputs)) {
    plan.own = within(piece, own->elements);
    plan.own_begin = own->number;
  }
  return plan;
}

ReducePlan plan_reduce(std::int64_t rows, Kept kept, int rank, int ranks) {
  const Range piece = piece_of(rows, rank, ranks);
  const Block block = block_of(rows, kept, rank, ranks);
  ReducePlan plan;
  plan.size = block.output_count();
  for (int other = 0; other < ranks; ++other) {
    const auto theirs = overlap_of(piece, block_of(rows, kept, other, ranks).outputs());
    if (other == rank) {
      if (theirs) {
        plan.contributions.push_back({within(piece, theirs->elements), theirs->number});
      }
      continue;
    }
    ListNeighbour neighbour{.rank = other};
    if (const auto ours = overlap_of(piece_of(rows, other, ranks), block.outputs())) {
      neighbour.sent = list_of(ours->number, ours->elements.size());
    }
    if (theirs) {
      neighbour.received_begin = plan.size;
      neighbour.received = theirs->elements.size();
      plan.contributions.push_back({within(piece, theirs->elements), plan.size});
      plan.size += neighbour.received;
    }
    plan.neighbours.push_back(neighbour);
  }
  return plan;
}

}  // namespace bankfull::npb::cg
