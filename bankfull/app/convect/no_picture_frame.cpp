// In the place of picture_frame.cpp, in programs without stb.
#include "bankfull/app/convect/picture_frame.hpp"

namespace bankfull::convect {

bool has_picture_frames() { return false; }

Picture framed(const Picture& picture, const PictureCaption& /*caption*/) { return picture; }

}  // namespace bankfull::convect
