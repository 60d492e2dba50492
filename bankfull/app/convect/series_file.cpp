#include "bankfull/app/convect/series_file.hpp"

#include "bankfull/workloads/convection/heat_path.hpp"

#include <fmt/format.h>
#include <optional>

namespace bankfull::convect {
namespace {

using convection::SeriesRow;

/// Nothing where it is not known.
std::string cell_of(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "";
}

std::string nusselt_cells(const SeriesRow& row, bool drives_heat) {
  const convection::Nusselt& nusselt = row.nusselt;
  return drives_heat ? fmt::format("{},{},{},{},{}", nusselt.lower, nusselt.upper, nusselt.volume,
                                   nusselt.thermal, cell_of(nusselt.kinetic))
                     : ",,,,";
}

std::string energy_cells(const SeriesRow& row) {
  const convection::Diagnosis& flow = row.diagnosis;
  return fmt::format("{},{},{},{},{},{}", flow.kinetic_energy, flow.dissipation, flow.buoyancy_work,
                     flow.wall_work, flow.force_work,
                     row.time_scheme ? cell_of(row.time_scheme->energy) : "");
}

std::string scalar_cells(const SeriesRow& row, std::size_t number) {
  const convection::Diagnosis::OfScalar& scalar = row.diagnosis.scalars[number];
  return fmt::format("{},{},{},{},{},{},{},{}", scalar.mean, scalar.min, scalar.max,
                     scalar.mean_square, scalar.dissipation, scalar.wall_production,
                     scalar.source_production,
                     row.time_scheme ? cell_of(row.time_scheme->scalars[number]) : "");
}

/// Only bounded scalars have this cell.
std::string numerical_cell(const SeriesRow& row, std::size_t number) {
  return "," + (row.time_scheme ? cell_of(row.time_scheme->numerical_dissipation[number])
                                : std::string());
}

}  // namespace

std::string series_heading(const convection::Problem& problem) {
  std::string heading =
      "step,time,dt,dt_limit,courant,nusselt_lower,nusselt_upper,nusselt_volume,nusselt_thermal,"
      "nusselt_kinetic,reynolds,kinetic_energy,dissipation,buoyancy_work,wall_work,force_work,"
      "time_scheme_work,divergence,cycles,ns_per_cell_step,max_u,max_v,max_w,"
      "cell_peclet,cell_over_batchelor,resolution";
  for (const convection::Scalar& scalar : problem.scalars) {
    heading += fmt::format(
        ",{0}_mean,{0}_least,{0}_most,{0}_mean_square,{0}_dissipation,{0}_wall_production,"
        "{0}_source_production,{0}_time_scheme_production",
        scalar.name);
    if (scalar.advection == convection::Advection::bounded) {
      heading += fmt::format(",{}_numerical_dissipation", scalar.name);
    }
    heading += fmt::format(
        ",{0}_flux_lower,{0}_flux_upper,{0}_flux_volume,{0}_difference,{0}_sherwood_lower,"
        "{0}_sherwood_upper,{0}_sherwood_volume",
        scalar.name);
  }
  return heading;
}

std::string series_line(const SeriesRow& row, const convection::Problem& problem,
                        bool drives_heat) {
  const convection::Diagnosis& flow = row.diagnosis;
  std::string line = fmt::format(
      "{},{},{},{},{},{},{},{:.4g},{},{},{},{},{}", row.step, row.time, row.dt,
      to_string(row.limit), row.courant,
      nusselt_cells(row, drives_heat) + "," + cell_of(convection::reynolds_number(problem, flow)),
      energy_cells(row), flow.divergence, row.cycles, row.seconds_per_cell_step * 1e9,
      flow.fastest_along[0], flow.fastest_along[1], flow.fastest_along[2]);
  const std::optional<double>& peclet = row.resolution.cell_peclet;
  line += fmt::format(",{},{},{}", peclet ? fmt::format("{:.4g}", *peclet) : "",
                      cell_of(row.resolution.cell_over_batchelor),
                      is_resolved(row.resolution) ? "resolved" : "under-resolved");
  for (std::size_t s = 0; s < flow.scalars.size(); ++s) {
    line += "," + scalar_cells(row, s);
    if (problem.scalars[s].advection == convection::Advection::bounded) {
      line += numerical_cell(row, s);
    }
    for (const convection::NamedNumber& number :
         convection::scalar_flux_figures(problem, s, flow)) {
      line += "," + cell_of(number.value);
    }
  }
  return line;
}

}  // namespace bankfull::convect
