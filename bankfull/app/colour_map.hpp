#pragma once

#include "bankfull/core/base/enum_names.hpp"

#include <array>
#include <cstdint>

namespace bankfull {

/// Maps whose lightness grows evenly, so that equal differences look equal, in grey too.
enum class ColourMap { inferno, viridis };

/// Red, green, blue.
using Colour = std::array<std::uint8_t, 3>;

/// The colour at a share of the map from 0 to 1; beyond its ends the colour there, for NaN the
/// first.
Colour colour_at(ColourMap map, double share);

inline constexpr auto colour_map_names =
    enum_names<ColourMap>({{ColourMap::inferno, "inferno"}, {ColourMap::viridis, "viridis"}});

}  // namespace bankfull
