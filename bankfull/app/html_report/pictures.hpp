#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace bankfull::html_report {

/// A picture of a convection run, to stand in a page.
struct Picture {
  std::string slice;  ///< "temperature-y"
  std::string time;   ///< as slices.csv has it
  std::string place;  ///< "y = 0.5"
  std::string least;  ///< values at the ends of its colours
  std::string most;
  std::string data_url;
};

/// The last picture of each slice of a run, if `result` is the run.json of a run's folder; none
/// otherwise. What its list names but is no picture in that folder, or a very large one, is left
/// out.
std::vector<Picture> last_pictures(const std::filesystem::path& result);

}  // namespace bankfull::html_report
