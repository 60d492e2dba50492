#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace bankfull {

/// Maps whose lightness grows evenly, so that equal differences look equal, in grey too.
enum class ColourMap { inferno, viridis };

/// Red, green, blue.
using Colour = std::array<std::uint8_t, 3>;

/// The colour at a share of the map from 0 to 1; beyond its ends the colour there, for NaN the
/// first.
Colour colour_at(ColourMap map, double share);

/// In the order of ColourMap.
const std::vector<std::string>& colour_map_names();

}  // namespace bankfull
