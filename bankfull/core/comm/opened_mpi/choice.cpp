#include "bankfull/core/comm/opened_mpi/choice.hpp"

#include "bankfull/core/base/enum_names.hpp"
#include "bankfull/core/base/error.hpp"

#include <algorithm>
#include <array>

namespace bankfull::opened_mpi {
namespace {

constexpr auto implementation_names = enum_names<Implementation>(
    {{Implementation::open_mpi, "openmpi"}, {Implementation::mpich, "mpich"}});

constexpr std::string_view none = "none";

bool any_is_set(const ReadVariable& variable, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(),
                     [&](const char* name) { return variable(name).has_value(); });
}

/// Those that find their ranks below the launcher that set these variables.
std::vector<Implementation> served_by_launcher(const ReadVariable& variable) {
  if (any_is_set(variable, {"OMPI_COMM_WORLD_SIZE"})) {
    return {Implementation::open_mpi};
  }
  if (any_is_set(variable, {"HYDI_CONTROL_FD", "MPI_LOCALNRANKS", "MV2_COMM_WORLD_SIZE"})) {
    return {Implementation::mpich};
  }
  // Slurm and others speak PMI, which is MPICH's protocol, or PMIx, which is Open MPI's; builds of
  // both libraries exist that know the other one.
  if (any_is_set(variable, {"PMI_RANK", "PMI_SIZE"}) && !any_is_set(variable, {"PMIX_RANK"})) {
    return {Implementation::mpich, Implementation::open_mpi};
  }
  return {Implementation::open_mpi, Implementation::mpich};
}

/// Without their folder. Debian's MPICH has a name of its own.
std::vector<std::string> file_names(Implementation implementation) {
  return implementation == Implementation::open_mpi
             ? std::vector<std::string>{"libmpi.so.40"}
             : std::vector<std::string>{"libmpi.so.12", "libmpich.so.12"};
}

}  // namespace

std::vector<Implementation> candidates(const ReadVariable& variable) {
  const std::optional<std::string> asked = variable("BANKFULL_MPI");
  if (!asked || asked->empty()) {
    return served_by_launcher(variable);
  }
  if (*asked == none) {
    return {};
  }
  return {implementation_names.parse(
      *asked, "BANKFULL_MPI is '" + *asked + "', which is no MPI implementation", {none})};
}

std::vector<std::string> library_files(Implementation implementation,
                                       const ReadVariable& variable) {
  if (const auto file = variable("BANKFULL_MPI_LIBRARY"); file && !file->empty()) {
    return {*file};
  }
  const std::optional<std::string> home = variable("MPI_HOME");
  std::vector<std::string> files;
  if (home && !home->empty()) {
    for (const std::string& name : file_names(implementation)) {
      files.push_back(*home + "/lib/" + name);
      files.push_back(*home + "/lib64/" + name);
    }
  }
  const std::vector<std::string> names = file_names(implementation);
  files.insert(files.end(), names.begin(), names.end());
  return files;
}

}  // namespace bankfull::opened_mpi
