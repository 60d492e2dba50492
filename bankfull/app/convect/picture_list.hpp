#pragma once

#include "bankfull/app/convect/slice.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace bankfull::convect {

/// A picture as a run's slices.csv has it.
struct ListedPicture {
  std::string file;                          ///< "slices/temperature-y-0000.png"
  convection::ScalarRange range = no_range;  ///< of its colours
};

/// Those that a list names, in its order; none where it is no file. What is no picture is left out.
std::vector<ListedPicture> listed_pictures(const std::filesystem::path& list);

/// The values of the slice that a picture shows: "temperature-y-0000.h5" of it.
std::filesystem::path data_beside(std::filesystem::path picture);

/// "temperature-y", with a number where several slices would have the same name.
std::vector<std::string> slice_names(const std::vector<SliceRequest>& slices);

/// The name of a picture of a slice: "temperature-y-0000.png".
std::string picture_name(const std::string& slice, std::int64_t number);

/// The number of a picture of a slice, or of the data beside it; -1 of other files.
std::int64_t number_of_picture(const std::string& slice, const std::string& file);

/// The name of the movie of a slice's pictures: "temperature-y.mp4".
std::string movie_name(const std::string& slice);

/// The slice that a picture of this name is of: "temperature-y".
std::string slice_of(const std::string& picture);

}  // namespace bankfull::convect
