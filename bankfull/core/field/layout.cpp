#include "bankfull/core/field/layout.hpp"

#include "bankfull/core/base/expects.hpp"

namespace bankfull {
namespace {

std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace

Layout::Layout(Extents interior, std::int64_t ghosts, std::size_t element_bytes)
    : interior_(interior), ghosts_(ghosts) {
  expects(interior.ni >= 1 && interior.nj >= 1 && interior.nk >= 1, "a layout has cells");
  expects(ghosts >= 0, "ghost width is not negative");
  const std::int64_t alignment = alignment_bytes / static_cast<std::int64_t>(element_bytes);
  row_pitch_ = round_up(interior.nk + 2 * ghosts, alignment);
  plane_pitch_ = row_pitch_ * (interior.nj + 2 * ghosts);
  // The left ghosts of the very first row have no row before them.
  origin_ = round_up(ghosts, alignment) + ghosts * (plane_pitch_ + row_pitch_);
  const std::int64_t last = offset(interior.ni - 1 + ghosts, interior.nj - 1 + ghosts, 0);
  size_ = round_up(origin_ + last + row_pitch_, alignment);
}

}  // namespace bankfull
