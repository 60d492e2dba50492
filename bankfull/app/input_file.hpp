#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace bankfull {

/// What is said of an input file that cannot be read: "<problem>: <why>; <remedy>".
struct InputRefusal {
  std::string problem;
  std::string remedy;
};

/// The contents of a file that the user names. Throws UsageError where it cannot be read, is longer
/// than `most` bytes, or is no plain file: a pipe or a device may have no end, or never begin.
std::string read_input_file(const std::filesystem::path& path, std::size_t most,
                            const InputRefusal& refusal);

}  // namespace bankfull
