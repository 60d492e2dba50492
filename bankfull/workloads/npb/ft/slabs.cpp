#include "bankfull/workloads/npb/ft/slabs.hpp"

#include <algorithm>

namespace bankfull::npb::ft {
namespace {

constexpr auto bytes_of(std::int64_t doubles) {
  return static_cast<std::size_t>(doubles) * sizeof(double);
}

/// Padding travels with the planes, so it must have been written. By the team, which touches the
/// planes here first.
void clear_padding(double* planes, std::int64_t count, std::int64_t plane, std::int64_t used,
                   const Team& team) {
#pragma omp parallel num_threads(team.threads())
  {
    const Range mine = my_share(count);
    for (std::int64_t n = mine.begin; n < mine.end; ++n) {
      std::fill(planes + n * plane + used, planes + (n + 1) * plane, 0.0);
    }
  }
}

std::int64_t foreign_doubles(const Slabs& slabs, int rank) {
  return rank == slabs.rank() ? 0 : slabs.planes().size() * slabs.plane_of(rank);
}

std::int64_t foreign_doubles(const Slabs& slabs) {
  std::int64_t total = 0;
  for (int rank = 0; rank < slabs.ranks(); ++rank) {
    total += foreign_doubles(slabs, rank);
  }
  return total;
}

/// With each other rank: its rows in this rank's planes, and this rank's rows in its planes.
struct Shared {
  std::vector<Message> foreign;
  std::vector<Message> own;
};

Shared shared_with_others(const Slabs& slabs, const Slab& slab, const ForeignRows& foreign) {
  Shared shared;
  for (int rank = 0; rank < slabs.ranks(); ++rank) {
    if (rank != slabs.rank()) {
      const Range planes = slabs.planes_of(rank);
      shared.foreign.push_back({rank, foreign.of(rank), bytes_of(foreign_doubles(slabs, rank))});
      shared.own.push_back(
          {rank, slab.at(0, 0, planes.begin), bytes_of(planes.size() * slab.plane())});
    }
  }
  return shared;
}

}  // namespace

Slab::Slab(const Slabs& slabs, const Team& team)
    : row_(slabs.row()),
      plane_(slabs.plane_of(slabs.rank())),
      buffer_(MemorySpace::host, static_cast<std::size_t>(slabs.ft().nz * plane_)) {
  clear_padding(buffer_.data(), slabs.ft().nz, plane_, slabs.rows().size() * row_, team);
}

std::int64_t Slab::bytes(const Slabs& slabs) {
  return static_cast<std::int64_t>(bytes_of(slabs.ft().nz * slabs.plane_of(slabs.rank())));
}

ForeignRows::ForeignRows(const Slabs& slabs, const Team& team) {
  if (slabs.ranks() > 1) {
    buffer_ = Buffer<double>(MemorySpace::host, static_cast<std::size_t>(foreign_doubles(slabs)));
  }
  std::int64_t begin = 0;
  for (int rank = 0; rank < slabs.ranks(); ++rank) {
    begins_.push_back(begin);
    begin += foreign_doubles(slabs, rank);
    if (rank != slabs.rank()) {
      clear_padding(of(rank), slabs.planes().size(), slabs.plane_of(rank),
                    slabs.rows_of(rank).size() * slabs.row(), team);
    }
  }
}

std::int64_t ForeignRows::bytes(const Slabs& slabs) {
  return static_cast<std::int64_t>(bytes_of(foreign_doubles(slabs)));
}

PlanePieces::PlanePieces(const Slabs& slabs, const Slab& slab, const ForeignRows& foreign)
    : row_(slabs.row()) {
  for (int rank = 0; rank < slabs.ranks(); ++rank) {
    const bool own = rank == slabs.rank();
    pieces_.push_back({slabs.rows_of(rank),
                       own ? slab.at(0, 0, slabs.planes().begin) : foreign.of(rank),
                       slabs.plane_of(rank)});
  }
}

std::unique_ptr<MessageExchange> rows_to_slabs(const Communicator& ranks, const Slabs& slabs,
                                               const ForeignRows& foreign, const Slab& slab) {
  const Shared shared = shared_with_others(slabs, slab, foreign);
  return ranks.prepare(shared.foreign, shared.own);
}

std::unique_ptr<MessageExchange> slabs_to_rows(const Communicator& ranks, const Slabs& slabs,
                                               const Slab& slab, const ForeignRows& foreign) {
  const Shared shared = shared_with_others(slabs, slab, foreign);
  return ranks.prepare(shared.own, shared.foreign);
}

}  // namespace bankfull::npb::ft
