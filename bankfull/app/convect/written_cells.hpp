#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/io/shared_array.hpp"
#include "bankfull/workloads/convection/state.hpp"

#include <cstdint>
#include <optional>

namespace bankfull::convect {

/// Planes of so many cells that are read and written at a time: some megabytes for each thread.
std::int64_t planes_to_write(const Extents& cells, int threads);

/// Writes a part of an array, which values(part, to) gives piece by piece, in order.
void write_cells(const Box& part, const convection::CellReader& values, int threads,
                 SharedArrayWriter& writer);

/// Collective: has each rank write what it has of an array, and returns the CRC-32 of all of it;
/// nothing, and writes nothing, where a rank does not see the file, as on a node with a disk of its
/// own, or where nodes may not write to it at the same time. If a rank cannot write, all throw
/// RuntimeFailure.
std::optional<std::uint32_t> write_together(const Communicator& ranks,
                                            const convection::SharedCells& cells,
                                            const SharedArray& array, int threads);

}  // namespace bankfull::convect
