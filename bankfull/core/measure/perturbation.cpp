#include "bankfull/core/measure/perturbation.hpp"

#include <cmath>
#include <fmt/format.h>

namespace bankfull {

std::string perturbation_note(double epsilon) {
  return fmt::format(
      "the measured operator is multiplied by 1 + {} on purpose: these figures are not results",
      epsilon);
}

Figure perturbation_parameter(double epsilon) {
  Figure parameter{.name = "perturbation", .value = epsilon};
  if (!std::isfinite(epsilon)) {
    parameter.value = fmt::format("{}", epsilon);
  }
  return parameter;
}

Check perturbation_check(double epsilon, const std::string& subject) {
  return {.name = subject + (subject.empty() ? "" : " ") + perturbation_check_name,
          .value = epsilon,
          .reference = 0.0,
          .tolerance = 0.0,
          .source = "a perturbed run is not a result, whether the other checks see it or not"};
}

void add_perturbation(double epsilon, std::vector<std::string>& notes) {
  if (epsilon != 0.0) {
    notes.push_back(perturbation_note(epsilon));
  }
}

void add_perturbation(double epsilon, std::vector<Figure>& parameters) {
  if (epsilon != 0.0) {
    parameters.push_back(perturbation_parameter(epsilon));
  }
}

void add_perturbation(double epsilon, std::vector<Check>& checks, const std::string& subject) {
  if (epsilon != 0.0) {
    checks.push_back(perturbation_check(epsilon, subject));
  }
}

}  // namespace bankfull
