#pragma once

#include "tests/workloads/convection/cases.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace bankfull::convection {

/// Cases with implicit diffusion, by turns along stretched axes and along all between walls, with
/// steps that are too long for explicit diffusion along these.
inline std::vector<Case> with_implicit_diffusion(std::vector<Case> all) {
  for (Case& one : all) {
    const bool stretched = one.number % 3 == 0;
    Problem& problem = one.problem;
    problem.implicit_diffusion =
        stretched ? ImplicitDiffusion::stretched : ImplicitDiffusion::walls;
    problem.viscosity *= 5.0;
    problem.time_step.fixed =
        std::min(0.01, 0.5 * longest_diffusive_step(problem, Grid(problem.axes)));
    one.name += stretched ? "_ImplicitStretched" : "_ImplicitWalls";
  }
  return all;
}

inline std::vector<Case> cases_with_implicit_diffusion() {
  return with_implicit_diffusion(all_cases());
}

/// Every other one of the small cases, and the larger ones; walls, forces and sources vary.
inline std::vector<Case> varying_cases_with_implicit_diffusion() {
  std::vector<Case> some;
  for (Case one : all_cases()) {
    if (one.number % 2 == 0) {
      let_vary(one.problem);
      one.name += "Varying";
      some.push_back(one);
    }
  }
  return with_implicit_diffusion(some);
}

/// Layers with so many columns that blocks of a GPU which follow whole columns fill it: flows of
/// the usual terms and of all, lines for values and for changes, tiles that are cut at both edges.
inline std::vector<Case> wide_layers_with_implicit_diffusion() {
  using E = FlowEnds;
  std::vector<Case> all;
  for (std::size_t n = 0; n < 6; ++n) {
    const FlowEnds x = n % 3 == 0 ? E::periodic : E::no_slip;
    const FlowEnds y = n % 3 == 2 ? E::mixed_moving : E::periodic;
    const FlowEnds z = n % 2 == 0 ? E::no_slip : E::mixed_moving;
    const bool usual = n % 2 == 0;
    const std::int64_t planes = n % 3 == 0 ? 37 : 11;  // more than a slab, or less
    Problem problem = busy_problem({241, 301, planes}, {x, y, z}, usual ? 1 : 2, n);
    stretch(problem, 2, 1.5);
    problem.implicit_diffusion = n == 5 ? ImplicitDiffusion::stretched : ImplicitDiffusion::walls;
    problem.scheme = n % 4 == 1 ? TimeScheme::runge_kutta : TimeScheme::adams_bashforth;
    if (!usual) {
      problem.rotation = {0.7, -0.3, 1.1};
      problem.force[1] = uneven(0.3, 1.0);
    }
    problem.viscosity *= 5.0;
    problem.noise = 0.0;
    problem.time_step.fixed =
        std::min(1e-3, 0.5 * longest_diffusive_step(problem, Grid(problem.axes)));
    const std::string name = name_of(x) + name_of(y) + name_of(z) + std::to_string(n);
    problem.name = name;
    all.push_back({name, problem, n});
  }
  return all;
}

}  // namespace bankfull::convection
