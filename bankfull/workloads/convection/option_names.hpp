#pragma once

#include "bankfull/core/base/enum_names.hpp"
#include "bankfull/workloads/convection/problem.hpp"

// What case files and results call the choices of a Problem.

namespace bankfull::convection {

inline constexpr auto advection_names =
    enum_names<Advection>({{Advection::centred, "centred"}, {Advection::bounded, "bounded"}});

inline constexpr auto time_scheme_names = enum_names<TimeScheme>(
    {{TimeScheme::adams_bashforth, "adams-bashforth"}, {TimeScheme::runge_kutta, "runge-kutta"}});

inline constexpr auto implicit_diffusion_names =
    enum_names<ImplicitDiffusion>({{ImplicitDiffusion::none, "none"},
                                   {ImplicitDiffusion::stretched, "stretched"},
                                   {ImplicitDiffusion::walls, "walls"}});

inline constexpr auto pressure_solver_names =
    enum_names<PressureSolver>({{PressureSolver::automatic, "auto"},
                                {PressureSolver::direct, "direct"},
                                {PressureSolver::multigrid, "multigrid"}});

inline constexpr auto schedule_names =
    enum_names<Schedule>({{Schedule::tuned, "tuned"}, {Schedule::reference, "reference"}});

}  // namespace bankfull::convection
