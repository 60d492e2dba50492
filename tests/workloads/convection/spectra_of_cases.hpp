#pragma once

#include "bankfull/workloads/convection/run_spectra.hpp"
#include "tests/workloads/convection/cases.hpp"

#include <memory>
#include <vector>

namespace bankfull::convection {

/// Along every periodic axis of several cells, of the whole box and of planes across both others.
inline std::vector<SpectrumLines> spectra_to_find(const Grid& grid) {
  std::vector<SpectrumLines> all;
  for (const int along : storage_axes) {
    if (!grid.axis(along).cells.periodic || grid.axis(along).count() < 2) {
      continue;
    }
    for (const int across : storage_axes) {
      if (across != along) {
        all.push_back({.along = along, .across = across});
        const GridAxis& axis = grid.axis(across);
        all.push_back(
            {.along = along, .across = across, .at = axis.faces.front() + 0.3 * axis.length()});
      }
    }
  }
  return all;
}

/// The spectra of all fields after a step.
inline std::vector<std::vector<double>> spectra_after_a_step(const Problem& problem) {
  const std::unique_ptr<Integrator> flow = make_integrator(Plan(problem));
  flow->load(initial_state(problem, Grid(problem.axes)));
  flow->set_rule(step_rule(flow->plan().problem(), flow->plan().grid(), flow->diagnose()));
  flow->step();
  std::vector<std::vector<double>> all;
  for (const SpectrumLines& lines : spectra_to_find(flow->plan().grid())) {
    const SpectrumSampler sampler(flow->plan(), lines);
    for (int field = 0; field < flow->plan().fields(); ++field) {
      all.push_back(sampler.sample(*flow, field));
    }
  }
  return all;
}

}  // namespace bankfull::convection
