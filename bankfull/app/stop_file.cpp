#include "bankfull/app/stop_file.hpp"

#include <system_error>

namespace bankfull {

bool StopFile::requested() const {
  constexpr double seconds_between_looks = 0.25;
  if (!found_ && counts_() && (!has_looked_ || since_look_.seconds() >= seconds_between_looks)) {
    std::error_code ignored;
    found_ = std::filesystem::exists(std::filesystem::symlink_status(path_, ignored));
    has_looked_ = true;
    since_look_.restart();
  }
  return found_;
}

std::string StopFile::cause() const { return "the file " + path_.filename().string(); }

}  // namespace bankfull
