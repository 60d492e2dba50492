#include "bankfull/workloads/convection/validation.hpp"

#include "bankfull/workloads/convection/validation/cavities.hpp"
#include "bankfull/workloads/convection/validation/critical_rayleigh.hpp"
#include "bankfull/workloads/convection/validation/exact_flows.hpp"
#include "bankfull/workloads/convection/validation/invariants.hpp"
#include "bankfull/workloads/convection/validation/setting.hpp"

#include <array>
#include <string>
#include <vector>

namespace bankfull::convection {
namespace {

/// Cases of one kind, and where in the whole validation they end, by the time they take.
struct Family {
  std::vector<Check> (*check)(const ValidationSetting&);
  double end;
};

}  // namespace

RunResult validate(ValidationLevel level, Device device, int threads, Progress& progress) {
  constexpr std::array<Family, 4> families{
      Family{check_invariants, 0.05}, Family{check_exact_flows, 0.2},
      Family{check_critical_rayleigh_numbers, 0.55}, Family{check_cavities, 1.0}};
  ValidationSetting setting(level, device, threads, progress);
  RunResult result;
  result.workload = "convection";
  result.problem = {{.name = "validation",
                     .value = std::string(level == ValidationLevel::full ? "full" : "quick")},
                    {.name = "device", .value = to_string(device)},
                    {.name = "threads", .value = std::int64_t{threads}}};
  double begin = 0.0;
  for (const Family& family : families) {
    setting.set_part(begin, family.end);
    for (const Check& check : family.check(setting)) {
      result.checks.push_back(check);
    }
    begin = family.end;
  }
  return result;
}

}  // namespace bankfull::convection
