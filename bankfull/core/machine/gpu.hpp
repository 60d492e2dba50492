#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bankfull {

/// One GPU as the CUDA runtime and NVML describe it. Entries that could not be read are 0 or empty.
struct GpuInfo {
  int index = 0;
  std::string name;
  std::string compute_capability;  ///< "9.0"
  std::string pci_bus_id;
  std::string uuid;
  int multiprocessors = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t shared_bytes = 0;  ///< shared memory of one multiprocessor; its L1 is no smaller
  int max_sm_clock_mhz = 0;
  int max_memory_clock_mhz = 0;
  int sm_clock_mhz = 0;      ///< when queried
  int memory_clock_mhz = 0;  ///< when queried
  int memory_bus_bits = 0;
  int pcie_generation = 0;
  int pcie_width = 0;
  int nvlinks = 0;  ///< active links
  bool ecc = false;
};

/// The result of a search for GPUs.
struct GpuSurvey {
  std::vector<GpuInfo> gpus;
  std::string none_because;  ///< why `gpus` is empty
  std::string driver;        ///< "580.159.04"
  std::string driver_cuda;   ///< newest CUDA version the driver serves
};

/// The CUDA GPUs that this process can use. Queried once and cached.
const GpuSurvey& survey_gpus();

/// Clocks change with load: reads them (MHz) now. Zeros if NVML does not report them.
struct GpuClocks {
  int sm_mhz = 0;
  int memory_mhz = 0;
};
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
