#include "bankfull/core/comm/launch.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

namespace bankfull {
namespace {

/// Variables that launchers set: Open MPI's mpirun, those that speak PMI (MPICH, Intel MPI, srun)
/// or PMIx, and MVAPICH2.
constexpr std::array launcher_variables{
    "OMPI_COMM_WORLD_SIZE", "PMI_RANK",           "PMI_SIZE", "PMIX_RANK",
    "MPI_LOCALNRANKS",      "MV2_COMM_WORLD_SIZE"};

/// The names under which a launcher states how many processes it started and which one this is.
struct Numbering {
  const char* processes;
  const char* rank;
};

// The first that is set counts. Slurm's come last: below an mpirun they describe the step that
// Slurm started for mpirun itself. SLURM_NTASKS is not among them: it is set in job scripts too,
// where a program is alone.
constexpr std::array numberings{Numbering{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                Numbering{"PMI_SIZE", "PMI_RANK"},
                                Numbering{"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},
                                Numbering{"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};

std::optional<int> number(const std::optional<std::string>& text) {
  int value = 0;
  if (!text) {
    return std::nullopt;
  }
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  return error == std::errc{} && end == text->data() + text->size() ? std::optional(value)
                                                                    : std::nullopt;
}

}  // namespace

std::optional<std::string> read_environment(const char* name) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): no thread changes the environment
  const char* const value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

Launch detect_launch(const ReadVariable& variable) {
  Launch launch;
  launch.by_launcher = std::any_of(launcher_variables.begin(), launcher_variables.end(),
                                   [&](const char* name) { return variable(name).has_value(); });
  for (const Numbering& names : numberings) {
    const auto processes = number(variable(names.processes));
    const auto rank = number(variable(names.rank));
    if (processes && rank) {
      launch.processes = *processes;
      launch.rank = *rank;
      launch.by_launcher = launch.by_launcher || *processes > 1;
      break;
    }
  }
  return launch;
}

}  // namespace bankfull
