#pragma once

#include "bankfull/core/base/enum_names.hpp"
#include "bankfull/core/machine/device.hpp"
#include "bankfull/core/measure/run_context.hpp"
#include "bankfull/core/measure/run_result.hpp"

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
  cavities,           ///< flows of the literature in boxes
  layers,             ///< heat through layers, from steady rolls to turbulence
};

/// As --validate names them.
inline constexpr auto validation_level_names = enum_names<ValidationLevel>(
    {{ValidationLevel::quick, "quick"}, {ValidationLevel::full, "full"}});

/// As --validate-parts names them.
inline constexpr auto validation_part_names = enum_names<ValidationPart>({
    {ValidationPart::invariants, "invariants"},
    {ValidationPart::exact_flows, "exact-flows"},
    {ValidationPart::critical_rayleigh, "critical-rayleigh"},
    {ValidationPart::cavities, "cavities"},
    {ValidationPart::layers, "layers"},
});

inline constexpr auto all_validation_parts = validation_part_names.values();

/// What to validate, and where.
struct Validation {
  ValidationLevel level = ValidationLevel::quick;
  std::vector<ValidationPart> parts = {all_validation_parts.begin(), all_validation_parts.end()};
  Device device = Device::cpu();
  int threads = 1;
};

/// Runs the cases of these parts, whose answers are known, and compares: one check a case, with its
/// source.
RunResult validate(const Validation& validation, const RunContext& context);

}  // namespace bankfull::convection
