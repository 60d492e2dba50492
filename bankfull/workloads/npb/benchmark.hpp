#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/comm/transport.hpp"
#include "bankfull/core/measure/benchmark.hpp"
#include "bankfull/core/measure/footprint.hpp"
#include "bankfull/workloads/npb/problem.hpp"

#include <memory>
#include <string>
#include <vector>

namespace bankfull::npb {

/// "npb cg C".
std::string title_of(Kernel kernel, Class size);

/// One kernel of one class, with one device per rank. Constructing it does NPB's untimed set-up,
/// `run` is exactly the region that NPB times, and `warm_up` is NPB's untimed pass before it.
class Benchmark : public bankfull::Benchmark {
 public:
  Benchmark(Kernel kernel, Class size) : name_(title_of(kernel, size)), size_(size) {}

  [[nodiscard]] std::string name() const final { return name_; }

  void rewind() override = 0;
  void warm_up() override = 0;

  /// NPB's own criteria first.
  [[nodiscard]] std::vector<Check> checks() override = 0;

  /// How messages travel between ranks, the same on all of them.
  [[nodiscard]] virtual Transport transport() const { return Transport::mpi; }

  /// fp64 instructions of one run on this rank, a fused multiply-add being one, if a run on a GPU
  /// is limited by these and not by memory; else 0.
  [[nodiscard]] virtual double fp64_instructions() const { return 0.0; }

 protected:
  [[nodiscard]] Class size() const { return size_; }

 private:
  std::string name_;
  Class size_;
};

/// Facts about a kernel for rules and reports, independent of device and number of ranks.
struct Facts {
  std::string size;       ///< as NPB's result block shows it: "14000", "256x256x128"
  int iterations;         ///< likewise
  double operations;      ///< of the timed region, by NPB's count
  std::string operation;  ///< what these are: "floating point", "keys ranked"
};

Facts facts_of(Kernel kernel, const Problem& problem);

/// The memory of a kernel on the rank of `ranks` that needs most.
WorkBytes work_bytes(Kernel kernel, const Problem& problem, int ranks);

/// Why a kernel does not run on so many ranks, as the rest of a sentence about it: "runs on powers
/// of two only". Empty where it does run.
std::string refusal_of_ranks(Kernel kernel, const Problem& problem, int ranks);

/// Collective: the part of this rank. `ranks` must outlive it, and `make_plan` must have accepted
/// both. Throws RuntimeFailure if memory cannot be allocated.
std::unique_ptr<Benchmark> make_benchmark(Kernel kernel, const Problem& problem,
                                          const Communicator& ranks);

/// Source of NPB's rules and verification values.
inline constexpr const char* npb_source =
    "NASA NPB 3.4; D. Bailey et al., The NAS Parallel Benchmarks, RNR-94-007";

/// A verification of NPB's: "npb cg C zeta".
Check npb_check(Kernel kernel, Class size, const std::string& what, double value, double reference,
                double tolerance);

}  // namespace bankfull::npb
