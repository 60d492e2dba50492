#include "bankfull/app/data_folder.hpp"

#include "bankfull/core/base/error.hpp"

#include <cstdlib>
#include <string>

namespace bankfull {
namespace {

namespace fs = std::filesystem;

fs::path program_folder() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

}  // namespace

fs::path data_folder(const char* variable, const char* contents, const DataPlaces& places) {
  if (const char* chosen = std::getenv(variable); chosen != nullptr && *chosen != '\0') {
    require(is_folder(chosen), std::string(variable) + "=" + chosen + " is not a folder",
            std::string("set it to a folder with ") + contents + ", or unset it");
    return chosen;
  }
  for (const fs::path& folder : {(program_folder() / places.from_program).lexically_normal(),
                                 fs::path(places.in_source_tree)}) {
    if (is_folder(folder)) {
      return folder;
    }
  }
  return {};
}

}  // namespace bankfull
