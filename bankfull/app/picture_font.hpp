#pragma once

namespace bankfull {

/// The file fonts/dejavu-sans-ascii.ttf.
extern const unsigned char* const picture_font_bytes;

}  // namespace bankfull
