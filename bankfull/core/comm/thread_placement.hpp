#pragma once

#include "bankfull/core/base/enum_names.hpp"
#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/comm/launch.hpp"
#include "bankfull/core/exec/team_places.hpp"
#include "bankfull/core/machine/processors.hpp"
#include "bankfull/core/machine/system_files.hpp"

#include <string>
#include <vector>

namespace bankfull {

/// Whether a run binds the threads of its teams to processors.
enum class Pinning {
  automatic,  ///< each to its share of the cores, unless something else binds them
  cores,      ///< each to one core
  none,
};

/// The values of --pin.
inline constexpr auto pinning_names = enum_names<Pinning>(
    {{Pinning::automatic, "auto"}, {Pinning::cores, "cores"}, {Pinning::none, "none"}});

/// Where the threads of this rank's teams run.
struct ThreadPlacement {
  int threads = 1;                               ///< of each team
  std::vector<Processor> processors = {};        ///< of this rank, in the order of caches
  PlaceWidth width = PlaceWidth::share;          ///< one core each with --pin cores
  std::string unbound_because = "nobody asked";  ///< empty: threads are bound
  bool waits_are_set = false;  ///< by a variable that tells OpenMP how threads wait
  bool openmp_binds = false;   ///< by a variable of its own

  /// Whether this program binds the threads; OpenMP's own binding does not count.
  [[nodiscard]] bool is_bound() const { return unbound_because.empty(); }

  /// Those of `processors`, ascending, as the system numbers them.
  [[nodiscard]] std::vector<int> numbers() const;

  /// For the record: "16 threads, 1 core each, on processors 0-15", "no: OMP_PROC_BIND is set".
  [[nodiscard]] std::string description() const;
};

/// What a run asks of its placement.
struct PlacementRequest {
  Pinning pinning = Pinning::automatic;  ///< the value of --pin
  bool on_cpu = true;                    ///< the work is the CPU's
  int threads = 1;                       ///< of each team of this rank
};

/// Collective: the placement of this rank. Ranks that may use the same processors divide the cores
/// among them. Throws UsageError where --pin cores cannot be followed.
ThreadPlacement place_threads(const Communicator& ranks, const PlacementRequest& request,
                              const SystemFiles& files = SystemFiles(),
                              const ReadVariable& variable = read_environment);

/// The cores that this rank may use.
struct FreeCores {
  int free = 1;       ///< that have room for a thread that is always busy, at least 1
  int all = 1;        ///< also those that are busy
  double busy = 0.0;  ///< that others used
};

/// Collective: how many cores others leave free to this rank, by their load over a quarter of a
/// second, in which this process sleeps. Ranks that may use the same processors divide them. Throws
/// UsageError where the system does not tell, or OpenMP lets this process see one place only.
FreeCores find_free_cores(const Communicator& ranks, const SystemFiles& files = SystemFiles(),
                          const ReadVariable& variable = read_environment);

}  // namespace bankfull
