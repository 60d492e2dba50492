#include "bankfull/core/field/layout.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/expects.hpp"

#include <fmt/format.h>
#include <string>

namespace bankfull {
namespace {

std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

/// The next value that is `residue` modulo `period`.
std::int64_t raise_to_residue(std::int64_t value, std::int64_t residue, std::int64_t period) {
  return value + ((residue - value) % period + period) % period;
}

// Ten segments: 14 fields (see field_stride) and the planes on both sides of the last two of them
// then start in different places of a 4 KiB page.
constexpr std::int64_t plane_skew_bytes = 10 * Layout::alignment_bytes;
constexpr std::int64_t page_bytes = 4096;

void require_possible(const Extents& interior, std::int64_t ghosts, std::size_t element_bytes) {
  const std::string cells = fmt::format("{}x{}x{} cells", interior.ni, interior.nj, interior.nk);
  require(interior.ni >= 1 && interior.nj >= 1 && interior.nk >= 1,
          "a field of " + cells + " has none", "give each axis at least one");
  require(ghosts >= 0, fmt::format("a field with ghosts of width {}", ghosts), "use 0 or more");
  require(element_bytes >= 1 && Layout::alignment_bytes % element_bytes == 0,
          fmt::format("a field of elements of {} bytes", element_bytes),
          fmt::format("use a size that divides {}", Layout::alignment_bytes));
  const auto with_ghosts = [ghosts](std::int64_t count) {
    return static_cast<double>(count) + 2.0 * static_cast<double>(ghosts);
  };
  const double row = with_ghosts(interior.nk) * static_cast<double>(element_bytes) +
                     static_cast<double>(Layout::alignment_bytes);
  const double plane = with_ghosts(interior.nj) * row + static_cast<double>(page_bytes);
  constexpr double largest = 1e18;  // far below 2^63, also where a set holds some of them
  require(with_ghosts(interior.ni) * plane <= largest,
          fmt::format("a field of {} with ghosts of width {} exceeds all memory", cells, ghosts),
          "use fewer cells");
}

}  // namespace

Layout::Layout(Extents interior, std::int64_t ghosts, std::size_t element_bytes)
    : interior_(interior), ghosts_(ghosts) {
  require_possible(interior, ghosts, element_bytes);
  const std::int64_t alignment = alignment_bytes / static_cast<std::int64_t>(element_bytes);
  row_pitch_ = round_up(interior.nk + 2 * ghosts, alignment);
  const auto bytes = static_cast<std::int64_t>(element_bytes);
  const std::int64_t plane_bytes = row_pitch_ * (interior.nj + 2 * ghosts) * bytes;
  plane_pitch_ = raise_to_residue(plane_bytes, plane_skew_bytes, page_bytes) / bytes;
  // The left ghosts of the very first row have no row before them.
  origin_ = round_up(ghosts, alignment) + ghosts * (plane_pitch_ + row_pitch_);
  const std::int64_t last = offset(interior.ni - 1 + ghosts, interior.nj - 1 + ghosts, 0);
  size_ = round_up(origin_ + last + row_pitch_, alignment);
}

Layout Layout::with_pitches(Extents interior, std::int64_t row_pitch, std::int64_t plane_pitch) {
  expects(row_pitch >= interior.nk && plane_pitch >= interior.nj * row_pitch,
          "rows and planes do not overlap");
  Layout layout;
  layout.interior_ = interior;
  layout.row_pitch_ = row_pitch;
  layout.plane_pitch_ = plane_pitch;
  layout.size_ = interior.ni * plane_pitch;
  return layout;
}

}  // namespace bankfull
