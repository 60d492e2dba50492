#include "bankfull/core/comm/rank_survey.hpp"

#include "bankfull/build_config.hpp"
#include "bankfull/core/comm/launch.hpp"
#include "bankfull/core/comm/parallel_run.hpp"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/machine/gpu.hpp"
#include "bankfull/core/machine/processors.hpp"

#include <algorithm>
#include <functional>

namespace bankfull {
namespace {

bool overlap(const std::vector<std::uint64_t>& some, const std::vector<std::uint64_t>& others) {
  return std::any_of(some.begin(), some.end(), [&](std::uint64_t thing) {
    return std::find(others.begin(), others.end(), thing) != others.end();
  });
}

/// Collective: the ranks of this rank's node that can use any of the same things, this one
/// included.
std::vector<int> ranks_that_share(const Communicator& ranks,
                                  const std::vector<std::uint64_t>& things) {
  const std::vector<int> nodes = ranks.all_gather(ranks.node());
  const auto all = ranks.all_gather(things);
  std::vector<int> sharing;
  for (int rank = 0; rank < ranks.size(); ++rank) {
    const auto other = static_cast<std::size_t>(rank);
    const bool shares = nodes[other] == ranks.node() && overlap(things, all[other]);
    if (rank == ranks.rank() || shares) {
      sharing.push_back(rank);
    }
  }
  return sharing;
}

}  // namespace

std::vector<std::uint64_t> usable_processors() {
  const std::vector<int>& numbers = process_processors();
  return {numbers.begin(), numbers.end()};
}

Sharers sharers_on_node(const Communicator& ranks, const std::vector<std::uint64_t>& things) {
  const std::vector<int> sharing = ranks_that_share(ranks, things);
  const auto own = std::find(sharing.begin(), sharing.end(), ranks.rank());
  const auto all = ranks.all_gather(things);
  return {.place = static_cast<int>(own - sharing.begin()),
          .count = static_cast<int>(sharing.size()),
          .are_alike = std::all_of(sharing.begin(), sharing.end(), [&](int rank) {
            return all[static_cast<std::size_t>(rank)] == things;
          })};
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

std::vector<int> ranks_on_device(const Communicator& ranks, Device device) {
  std::string name = to_string(device);
  if (device.is_cuda()) {  // looking for GPUs takes each rank a time that others wait for
    const std::vector<GpuInfo>& gpus = survey_gpus().gpus;
    const auto index = static_cast<std::size_t>(device.index);
    name = index < gpus.size() ? gpus[index].uuid : name;  // plans are made for others too
  }
  return ranks_that_share(ranks, {std::hash<std::string>{}(name)});
}

int sharers_of_device(const Communicator& ranks, Device device) {
  return static_cast<int>(ranks_on_device(ranks, device).size());
}

RankSurvey survey_ranks(const Communicator& ranks) {
  RankSurvey survey{
      .ranks = ranks.size(),
      .nodes = static_cast<int>(ranks.max(std::int64_t{ranks.node()})) + 1,
      .ranks_per_node = static_cast<int>(ranks.max(std::int64_t{ranks.local_size()})),
      .default_threads = default_threads(ranks),
  };
  if constexpr (build::mpi) {
    if (detail::has_mpi_library(detect_launch())) {
      survey.mpi_library = detail::mpi_library();
    }
  }
  return survey;
}

}  // namespace bankfull
