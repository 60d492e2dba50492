#include "bankfull/core/field/layout.hpp"

#include "bankfull/core/base/expects.hpp"

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

}  // namespace

Layout::Layout(Extents interior, std::int64_t ghosts, std::size_t element_bytes)
    : interior_(interior), ghosts_(ghosts) {
  expects(interior.ni >= 1 && interior.nj >= 1 && interior.nk >= 1, "a layout has cells");
  expects(ghosts >= 0, "ghost width is not negative");
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
