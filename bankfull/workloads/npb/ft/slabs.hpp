#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/numerics/fft/lane_fft.hpp"
#include "bankfull/workloads/npb/classes.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace bankfull::npb::ft {

// How ranks share the field. Along z, each transforms a slab: some rows along x, those of a range
// of y, of all planes. Along x and y, each transforms whole planes, those of a range of z. Between
// the two every rank exchanges with every other the rows of its slab in the other's planes.
//
// The data for one rank are contiguous in a slab, and planes are processed in the pieces in which
// they arrive: nothing is packed, and each rank's own piece stays in the slab.

inline constexpr std::int64_t lanes = LaneFft::lanes;
inline constexpr std::int64_t block = LaneFft::block;

/// The rows and planes of each rank, at least one of each.
class Slabs {
 public:
  Slabs(const FtParameters& ft, int rank, int ranks) : ft_(ft), rank_(rank), ranks_(ranks) {}

  [[nodiscard]] const FtParameters& ft() const { return ft_; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int ranks() const { return ranks_; }

  [[nodiscard]] Range rows_of(int rank) const { return share(ft_.ny, rank, ranks_); }
  [[nodiscard]] Range planes_of(int rank) const { return share(ft_.nz, rank, ranks_); }
  [[nodiscard]] Range rows() const { return rows_of(rank_); }
  [[nodiscard]] Range planes() const { return planes_of(rank_); }

  /// Doubles of a row along x: blocks of eight points, eight real, then eight imaginary parts.
  [[nodiscard]] std::int64_t row() const { return ft_.nx / lanes * block; }

  /// Doubles from plane to plane of a rank's slab.
  [[nodiscard]] std::int64_t plane_of(int rank) const {
    // Planes a power of two apart would share cache sets.
    constexpr std::int64_t pad = 5 * block;
    return rows_of(rank).size() * row() + pad;
  }

 private:
  FtParameters ft_;
  int rank_;
  int ranks_;
};

/// A rank's rows of all planes.
class Slab {
 public:
  Slab(const Slabs& slabs, const Team& team);

  static std::int64_t bytes(const Slabs& slabs);

  /// Block `block_x` of a row, both from 0 on; planes in the numbering of the whole field.
  [[nodiscard]] double* at(std::int64_t block_x, std::int64_t row, std::int64_t z) const {
    return buffer_.data() + z * plane_ + row * row_ + block_x * block;
  }
  [[nodiscard]] std::int64_t plane() const { return plane_; }

 private:
  std::int64_t row_;
  std::int64_t plane_;
  Buffer<double> buffer_;
};

/// The other ranks' rows in a rank's planes, by rank, and plane after plane as in their slabs.
class ForeignRows {
 public:
  ForeignRows(const Slabs& slabs, const Team& team);

  static std::int64_t bytes(const Slabs& slabs);

  /// Another rank's rows.
  [[nodiscard]] double* of(int rank) const {
    return buffer_.data() + begins_[static_cast<std::size_t>(rank)];
  }

 private:
  std::vector<std::int64_t> begins_;  ///< by rank
  Buffer<double> buffer_;
};

/// Rows of one rank in this rank's planes.
struct PlanePiece {
  Range rows;
  double* first = nullptr;
  std::int64_t plane = 0;  ///< doubles from plane to plane

  /// The first row's block in a plane; this rank's first plane is 0.
  [[nodiscard]] double* at(std::int64_t block_x, std::int64_t z) const {
    return first + z * plane + block_x * block;
  }
};

/// A rank's planes, in pieces in ascending order of rows.
class PlanePieces {
 public:
  /// The own piece lies in `slab`.
  PlanePieces(const Slabs& slabs, const Slab& slab, const ForeignRows& foreign);

  [[nodiscard]] auto begin() const { return pieces_.begin(); }
  [[nodiscard]] auto end() const { return pieces_.end(); }

  /// Doubles from row to row, in all of them.
  [[nodiscard]] std::int64_t row() const { return row_; }

 private:
  std::vector<PlanePiece> pieces_;
  std::int64_t row_;
};

/// The messages to and from each other rank: its rows in this rank's planes, and this rank's rows
/// in its planes. One completes slabs, the other planes.
std::vector<Message> messages_of(const Slabs& slabs, const ForeignRows& foreign);
std::vector<Message> messages_of(const Slabs& slabs, const Slab& slab);

}  // namespace bankfull::npb::ft
