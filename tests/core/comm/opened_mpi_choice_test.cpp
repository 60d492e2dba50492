#include "bankfull/core/base/error.hpp"
#include "bankfull/core/comm/opened_mpi/choice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <string>

namespace bankfull::opened_mpi {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

constexpr auto open_mpi = Implementation::open_mpi;
constexpr auto mpich = Implementation::mpich;

ReadVariable variables(const std::map<std::string, std::string>& environment) {
  return [=](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::nullopt : std::optional(found->second);
  };
}

TEST(CandidatesForMpi, LaunchersServeTheirOwnLibrary) {
  EXPECT_THAT(candidates(variables({{"OMPI_COMM_WORLD_SIZE", "2"}, {"PMIX_RANK", "0"}})),
              ElementsAre(open_mpi));
  EXPECT_THAT(candidates(variables({{"PMI_RANK", "0"}, {"MPI_LOCALNRANKS", "2"}})),
              ElementsAre(mpich));
  EXPECT_THAT(candidates(variables({{"PMI_RANK", "0"}, {"HYDI_CONTROL_FD", "9"}})),
              ElementsAre(mpich));
  EXPECT_THAT(candidates(variables({{"MV2_COMM_WORLD_SIZE", "2"}})), ElementsAre(mpich));
}

TEST(CandidatesForMpi, LaunchersOfSeveralGiveAnOrder) {
  EXPECT_THAT(candidates(variables({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}})),
              ElementsAre(mpich, open_mpi));
  EXPECT_THAT(candidates(variables({{"PMIX_RANK", "0"}})), ElementsAre(open_mpi, mpich));
  EXPECT_THAT(candidates(variables({{"PMIX_RANK", "0"}, {"PMI_RANK", "0"}})),
              ElementsAre(open_mpi, mpich));
  EXPECT_THAT(candidates(variables({{"SLURM_STEP_NUM_TASKS", "2"}})), ElementsAre(open_mpi, mpich));
}

TEST(CandidatesForMpi, TheUserTakesPrecedence) {
  EXPECT_THAT(candidates(variables({{"OMPI_COMM_WORLD_SIZE", "2"}, {"BANKFULL_MPI", "mpich"}})),
              ElementsAre(mpich));
  EXPECT_THAT(candidates(variables({{"MPI_LOCALNRANKS", "2"}, {"BANKFULL_MPI", "openmpi"}})),
              ElementsAre(open_mpi));
  EXPECT_THAT(candidates(variables({{"MPI_LOCALNRANKS", "2"}, {"BANKFULL_MPI", ""}})),
              ElementsAre(mpich));
  EXPECT_THAT(candidates(variables({{"PMIX_RANK", "0"}, {"BANKFULL_MPI", "none"}})), IsEmpty());
}

TEST(CandidatesForMpi, AnUnknownNameIsRefusedWithTheKnownOnes) {
  EXPECT_THAT(
      [] {
        return candidates(variables({{"BANKFULL_MPI", "lam"}}));
      },
      ThrowsMessage<UsageError>(HasSubstr("'lam', which is no MPI implementation; use "
                                          "openmpi, mpich or none")));
}

TEST(FilesOfMpi, AreThoseOfTheImplementation) {
  EXPECT_THAT(library_files(open_mpi, variables({})), ElementsAre("libmpi.so.40"));
  EXPECT_THAT(library_files(mpich, variables({{"MPI_HOME", ""}, {"BANKFULL_MPI_LIBRARY", ""}})),
              ElementsAre("libmpi.so.12", "libmpich.so.12"));
}

TEST(FilesOfMpi, MpiHomeComesBeforeTheSystem) {
  EXPECT_THAT(
      library_files(open_mpi, variables({{"MPI_HOME", "/opt/mpi"}})),
      ElementsAre("/opt/mpi/lib/libmpi.so.40", "/opt/mpi/lib64/libmpi.so.40", "libmpi.so.40"));
}

TEST(FilesOfMpi, ANamedFileIsTheOnlyOne) {
  EXPECT_THAT(library_files(mpich, variables({{"MPI_HOME", "/opt/mpi"},
                                              {"BANKFULL_MPI_LIBRARY", "/cray/libmpi_gnu.so"}})),
              ElementsAre("/cray/libmpi_gnu.so"));
}

}  // namespace
}  // namespace bankfull::opened_mpi
