#pragma once

#include <string>

namespace bankfull {

/// Where work runs and its data lives: the CPU team of this process or one CUDA GPU.
struct Device {
  enum class Kind { cpu, cuda };

  Kind kind = Kind::cpu;
  int index = 0;  ///< number of the GPU; 0 for the CPU

  static constexpr Device cpu() { return {}; }
  static constexpr Device cuda(int index) { return {Kind::cuda, index}; }

  [[nodiscard]] constexpr bool is_cuda() const { return kind == Kind::cuda; }
  friend constexpr bool operator==(const Device&, const Device&) = default;
};

/// "cpu", "cuda:0".
std::string to_string(Device device);

/// Understands `auto`, `cpu`, `cuda` (the first GPU) and `cuda:N`.
///
/// Nothing falls back silently: asking for CUDA where there is none is a UsageError with the
/// reason. `auto` takes the first GPU where the build and the machine have one, else the CPU.
Device resolve_device(const std::string& request);

}  // namespace bankfull
