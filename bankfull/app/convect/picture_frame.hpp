#pragma once

#include "bankfull/app/colour_map.hpp"
#include "bankfull/app/png_file.hpp"

#include <string>

namespace bankfull::convect {

/// What the two ends of a side of a picture, or of its colours, stand for.
struct PictureScale {
  std::string name;  ///< of colours none: that is the title
  double least = 0.0;
  double most = 0.0;
};

/// What a frame says of a picture.
struct PictureCaption {
  std::string title;   ///< "temperature at y = 0.5"
  std::string moment;  ///< "time 12.5, step 340"
  PictureScale right;
  PictureScale up;
  PictureScale colours;
  ColourMap map = ColourMap::inferno;
};

/// Whether this program has frames: not where it was built without stb.
bool has_picture_frames();

/// The picture on white, pixel by pixel as it is, with what it shows and when above it, ticks along
/// both axes, and a bar of its colours: on the right, or below one that is wider than high. How
/// large that is follows from the picture, its title and its axes, so that it is the same for all
/// pictures of a slice.
Picture framed(const Picture& picture, const PictureCaption& caption);

}  // namespace bankfull::convect
