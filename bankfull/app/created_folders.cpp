#include "bankfull/app/created_folders.hpp"

#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>

namespace bankfull {

namespace fs = std::filesystem;

CreatedFolders::~CreatedFolders() {
  for (auto folder = made_.rbegin(); folder != made_.rend(); ++folder) {
    rmdir(folder->c_str());  // refuses, as it should, where the folder holds something
  }
}

void CreatedFolders::make(const fs::path& folder) {
  fs::path reached;
  for (const fs::path& part : fs::absolute(folder)) {
    reached /= part;
    std::error_code ignored;
    if (part.empty() || fs::is_directory(reached, ignored)) {
      continue;
    }
    if (mkdir(reached.c_str(), 0777) == 0) {
      made_.push_back(reached);
    } else if (const int why = errno; !fs::is_directory(reached, ignored)) {
      throw fs::filesystem_error("cannot make the folder", reached,
                                 std::error_code(why, std::generic_category()));
    }
  }
}

}  // namespace bankfull
