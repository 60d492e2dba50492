#include "bankfull/app/options.hpp"
#include "bankfull/app/table.hpp"
#include "bankfull/core/base/format.hpp"
#include "bankfull/workloads/himeno/problem.hpp"

#include <cstdio>
#include <fmt/format.h>

namespace bankfull {
namespace {

void list_himeno() {
  fmt::print("himeno: 19-point Jacobi sweep of a pressure Poisson equation\n");
  Table sizes({"size", "grid", "updated points", "memory fp32", "memory fp64"});
  for (const himeno::StandardSize& size : himeno::standard_sizes()) {
    const auto memory = [&](Precision precision) {
      return format_bytes(static_cast<double>(himeno::memory_bytes(size.grid, precision)));
    };
    sizes.add_row({size.name, fmt::format("{}x{}x{}", size.grid.i, size.grid.j, size.grid.k),
                   fmt::format("{}", size.grid.updated_points()), memory(Precision::fp32),
                   memory(Precision::fp64)});
  }
  fmt::print("{}  schedules:", sizes.text());
  for (const himeno::Schedule schedule : himeno::all_schedules()) {
    fmt::print(" {}", himeno::to_string(schedule));
  }
  fmt::print("\n");
}

}  // namespace

void add_list_command(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand("list", "Workloads, their sizes and schedules");
  command->callback([&action] {
    action = [] {
      fmt::print("probe: bandwidth and latency of the memory system\n\n");
      list_himeno();
      return ExitCode::ok;
    };
  });
}

}  // namespace bankfull
