#include "bankfull/app/suite/plan.hpp"

#include "bankfull/core/base/bytes.hpp"

#include <fmt/format.h>
#include <utility>

namespace bankfull::suite {
namespace {

using Arguments = std::vector<std::string>;

/// The sizes of the problems: far beyond the last cache, well within the memory.
struct Sizes {
  std::string himeno;
  std::string hpcg;
  std::string npb_class;
  std::string convection;
};

Sizes sizes_on_gpu(Level level, std::int64_t memory) {
  const bool large = memory >= 40 * gib;
  return {.himeno = large ? "XL" : "L",
          .hpcg = large ? "256x256x256" : "128x128x128",
          .npb_class = large && level == Level::full ? "D" : "C",
          .convection = large && level != Level::quick ? "512x512x512" : "256x256x256"};
}

Sizes sizes_on_cpu(Level level, const Machine& machine) {
  const bool small = level == Level::quick;
  const bool many = machine.threads * machine.ranks >= 8;
  const bool roomy = machine.memory_bytes >= 2 * gib;
  return {.himeno = level == Level::full ? "XL" : "L",
          .hpcg = roomy ? "104x104x104" : "64x64x64",
          .npb_class = small && !many                 ? "A"
                       : level == Level::full && many ? "C"
                                                      : "B",
          .convection = small && !many ? "128x128x128" : "256x256x256"};
}

class Planner {
 public:
  Planner(Level level, const Machine& machine)
      : level_(level),
        machine_(machine),
        sizes_(machine.device.is_cuda() ? sizes_on_gpu(level, machine.memory_bytes)
                                        : sizes_on_cpu(level, machine)) {}

  std::vector<Step> steps() {
    add_probe();
    add_himeno("fp32");
    add("npb", {"npb", "all", "--class", sizes_.npb_class},
        "sparse products, sorting, transforms and multigrid");
    add_convection("direct");
    add_hpcg();
    if (level_ != Level::quick) {
      add_himeno("fp64");
      add_convection("multigrid");
    }
    return std::move(steps_);
  }

 private:
  void add(const std::string& name, Arguments arguments, const std::string& purpose) {
    const bool by_rank = machine_.ranks > 1 && machine_.device.is_cuda();
    arguments.insert(arguments.end(), {"--device", by_rank ? "cuda" : to_string(machine_.device)});
    if (!machine_.device.is_cuda()) {
      arguments.insert(arguments.end(), {"--threads", fmt::format("{}", machine_.threads)});
    }
    steps_.push_back({.name = name, .arguments = std::move(arguments), .purpose = purpose});
  }

  [[nodiscard]] std::string seconds(double quick, double standard, double full) const {
    return fmt::format("{}", level_ == Level::quick      ? quick
                             : level_ == Level::standard ? standard
                                                         : full);
  }

  void add_probe() {
    if (machine_.ranks > 1) {
      add("link", {"probe", "link"}, "bandwidth and latency between ranks");
      return;
    }
    Arguments arguments{"probe", "all"};
    arguments.emplace_back(level_ == Level::full ? "--full" : "--quick");
    add("probe", std::move(arguments), "bandwidth and latency of the memory system");
  }

  void add_himeno(const std::string& precision) {
    add("himeno-" + precision,
        {"himeno", "--size", sizes_.himeno, "--precision", precision, "--schedule", "tuned,fused",
         "--target-seconds", seconds(2, 5, 20)},
        "a stencil with many streams");
  }

  void add_hpcg() {
    add("hpcg", {"hpcg", "--local", sizes_.hpcg, "--no-output", "--seconds", seconds(5, 30, 300)},
        "conjugate gradients with multigrid on a sparse matrix");
  }

  void add_convection(const std::string& solver) {
    add("convect-" + solver,
        {"convect", "rayleigh-1e7", "--set", "cells=" + sizes_.convection, "--set",
         "solver.pressure=" + solver, "--set", "time.steps=" + seconds(20, 50, 400)},
        "a flow solver, whole steps");
  }

  Level level_;
  Machine machine_;
  Sizes sizes_;
  std::vector<Step> steps_;
};

}  // namespace

double time_limit(Level level) {
  constexpr double minute = 60.0;
  switch (level) {
    case Level::quick:
      return 3.0 * minute;
    case Level::standard:
      return 15.0 * minute;
    case Level::full:
      return 60.0 * minute;
  }
  return 0.0;
}

std::vector<Step> plan(Level level, const Machine& machine) {
  return Planner(level, machine).steps();
}

}  // namespace bankfull::suite
