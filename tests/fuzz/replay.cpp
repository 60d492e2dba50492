// Runs the kept inputs of a target through it, with whatever compiler and sanitizers built this.
//
//   fuzz_case_file_replay FILE_OR_FOLDER...

#include "tests/fuzz/fuzz.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> inputs_at(const fs::path& place) {
  if (!fs::is_directory(place)) {
    return {place};
  }
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(place)) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void replay(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  // A crash names the last file.
  std::printf("%s, %zu bytes\n", file.filename().c_str(), text.size());
  std::fflush(stdout);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t count = 0;
  for (const char* place : std::span(argv, static_cast<std::size_t>(argc)).subspan(1)) {
    for (const fs::path& file : inputs_at(place)) {
      replay(file);
      ++count;
    }
  }
  std::printf("%zu inputs\n", count);
  return count > 0 ? 0 : 1;
}
