#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/comm/transport.hpp"
#include "bankfull/core/measure/run_result.hpp"
#include "bankfull/core/measure/traffic.hpp"
#include "bankfull/workloads/npb/problem.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace bankfull::npb {

/// One kernel of one class on one device a rank. Constructing it does NPB's untimed set-up.
///
/// `run` is exactly the region that NPB times and returns when this rank's part of it is complete;
/// the caller holds the watch. It may run again after `rewind`.
///
/// Constructing one, destroying one, `rewind`, `warm_up`, `run` and `checks` are collective.
class Benchmark {
 public:
  virtual ~Benchmark() = default;

  /// The state at the start of the timed region; untimed.
  virtual void rewind() = 0;

  /// NPB's untimed pass before the timed region, from `rewind` on; touches all code and data.
  virtual void warm_up() = 0;

  virtual void run() = 0;

  /// Of the last run, the same on all ranks; NPB's own criteria first.
  [[nodiscard]] virtual std::vector<Check> checks() = 0;

  /// Of one run, on this rank.
  [[nodiscard]] virtual Traffic traffic() const = 0;

  /// How messages travel between ranks, the same on all of them.
  [[nodiscard]] virtual Transport transport() const { return Transport::mpi; }

  /// What `traffic` counts, for the reader of its figures.
  [[nodiscard]] virtual std::string traffic_model() const = 0;

  /// What a result names of how the kernel ran, beside what the problem asks for; the same on all
  /// ranks.
  [[nodiscard]] virtual std::vector<Figure> parameters() const { return {}; }

  /// What a reader of its figures must know beside that, the same on all ranks.
  [[nodiscard]] virtual std::vector<std::string> notes() const { return {}; }

  /// fp64 instructions of one run on this rank, a fused multiply-add being one, where a run on a
  /// GPU waits for these and not for memory; else 0.
  [[nodiscard]] virtual double fp64_instructions() const { return 0.0; }
};

/// What the rules and reports say of a kernel, whatever runs it on however many ranks.
struct Facts {
  std::string size;         ///< as NPB's result block shows it: "14000", "256x256x128"
  int iterations;           ///< likewise
  double operations;        ///< of the timed region, by NPB's count
  std::string operation;    ///< what these are: "floating point", "keys ranked"
  std::int64_t data_bytes;  ///< that the timed region works on
};

Facts facts_of(Kernel kernel, const Problem& problem);

/// Collective: the part of this rank. `ranks` must outlive it, and `validate` must have accepted
/// both. Throws RuntimeFailure where memory cannot be had.
std::unique_ptr<Benchmark> make_benchmark(Kernel kernel, const Problem& problem,
                                          const Communicator& ranks);

/// Where NPB's rules and verification values stand.
inline constexpr const char* npb_source =
    "NASA NPB 3.4; D. Bailey et al., The NAS Parallel Benchmarks, RNR-94-007";

}  // namespace bankfull::npb
