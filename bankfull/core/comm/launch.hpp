#pragma once

#include <functional>
#include <optional>
#include <string>

namespace bankfull {

/// How this process was started, as far as its environment shows.
struct Launch {
  bool by_launcher = false;  ///< started by mpirun, srun or the like, so MPI is worth initialising
  int processes = 1;         ///< number of processes started together; 1 if unknown
  int rank = 0;              ///< of this process among them; 0 if unknown
};

/// Reads an environment variable; none if it is not set.
using ReadVariable = std::function<std::optional<std::string>(const char* name)>;

/// The process's own environment.
std::optional<std::string> read_environment(const char* name);

/// Evaluates the variables that launchers set for their processes.
Launch detect_launch(const ReadVariable& variable = read_environment);

}  // namespace bankfull
