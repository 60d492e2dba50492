#pragma once

#include "bankfull/workloads/convection/run_probes.hpp"
#include "bankfull/workloads/convection/stability.hpp"
#include "tests/workloads/convection/cases.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace bankfull::convection {

/// Points in all parts of the box: on its walls, edges and corners, where cells meet and between.
inline std::vector<Vector> points_of(const Problem& problem) {
  std::vector<Vector> points;
  for (const double a : {0.0, 0.13, 0.5, 0.96, 1.0}) {
    for (const double b : {0.0, 0.31, 1.0}) {
      for (const double c : {0.0, 0.02, 0.74, 1.0}) {
        const std::array<double, 3> parts{a, b, c};
        Vector& point = points.emplace_back();
        for (std::size_t axis = 0; axis < 3; ++axis) {
          const AxisCells& cells = problem.axes[axis];
          point[axis] = cells.lower + parts[axis] * (cells.upper - cells.lower);
        }
      }
    }
  }
  return points;
}

/// The readings of all fields of a flow as it is.
inline std::vector<double> readings_of(Integrator& flow, const std::vector<Vector>& points) {
  std::vector<int> fields;
  for (int field = 0; field < flow.plan().fields(); ++field) {
    fields.push_back(field);
  }
  const std::vector<ProbeRequest> requests{
      {.name = "other", .points = {points.back()}, .fields = {0}, .every = 1},
      {.name = "all", .points = points, .fields = fields, .every = 1}};
  RunProbes probes(flow.plan(), requests);
  probes.prepare(flow);
  std::vector<double> values;
  probes.record_all(0, 0.0, flow, [&](const ProbeReading& reading) {
    if (reading.probe == 1) {
      values = reading.values;
    }
  });
  return values;
}

/// The same after a step of a problem.
inline std::vector<double> readings_after_a_step(const Problem& problem) {
  const std::unique_ptr<Integrator> flow = make_integrator(Plan(problem));
  flow->load(initial_state(problem, Grid(problem.axes)));
  flow->set_rule(step_rule(flow->plan().problem(), flow->plan().grid(), flow->diagnose()));
  flow->step();
  return readings_of(*flow, points_of(problem));
}

}  // namespace bankfull::convection
