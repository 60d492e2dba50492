#include "bankfull/app/convect/written_cells.hpp"

#include "bankfull/core/base/bytes.hpp"
#include "bankfull/core/base/error.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace bankfull::convect {

std::int64_t planes_to_write(const Extents& cells, int threads) {
  const std::int64_t plane_bytes = cells.nj * cells.nk * static_cast<std::int64_t>(sizeof(double));
  return std::clamp<std::int64_t>(4 * mib * threads / std::max<std::int64_t>(plane_bytes, 1), 1,
                                  std::max<std::int64_t>(cells.ni, 1));
}

void write_cells(const Box& part, const convection::CellReader& values, int threads,
                 SharedArrayWriter& writer) {
  const Extents n = part.extents();
  const std::int64_t planes = planes_to_write(n, threads);
  std::vector<double> piece(static_cast<std::size_t>(planes * n.nj * n.nk));
  for (std::int64_t i = part.i0; i < part.i1; i += planes) {
    Box some = part;
    some.i0 = i;
    some.i1 = std::min(i + planes, part.i1);
    values(some, piece.data());
    writer.write(some, piece.data());
  }
}

std::optional<std::uint32_t> write_together(const Communicator& ranks,
                                            const convection::SharedCells& cells,
                                            const SharedArray& array, int threads) {
  std::unique_ptr<SharedArrayWriter> writer;
  try {
    writer = std::make_unique<SharedArrayWriter>(array, threads);
  } catch (const RuntimeFailure&) {
    // The root writes it for all.
  }
  if (!ranks.all(writer != nullptr && (ranks.on_one_node() || writer->nodes_may_share()))) {
    return std::nullopt;
  }
  ranks.agree([&] {
    write_cells(cells.block, cells.own, threads, *writer);
    if (!ranks.on_one_node()) {
      writer->flush();  // elsewhere the root's flush of the file serves
    }
  });
  std::vector<CheckedPiece> pieces;
  for (const std::vector<CheckedPiece>& own : ranks.all_gather(writer->pieces())) {
    pieces.insert(pieces.end(), own.begin(), own.end());
  }
  return crc_of(std::move(pieces));
}

}  // namespace bankfull::convect
