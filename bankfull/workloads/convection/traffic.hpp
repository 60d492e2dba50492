#pragma once

#include "bankfull/core/measure/work.hpp"
#include "bankfull/workloads/convection/plan.hpp"

#include <array>
#include <string>

namespace bankfull::convection {

/// The parts of a stage, in the order in which they run.
enum class StagePart { advance, divergence, pressure, projection, ghosts };

inline constexpr int stage_parts = 5;

std::string to_string(StagePart part);

/// What each part of a stage does.
using StageWork = std::array<Work, stage_parts>;

/// So many whole stages.
Work sum_of(const StageWork& parts, double stages = 1.0);

/// What each part of a stage moves and computes by its stated model.
using StageTraffic = std::array<Traffic, stage_parts>;

/// Least traffic of a stage's parts but for the pressure solve, which the solver states itself.
/// Ghosts count in the part that fills them only: where others read them they are a layer around
/// many cells.
///
/// - advance: all fields, their former tendencies and, if there are any, the sources of all fields
///   are read; fields and tendencies are written: 4 words per field and cell, 5 with sources.
/// - divergence: three velocities are read, the right side is written, or as much by a solver that
///   takes the divergence of a velocity and begins its work: 4 words.
/// - projection: the pressure is read, and velocities are read and written but for those on walls:
///   7 words. A CPU fills the ghosts at both ends of rows on the way.
/// - with implicit diffusion: advance reads the pressure too and leaves columns eliminated; the
///   divergence is formed where they go the way down, all fields read and written, and where
///   several axes are implicit, old values read; lines within planes take one more pass in between,
///   on a GPU one for each axis. A GPU that has few columns to follow moves more than that.
///   The projection reads and writes the pressure.
/// - with bounded scalars: advance takes three more passes over each, which read 21 words and write
///   9; the projection is followed by one that reads the velocities.
/// - ghosts: each is written; the outermost cells, from which they follow, are read.
StageTraffic stage_traffic(const Plan& plan, const Traffic& pressure);

/// What a step moves less than its parts where `advance` of the next one begins with its
/// projection, see step_ahead.hpp: no velocity is read and written for that, and only ghosts beyond
/// walls are written. Nothing elsewhere.
Traffic traffic_left_out(const Plan& plan);

/// The same with the model in words, of this rank: its part of the cells. Every part reads again
/// what lay in all of the flow's memory.
StageWork stage_work(const Plan& plan, const Traffic& pressure);

/// ", for 4 cycles"; less than one is counted as one.
std::string text_of_cycles(double cycles);

/// Steps of a plan whose stages do this, of which `ahead` begin with the projection of the one
/// before.
Work work_of_steps(const Plan& plan, const StageWork& stage, double steps, double ahead);

}  // namespace bankfull::convection
