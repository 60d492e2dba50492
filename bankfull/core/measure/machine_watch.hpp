#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/machine/device.hpp"
#include "bankfull/core/machine/rapl.hpp"
#include "bankfull/core/machine/system_files.hpp"
#include "bankfull/core/machine/throttling.hpp"
#include "bankfull/core/measure/energy_use.hpp"
#include "bankfull/core/measure/machine_state.hpp"
#include "bankfull/core/measure/timer.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace bankfull {

/// Where a GPU is found.
struct GpuAddress {
  std::string name;        ///< for people: "GPU 0 of host node1"
  std::string model;       ///< as the driver gives it: "NVIDIA H200"
  std::string uuid;        ///< for the record only
  std::string pci_bus_id;  ///< by which the driver finds it; the same GPU is watched once
};

/// Watches this rank's GPUs and, on one rank of each node, the node, from its construction on. It
/// reads files and asks the driver, only when it is called and in the calling thread: callers call
/// between timed regions.
class MachineWatch {
 public:
  /// Local rank 0 reads the node's state before the run.
  explicit MachineWatch(const Communicator& ranks);
  /// With other files and another library of NVML, for tests.
  MachineWatch(SystemFiles files, std::string nvml_library, bool with_host = true);
  ~MachineWatch();
  MachineWatch(const MachineWatch&) = delete;
  MachineWatch& operator=(const MachineWatch&) = delete;

  /// The GPUs that work from now on, of which the counters are read: their state is observed until
  /// the end, unless it is already. Nothing happens for the CPU, or in a program without CUDA.
  void watch(const std::vector<Device>& devices);
  /// The same for one device.
  void watch(Device device) { watch(std::vector<Device>{device}); }
  /// The same for GPUs by their addresses; without any, those watched before stay.
  void watch_gpus(const std::vector<GpuAddress>& gpus);
  /// The same for one GPU.
  void watch(const GpuAddress& gpu) { watch_gpus({gpu}); }

  /// Energy and throttling of the GPUs that work, and of the node: less than a millisecond for a
  /// GPU.
  [[nodiscard]] CounterReading read_counters();

  /// Why the energy of work on this kind of device is not counted; empty: it is.
  [[nodiscard]] std::string energy_unknown_because(Device device) const;

  /// Reads the whole state, some milliseconds, after work that took `last_seconds`; does nothing if
  /// that was too short to be followed by such a pause, or if it has just done so.
  void observe_after(double last_seconds);

  /// Reads the whole state.
  void observe();

  /// Reads how much of the node's first process lies in huge pages; to be called while what was
  /// timed is in memory. Does nothing if it has just done so, or if GPUs work.
  void observe_pages();

  /// Collective: reads the state after the run and returns that of all ranks: of each GPU once, and
  /// of each node.
  [[nodiscard]] MachineState state(const Communicator& ranks);

 private:
  class History;
  struct Host;
  struct Gpu;

  [[nodiscard]] MachineState own_parts() const;

  SystemFiles files_;
  std::string nvml_library_;
  Stopwatch clock_;
  Rapl rapl_;
  std::unique_ptr<Host> host_;  ///< null: another rank of the node reads it
  std::vector<std::unique_ptr<Gpu>> gpus_;
  std::vector<const Gpu*> working_;  ///< of these
  double last_observed_ = 0.0;
  std::optional<double> pages_observed_;  ///< when
};

}  // namespace bankfull
