#include "bankfull/workloads/npb/ft/slabs.hpp"

#include "bankfull/core/exec/cpu_executor.hpp"

#include <algorithm>

namespace bankfull::npb::ft {
namespace {

constexpr auto bytes_of(std::int64_t doubles) {
  return static_cast<std::size_t>(doubles) * sizeof(double);
}

/// Padding is sent with the planes, so it must be initialised. Called by the team, for first touch.
void clear_padding(double* planes, std::int64_t count, std::int64_t plane, std::int64_t used,
                   const Team& team) {
  CpuExecutor(team.threads()).each(count, [=](std::int64_t n) {
    std::fill(planes + n * plane + used, planes + (n + 1) * plane, 0.0);
  });
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

/// message_with(rank) for each other rank.
template <class MessageWith>
std::vector<Message> messages(const Slabs& slabs, const MessageWith& message_with) {
  std::vector<Message> all;
  for (int rank = 0; rank < slabs.ranks(); ++rank) {
    if (rank != slabs.rank()) {
      all.push_back(message_with(rank));
    }
  }
  return all;
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

std::vector<Message> messages_of(const Slabs& slabs, const ForeignRows& foreign) {
  return messages(slabs, [&](int rank) {
    return Message{rank, foreign.of(rank), bytes_of(foreign_doubles(slabs, rank))};
  });
}

std::vector<Message> messages_of(const Slabs& slabs, const Slab& slab) {
  return messages(slabs, [&](int rank) {
    const Range planes = slabs.planes_of(rank);
    return Message{rank, slab.at(0, 0, planes.begin), bytes_of(planes.size() * slab.plane())};
  });
}

}  // namespace bankfull::npb::ft
