#pragma once

#include "bankfull/core/machine/device.hpp"
#include "bankfull/core/measure/progress.hpp"
#include "bankfull/core/measure/run_result.hpp"

#include <array>
#include <string>
#include <vector>

namespace bankfull::convection {

enum class ValidationLevel {
  quick,  ///< a minute or two on two cores
  full,   ///< every case at every resolution: for a GPU
};

/// Cases of one kind.
enum class ValidationPart {
  invariants,  ///< what the discrete equations keep, what the solvers leave, agreement of schedules
  exact_flows,        ///< closed forms and manufactured solutions: decay, orders in space and time
  critical_rayleigh,  ///< where convection sets in
  cavities,           ///< steady flows of the literature
};

inline constexpr std::array all_validation_parts{
    ValidationPart::invariants, ValidationPart::exact_flows, ValidationPart::critical_rayleigh,
    ValidationPart::cavities};

/// As --validate-parts names it: "exact-flows".
std::string to_string(ValidationPart part);

/// Runs the cases of these parts, whose answers are known, and compares: one check a case, with its
/// source.
RunResult validate(ValidationLevel level, const std::vector<ValidationPart>& parts, Device device,
                   int threads, Progress& progress);

}  // namespace bankfull::convection
