#include "bankfull/workloads/npb/cg/block_vectors.hpp"

#include <algorithm>

namespace bankfull::npb::cg {
namespace {

Buffer<double> host_vector(std::int64_t count) {
  Buffer<double> vector(MemorySpace::host, static_cast<std::size_t>(count));
  std::fill_n(vector.data(), vector.size(), 0.0);
  return vector;
}

Message message(int rank, double* data, const Range& elements) {
  return {rank, data, static_cast<std::size_t>(elements.size()) * sizeof(double)};
}

}  // namespace

BlockVectors::BlockVectors(std::int64_t rows, Kept kept, const Communicator& ranks)
    : block_(block_of(rows, kept, ranks.rank(), ranks.size())),
      piece_(piece_of(rows, ranks.rank(), ranks.size())),
      own_(host_vector(piece_.size())),
      inputs_(host_vector(block_.input_count())),
      outputs_(host_vector(block_.output_count())) {
  prepare_gather(rows, ranks);
  prepare_reduce(rows, ranks);
}

void BlockVectors::prepare_gather(std::int64_t rows, const Communicator& ranks) {
  std::vector<Message> sends;
  std::vector<Message> receives;
  for (int other = 0; other < ranks.size(); ++other) {
    if (other == ranks.rank()) {
      continue;
    }
    const Block block = block_of(rows, block_.kept, other, ranks.size());
    if (const auto needed = overlap_of(piece_, block.inputs())) {
      sends.push_back(
          message(other, own_.data() + needed->elements.begin - piece_.begin, needed->elements));
    }
    if (const auto own = overlap_of(piece_of(rows, other, ranks.size()), block_.inputs())) {
      receives.push_back(message(other, inputs_.data() + own->number, own->elements));
    }
  }
  gather_ = ranks.prepare(sends, receives);
}

void BlockVectors::prepare_reduce(std::int64_t rows, const Communicator& ranks) {
  std::vector<Message> sends;
  std::vector<Message> receives;
  for (int other = 0; other < ranks.size(); ++other) {
    const bool own = other == ranks.rank();
    const Block block = block_of(rows, block_.kept, other, ranks.size());
    if (const auto sums = overlap_of(piece_of(rows, other, ranks.size()), block_.outputs());
        sums && !own) {
      sends.push_back(message(other, outputs_.data() + sums->number, sums->elements));
    }
    const auto sums = overlap_of(piece_, block.outputs());
    if (!sums) {
      continue;
    }
    const double* place = outputs_.data() + sums->number;
    if (!own) {
      inboxes_.push_back(host_vector(sums->elements.size()));
      place = inboxes_.back().data();
      receives.push_back(message(other, inboxes_.back().data(), sums->elements));
    }
    const Range elements{sums->elements.begin - piece_.begin, sums->elements.end - piece_.begin};
    contributions_.push_back({elements, place});
  }
  reduce_ = ranks.prepare(sends, receives);
}

void BlockVectors::put(const double* v, const Range& share) {
  std::copy(v + share.begin, v + share.end, own_.data() + share.begin);
  if (const auto own =
          overlap_of({piece_.begin + share.begin, piece_.begin + share.end}, block_.inputs())) {
    std::copy(v + own->elements.begin - piece_.begin, v + own->elements.end - piece_.begin,
              inputs_.data() + own->number);
  }
}

void BlockVectors::gather() {
  gather_->start();
  gather_->finish();
}

void BlockVectors::reduce() {
  reduce_->start();
  reduce_->finish();
}

void BlockVectors::take(double* q, const Range& share) const {
  std::fill(q + share.begin, q + share.end, 0.0);
  for (const Contribution& contribution : contributions_) {
    const std::int64_t first = contribution.elements.begin;
    const std::int64_t end = std::min(share.end, contribution.elements.end);
    for (std::int64_t n = std::max(share.begin, first); n < end; ++n) {
      q[n] += contribution.sums[n - first];
    }
  }
}

}  // namespace bankfull::npb::cg
