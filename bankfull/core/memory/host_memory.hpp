#pragma once

#include <cstdint>
#include <filesystem>

namespace bankfull {

/// The host memory available to this process, according to the kernel and to every limit set on the
/// process. Files are read anew at each query.
class HostMemory {
 public:
  /// Tests pass the root of a simulated machine.
  explicit HostMemory(std::filesystem::path root = "/") : root_(std::move(root)) {}

  /// Bytes that can be allocated now: what the machine has available, but no more than is left in
  /// the memory control group of this process and in all groups around it, of versions 1 and 2.
  /// Cached files that the kernel would reclaim first count as free there, as in the machine's own
  /// figure.
  [[nodiscard]] std::int64_t available() const;

  /// Bytes that this process may still map within its limits of address space and of data (`ulimit
  /// -v` and `-d`).
  [[nodiscard]] std::int64_t left_to_process() const;

 private:
  std::filesystem::path root_;
};

}  // namespace bankfull
