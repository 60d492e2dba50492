#include "bankfull/app/result_path.hpp"

#include "bankfull/app/output_file.hpp"
#include "bankfull/core/base/error.hpp"

#include <algorithm>

namespace bankfull {
namespace {

namespace fs = std::filesystem;

void refuse_json_if(bool refused, const std::string& json, const std::string& what) {
  require(!refused, "--json " + json + " is " + what, "name another file");
}

/// Whether `path` is this folder or below it.
bool is_within(const fs::path& path, const fs::path& folder) {
  const auto [end, differs] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end() || (end->empty() && std::next(end) == folder.end());
}

}  // namespace

void require_other_than(const std::optional<std::string>& json, const fs::path& file,
                        const std::string& what) {
  if (json && !json->empty()) {
    std::error_code ignored;
    const bool same = destination_of(*json) == destination_of(file);
    refuse_json_if(same || fs::equivalent(*json, file, ignored), *json, what);
  }
}

void require_no_folder_of(const std::optional<std::string>& json, const fs::path& folder,
                          const std::string& what) {
  if (json && !json->empty()) {
    refuse_json_if(is_within(destination_of(folder), destination_of(*json)), *json, what);
  }
}

void require_outside(const std::optional<std::string>& json, const fs::path& folder,
                     const std::string& what) {
  if (json && !json->empty()) {
    refuse_json_if(is_within(destination_of(*json), destination_of(folder)), *json, what);
  }
}

}  // namespace bankfull
