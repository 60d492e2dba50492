#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bankfull {

/// One GPU as the CUDA runtime and NVML describe it. Entries that could not be read are 0 or empty.
struct GpuInfo {
  int index = 0;                   ///< CUDA's number, of the GPUs that it shows to this process
  std::string name;                ///< as the driver gives it: "NVIDIA H200"
  std::string compute_capability;  ///< "9.0"
  std::string pci_bus_id;          ///< with domain and function: "0000:1b:00.0"
  std::string uuid;                ///< "GPU-" and 32 digits in five groups, as nvidia-smi has it
  int multiprocessors = 0;         ///< enabled on this GPU
  std::int64_t memory_bytes = 0;   ///< in all, as CUDA reports it
  std::int64_t l2_bytes = 0;       ///< of the whole GPU
  std::int64_t shared_bytes = 0;   ///< shared memory of one multiprocessor; its L1 is no smaller
  int max_sm_clock_mhz = 0;        ///< peak, as CUDA reports it
  int max_memory_clock_mhz = 0;    ///< peak, as CUDA reports it
  int sm_clock_mhz = 0;            ///< when queried
  int memory_clock_mhz = 0;        ///< when queried
  int memory_bus_bits = 0;         ///< width of the bus to its memory
  int pcie_generation = 0;         ///< when queried: idle links step down
  int pcie_width = 0;              ///< lanes when queried: idle links step down
  int nvlinks = 0;                 ///< active links
  bool ecc = false;                ///< whether error correction of its memory is on
};

/// The result of a search for GPUs.
struct GpuSurvey {
  std::vector<GpuInfo> gpus;  ///< each at its index
  std::string none_because;   ///< why `gpus` is empty
  std::string driver;         ///< "580.159.04"
  std::string driver_cuda;    ///< newest CUDA version the driver serves
};

/// The CUDA GPUs that this process can use. Queried once and cached.
const GpuSurvey& survey_gpus();

/// The clocks of a GPU in MHz; 0 if NVML does not report one.
struct GpuClocks {
  int sm_mhz = 0;      ///< of the multiprocessors
  int memory_mhz = 0;  ///< of the memory, which transfers twice a period
};
/// Reads the clocks now, for they change with load. Zeros without CUDA; with it throws
/// std::out_of_range if survey_gpus() has no such GPU.
GpuClocks gpu_clocks(int index);

/// Free memory of a GPU.
std::int64_t gpu_free_bytes(int index);

namespace detail {
// Defined in cuda_gpu.cpp, which exists in builds with CUDA only.
GpuSurvey survey_cuda_gpus();
GpuClocks cuda_gpu_clocks(const GpuInfo& gpu);
std::int64_t cuda_free_bytes(int index);
}  // namespace detail

}  // namespace bankfull
