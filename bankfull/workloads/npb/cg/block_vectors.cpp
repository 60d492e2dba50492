#include "bankfull/workloads/npb/cg/block_vectors.hpp"

#include <algorithm>

namespace bankfull::npb::cg {
namespace {

Buffer<double> host_vector(std::int64_t count) {
  Buffer<double> vector(MemorySpace::host, static_cast<std::size_t>(count));
  std::fill_n(vector.data(), vector.size(), 0.0);
  return vector;
}

/// Collective. The elements sent to a neighbour are contiguous.
std::unique_ptr<MessageExchange> prepare(const Communicator& ranks,
                                         const std::vector<ListNeighbour>& neighbours,
                                         double* vector) {
  std::vector<Message> sends;
  std::vector<Message> receives;
  for (const ListNeighbour& neighbour : neighbours) {
    if (!neighbour.sent.empty()) {
      sends.push_back({neighbour.rank, vector + neighbour.sent.front(),
                       neighbour.sent.size() * sizeof(double)});
    }
    if (neighbour.received > 0) {
      receives.push_back({neighbour.rank, vector + neighbour.received_begin,
                          static_cast<std::size_t>(neighbour.received) * sizeof(double)});
    }
  }
  return ranks.prepare(sends, receives);
}

}  // namespace

BlockVectors::BlockVectors(std::int64_t rows, Kept kept, const Communicator& ranks)
    : gather_plan_(plan_gather(rows, kept, ranks.rank(), ranks.size())),
      reduce_plan_(plan_reduce(rows, kept, ranks.rank(), ranks.size())),
      gathered_(host_vector(gather_plan_.size)),
      reduced_(host_vector(reduce_plan_.size)),
      gather_(prepare(ranks, gather_plan_.neighbours, gathered_.data())),
      reduce_(prepare(ranks, reduce_plan_.neighbours, reduced_.data())) {}

void BlockVectors::put(const double* v, const Range& share) {
  std::copy(v + share.begin, v + share.end,
            gathered_.data() + gather_plan_.piece_begin + share.begin);
  const Range& own = gather_plan_.own;
  const std::int64_t begin = std::max(own.begin, share.begin);
  const std::int64_t end = std::min(own.end, share.end);
  if (begin < end) {
    std::copy(v + begin, v + end, gathered_.data() + gather_plan_.own_begin + begin - own.begin);
  }
}

void BlockVectors::take(double* q, const Range& share) const {
  std::fill(q + share.begin, q + share.end, 0.0);
  for (const auto& [elements, place] : reduce_plan_.contributions) {
    const double* const sums = reduced_.data() + place;
    const std::int64_t end = std::min(share.end, elements.end);
    for (std::int64_t n = std::max(share.begin, elements.begin); n < end; ++n) {
      q[n] += sums[n - elements.begin];
    }
  }
}

}  // namespace bankfull::npb::cg
