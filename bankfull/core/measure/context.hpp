#pragma once

#include "bankfull/core/comm/rank_survey.hpp"
#include "bankfull/core/measure/run_result.hpp"

#include <string>
#include <vector>

namespace bankfull {

/// A titled group of facts about the machine or the build, in display order.
struct FactGroup {
  std::string key;            ///< JSON key: "cpu"
  std::string title;          ///< for people: "Processor"
  std::vector<Figure> facts;  ///< named by their JSON keys
};

/// The machine and the build: the contents of `bankfull info` and the context of every
/// JSON result.
std::vector<FactGroup> context_facts();

/// Separates the devices of ranks in a result.
inline constexpr const char* between_devices = "; ";

/// How the ranks of a run are placed on the machine, for the context of its JSON result.
FactGroup rank_facts(const RankSurvey& ranks);

/// The environment variables that affect a run, as NAME=value: all
/// BANKFULL_*, OMP_*, CUDA_*, NCCL_* and OMPI_MCA_*, sorted, but for the folder of the launch.
std::vector<std::string> context_environment();

}  // namespace bankfull
