#include "bankfull/workloads/convection/validation.hpp"

#include "bankfull/workloads/convection/validation/setting.hpp"

#include <array>
#include <string>

namespace bankfull::convection {
namespace {

/// How the cases of one kind are run.
struct Family {
  void (*check)(const ValidationSetting&, std::vector<Check>&);
  double share;  ///< of the time of the whole validation
};

Family family_of(ValidationPart part) {
  static constexpr std::array<Family, all_validation_parts.size()> families{
      {{check_invariants, 0.05},
       {check_exact_flows, 0.1},
       {check_critical_rayleigh_numbers, 0.2},
       {check_cavities, 0.35},
       {check_layers, 0.3}}};
  return families[static_cast<std::size_t>(part)];
}

}  // namespace

RunResult validate(const Validation& validation, const RunContext& context) {
  ValidationSetting setting(validation, context);
  double all = 0.0;
  std::string names;
  for (const ValidationPart part : validation.parts) {
    all += family_of(part).share;
    names += names.empty() ? "" : ",";
    names += validation_part_names.to_string(part);
  }
  RunResult result;
  result.workload = "convection";
  result.problem = {
      {.name = "validation", .value = validation_level_names.to_string(validation.level)},
      {.name = "parts", .value = names},
      {.name = "device", .value = to_string(validation.device)},
      {.name = "threads", .value = std::int64_t{validation.threads}}};
  double begin = 0.0;
  until_interrupted([&] {
    for (const ValidationPart part : validation.parts) {
      const Family family = family_of(part);
      const double end = begin + family.share / all;
      setting.set_part(begin, end);
      family.check(setting, result.checks);
      begin = end;
    }
  });
  return result;
}

}  // namespace bankfull::convection
