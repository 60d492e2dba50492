#pragma once

#include <functional>
#include <optional>
#include <string>

namespace bankfull {

/// How this process was started, as far as its environment tells.
struct Launch {
  bool by_launcher = false;  ///< mpirun, srun or the like, so that MPI is worth starting
  int processes = 1;         ///< that were started together; 1 where nobody says
  int rank = 0;              ///< of this process among them; 0 where nobody says
};

/// Reads a variable of the environment; none where it is not set.
using ReadVariable = std::function<std::optional<std::string>(const char* name)>;

/// The process's own environment.
std::optional<std::string> read_environment(const char* name);

/// What the variables say that launchers set for their processes.
Launch detect_launch(const ReadVariable& variable = read_environment);

}  // namespace bankfull
