#pragma once

#include "bankfull/workloads/convection/integrator.hpp"
#include "bankfull/workloads/convection/interpolation.hpp"
#include "bankfull/workloads/convection/last_done.hpp"
#include "bankfull/workloads/convection/state.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bankfull::convection {

/// Values at points that a run records as it proceeds: at its start, and at multiples of steps or
/// of time, whichever is due first; 0: not by this measure. Steps are not made to meet times:
/// values are those of the first step at or beyond.
struct ProbeRequest {
  std::string name;            ///< distinguishes probes
  std::vector<Vector> points;  ///< along x, y, z, in the box
  std::vector<int> fields;     ///< velocity along x, y, z: 0, 1, 2; scalar s: 3 + s
  std::int64_t every = 0;      ///< steps
  double time = 0.0;
};

/// What a probe finds at a step: `values` of its fields at the first point, at the second one, ...
struct ProbeReading {
  std::size_t probe = 0;  ///< its number among the requests
  std::int64_t step = 0;
  double time = 0.0;
  std::vector<double> values;
};

/// All probes of a run. Of a flow only the elements around their points are read; what lies beyond
/// walls follows from these on the host, so that a value at an edge is the same on all devices.
/// Plan and requests outlive it.
class RunProbes {
 public:
  RunProbes(const Plan& plan, const std::vector<ProbeRequest>& requests);

  /// Before the first reading: lets the flow know which elements it will be asked for.
  void prepare(Integrator& flow) const;

  /// Probes that have recorded nothing yet begin here, with a reading at the start of a run alone.
  void begin(std::int64_t step, double time);

  [[nodiscard]] bool due(std::int64_t step, double time) const;
  [[nodiscard]] std::int64_t next_step() const;
  [[nodiscard]] double next_time() const;  ///< infinity: none is due by time

  using Listener = std::function<void(const ProbeReading&)>;

  /// Those that are due, or all of them.
  void record_due(std::int64_t step, double time, const Integrator& flow, const Listener& listener);
  void record_all(std::int64_t step, double time, const Integrator& flow, const Listener& listener);

  /// For a run that continues later; probes that it did not have begin then.
  void save(StateWriter& to) const;
  void restore(const StateReader& from);

 private:
  [[nodiscard]] bool is_due(std::size_t probe, std::int64_t step, double time) const;
  void record_one(std::size_t probe, std::int64_t step, double time, const Integrator& flow,
                  const Listener& listener);

  const Plan& plan_;
  const std::vector<ProbeRequest>& requests_;
  std::vector<std::vector<Neighbourhood>> neighbourhoods_;  ///< of a probe: a value each
  std::vector<LastDone> recorded_;
};

}  // namespace bankfull::convection
