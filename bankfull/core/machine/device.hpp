#pragma once

#include <string>

namespace bankfull {

/// Where work runs and its data lives: the CPU team of this process or one CUDA GPU.
struct Device {
  /// What does the work: the processors of this process, or a GPU by CUDA.
  enum class Kind { cpu, cuda };

  Kind kind = Kind::cpu;  ///< the default is the CPU
  int index = 0;          ///< number of the GPU; 0 for the CPU

  /// The team of this process, on whichever processors it may use.
  static constexpr Device cpu() { return {}; }
  /// The GPU that CUDA gives this number, from 0 on. Not checked: resolve_device does that.
  static constexpr Device cuda(int index) { return {Kind::cuda, index}; }

  /// Whether it is a GPU, so that its data lies in GPU memory.
  [[nodiscard]] constexpr bool is_cuda() const { return kind == Kind::cuda; }
  /// The same kind and number.
  friend constexpr bool operator==(const Device&, const Device&) = default;
};

/// "cpu", "cuda:0".
std::string to_string(Device device);

/// Understands `auto`, `cpu`, `cuda` (the first GPU) and `cuda:N`.
///
/// Where `local_size` ranks of a node share its GPUs, `auto` and `cuda` give each its own: rank
/// `local_rank` of them takes the GPU of that number. More ranks than GPUs are a UsageError;
/// `cuda:N` is taken literally by all of them.
///
/// Nothing falls back silently: asking for CUDA where there is none is a UsageError with the
/// reason. `auto` takes the first GPU where the build and the machine have one, else the CPU.
Device resolve_device(const std::string& request, int local_rank = 0, int local_size = 1);

namespace detail {
/// The GPU of a rank where a node has `gpus`; see resolve_device.
Device gpu_of_rank(int gpus, int local_rank, int local_size);
}  // namespace detail

}  // namespace bankfull
