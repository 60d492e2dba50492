#include "bankfull/app/convect/ready_cases.hpp"
#include "bankfull/app/options.hpp"
#include "bankfull/app/table.hpp"
#include "bankfull/core/base/format.hpp"
#include "bankfull/workloads/himeno/problem.hpp"
#include "bankfull/workloads/hpcg/problem.hpp"
#include "bankfull/workloads/npb/benchmark.hpp"

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

void list_hpcg() {
  fmt::print("hpcg: conjugate gradients with multigrid on a 27-point operator\n");
  Table sizes({"local grid", "points", "memory a rank"});
  for (const std::int64_t side : {64, 104, 128, 192, 256, 320}) {
    hpcg::Problem problem;
    problem.local = {side, side, side};
    sizes.add_row({to_string(problem.local), fmt::format("{}", problem.local.count()),
                   format_bytes(static_cast<double>(hpcg::memory_bytes(problem, 1)))});
  }
  fmt::print("{}  variants:", sizes.text());
  for (const hpcg::Variant variant : hpcg::all_variants()) {
    fmt::print(" {}", hpcg::to_string(variant));
  }
  fmt::print("\n");
}

void list_npb() {
  fmt::print("npb: the NAS Parallel Benchmarks' kernels\n");
  std::vector<std::string> headings{"class"};
  for (const npb::Kernel kernel : npb::all_kernels) {
    headings.push_back(npb::to_string(kernel));
    headings.emplace_back("memory");
  }
  Table classes(headings);
  for (const npb::Class size : npb::all_classes) {
    npb::Problem problem;
    problem.size = size;
    std::vector<std::string> cells{npb::to_string(size)};
    for (const npb::Kernel kernel : npb::all_kernels) {
      cells.push_back(npb::facts_of(kernel, problem).size);
      cells.push_back(format_bytes(static_cast<double>(npb::memory_bytes(kernel, problem, 1))));
    }
    classes.add_row(cells);
  }
  fmt::print("{}  schedules: tuned reference\n", classes.text());
}

void list_convect() {
  fmt::print("convect: thermal convection, incompressible flow in the Boussinesq approximation\n");
  fmt::print("  ready cases, see bankfull convect --list-cases:");
  for (const auto& file : convect::ready_cases()) {
    fmt::print(" {}", file.stem().string());
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
      fmt::print("\n");
      list_hpcg();
      fmt::print("\n");
      list_npb();
      fmt::print("\n");
      list_convect();
      return ExitCode::ok;
    };
  });
}

}  // namespace bankfull
