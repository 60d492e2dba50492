#include "bankfull/core/measure/scaling_run.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/measure/run_context.hpp"

#include <fmt/format.h>

namespace bankfull {

void require_rank_counts(const std::vector<int>& counts, const Communicator& world) {
  require(!counts.empty() && counts.front() >= 1, "--ranks has no number of ranks",
          "name at least 1");
  require(counts.back() <= world.size(),
          fmt::format("--ranks {} is more than the {} of this run", counts.back(), world.size()),
          fmt::format("start it with mpirun -n {}", counts.back()));
}

void require_same_cores(Device device, const Communicator& world) {
  require(!device.is_cuda(), "--same-cores is for runs on CPUs",
          "leave it out, or add --device cpu");
  require(world.on_one_node(),
          "--same-cores: the ranks are on several nodes, and the first alone cannot have all their "
          "cores",
          "leave it out, or run on one node");
}

std::string note_on_threads(int ranks, int threads_per_rank, int total_threads) {
  const int used = threads_per_rank * ranks;
  return used == total_threads ? ""
                               : fmt::format(
                                     "{} ranks have {} threads in all, not {}: they do not "
                                     "divide",
                                     ranks, used, total_threads);
}

std::string ranks_text(int ranks) { return fmt::format("{} rank{}", ranks, ranks == 1 ? "" : "s"); }

void run_on(const FirstRanks& ranks, const Communicator& world,
            const std::function<void(const Communicator&)>& body) {
  bool complete = true;
  ranks.run([&](const Communicator& members) {
    complete = false;
    until_interrupted([&] {
      body(members);
      complete = true;
    });
  });
  if (!world.all(complete)) {
    throw Interrupted();
  }
}

void add_scaling(Scaling mode, const ScalingPoint& first, const ScalingPoint& point,
                 const std::string& unit_of_work, bool verified, Measurement& measurement) {
  measurement.name += fmt::format(" {}, {}", to_string(mode), ranks_text(point.ranks));
  measurement.parameters.insert(measurement.parameters.begin(), {"mode", to_string(mode)});
  measurement.figures.push_back({"seconds_per_" + unit_of_work, point.seconds, "s"});
  measurement.figures.push_back({"speedup", speedup_of(mode, first, point)});
  measurement.figures.push_back({"efficiency", 100.0 * efficiency_of(mode, first, point), "%"});
  measurement.figures.push_back({"verified", verified});
}

std::vector<std::string> notes_on_scaling(int first_ranks) {
  return {"speedup and efficiency are relative to " + ranks_text(first_ranks),
          "percent of bankfull: relative to what the ranks of the case sustain together"};
}

void share_verdict(RunResult& result, const Communicator& world) {
  const bool own = result.verified();
  if (!world.all(own) && own) {
    result.checks.push_back({.name = "verdict of the other ranks",
                             .value = 1.0,
                             .source = "checks that failed on another rank"});
  }
}

}  // namespace bankfull
