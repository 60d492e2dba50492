#include "bankfull/core/comm/rank_survey.hpp"

#include "bankfull/build_config.hpp"
#include "bankfull/core/comm/launch.hpp"
#include "bankfull/core/comm/parallel_run.hpp"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/machine/gpu.hpp"

#include <algorithm>
#include <functional>
#include <sched.h>

namespace bankfull {
namespace {

bool overlap(const std::vector<std::uint64_t>& some, const std::vector<std::uint64_t>& others) {
  return std::any_of(some.begin(), some.end(), [&](std::uint64_t thing) {
    return std::find(others.begin(), others.end(), thing) != others.end();
  });
}

}  // namespace

std::vector<std::uint64_t> usable_processors() {
  std::vector<std::uint64_t> processors;
  // Larger than any machine's: the system refuses sets that are too small for it.
  constexpr std::size_t most = std::size_t{1} << 16;
  std::vector<unsigned char> storage(CPU_ALLOC_SIZE(most));
  auto* const set = reinterpret_cast<cpu_set_t*>(storage.data());
  if (sched_getaffinity(0, storage.size(), set) == 0) {
    for (std::size_t n = 0; n < most; ++n) {
      if (CPU_ISSET_S(n, storage.size(), set)) {
        processors.push_back(n);
      }
    }
  }
  return processors;
}

Sharers sharers_on_node(const Communicator& ranks, const std::vector<std::uint64_t>& things) {
  const std::vector<int> nodes = ranks.all_gather(ranks.node());
  const auto all = ranks.all_gather(things);
  Sharers sharers;
  for (int rank = 0; rank < ranks.size(); ++rank) {
    const auto other = static_cast<std::size_t>(rank);
    if (rank != ranks.rank() && nodes[other] == ranks.node() && overlap(things, all[other])) {
      sharers.place += rank < ranks.rank() ? 1 : 0;
      ++sharers.count;
    }
  }
  return sharers;
}

int default_threads(const Communicator& ranks) {
  const int sharers = sharers_on_node(ranks, usable_processors()).count;
  const int all = Team::default_threads();
  return read_environment("OMP_NUM_THREADS") ? all : std::max(1, all / sharers);
}

Sharers sharers_of_gpus(const Communicator& ranks) {
  std::vector<std::uint64_t> gpus;
  for (const GpuInfo& gpu : survey_gpus().gpus) {
    gpus.push_back(std::hash<std::string>{}(gpu.uuid));
  }
  return sharers_on_node(ranks, gpus);
}

int sharers_of_device(const Communicator& ranks, Device device) {
  const std::string name =
      device.is_cuda() ? survey_gpus().gpus.at(static_cast<std::size_t>(device.index)).uuid : "cpu";
  return sharers_on_node(ranks, {std::hash<std::string>{}(name)}).count;
}

RankSurvey survey_ranks(const Communicator& ranks) {
  RankSurvey survey{
      .ranks = ranks.size(),
      .nodes = static_cast<int>(ranks.max(std::int64_t{ranks.node()})) + 1,
      .ranks_per_node = static_cast<int>(ranks.max(std::int64_t{ranks.local_size()})),
      .default_threads = default_threads(ranks),
  };
  if constexpr (build::mpi) {
    survey.mpi_library = detail::mpi_library();
  }
  return survey;
}

}  // namespace bankfull
