#pragma once

#include "bankfull/core/comm/rank_survey.hpp"
#include "bankfull/core/measure/run_result.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace bankfull {

/// A headed group of machine or build facts, in the order to show them.
struct FactGroup {
  std::string key;    ///< JSON key: "cpu"
  std::string title;  ///< for people: "Processor"
  std::vector<Figure> facts;
};

/// What machine this is and how the program was built: `bankfull info` and the context of every
/// JSON result.
std::vector<FactGroup> context_facts();

/// What stands between the devices of ranks in a result.
inline constexpr const char* between_devices = "; ";

/// How the ranks of a run lie on it, for the context of its JSON result.
FactGroup rank_facts(const RankSurvey& ranks);

/// The variables of the environment that change how programs like this one run, as NAME=value: all
/// BANKFULL_*, OMP_*, CUDA_*, NCCL_* and OMPI_MCA_*, sorted.
std::vector<std::string> context_environment();

/// Numbers as a list of ranges: "0-3,8". They must ascend.
std::string ranges_text(const std::vector<std::uint64_t>& numbers);

}  // namespace bankfull
