#include "bankfull/app/report.hpp"

#include "bankfull/app/table.hpp"
#include "bankfull/core/base/format.hpp"
#include "bankfull/core/base/printable.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

namespace bankfull {
namespace {

struct Shown {
  std::string unit;

  std::string operator()(bool value) const { return value ? "yes" : "no"; }
  std::string operator()(const std::string& value) const { return printable(value) + suffix(); }
  std::string operator()(std::int64_t value) const {
    return unit == "B" ? format_bytes(static_cast<double>(value))
                       : fmt::format("{}{}", value, suffix());
  }
  std::string operator()(double value) const {
    if (unit == "B") {
      return format_bytes(value);
    }
    if (unit == "s") {
      return format_seconds(value);
    }
    return unit == "B/s" ? format_si(value, unit) : fmt::format("{:.6g}{}", value, suffix());
  }

  [[nodiscard]] std::string suffix() const { return unit.empty() ? "" : " " + unit; }
};

std::string number_or_dash(std::optional<double> value, int decimals) {
  return value ? fmt::format("{:.{}f}", *value, decimals) : "-";
}

std::optional<double> in_billions(std::optional<double> value) {
  return value ? std::optional(*value * 1e-9) : std::nullopt;
}

std::string percent_text(const Measurement& measurement, const std::vector<std::string>& limits) {
  const auto percent = measurement.percent_of_bankfull();
  std::string text = percent ? fmt::format("{:.1f} %", *percent) : "-";
  if (percent && measurement.cache != CacheFit::beyond) {
    text += measurement.cache == CacheFit::inside ? " (cache)" : " (partly cache)";
  }
  text += measurement.quietness.noisy() ? " (noisy)" : "";
  return limits.empty() ? text : text + fmt::format(" ({})", fmt::join(limits, ", "));
}

/// Lines of a text, each once.
class Lines {
 public:
  void add(const std::string& text) {
    const std::string line = one_line(text);
    if (std::find(lines_.begin(), lines_.end(), line) == lines_.end()) {
      lines_.push_back(line);
    }
  }
  [[nodiscard]] std::string text() const {
    std::string all;
    for (const std::string& line : lines_) {
      all += "  " + line + "\n";
    }
    return all;
  }

 private:
  std::vector<std::string> lines_;
};

void add_ceiling_line(const Measurement& m, Lines& lines) {
  if (m.ceiling) {
    const std::string& source = m.ceiling->source;
    lines.add(fmt::format("bankfull = {} ({}, {})", format_si(m.ceiling->bytes_per_second, "B/s"),
                          m.ceiling->name,
                          source.empty() ? "measured in this run" : "from " + source));
  }
}

void add_cache_line(const Measurement& m, Lines& lines) {
  if (m.percent_of_bankfull() && m.cache == CacheFit::inside) {
    lines.add("(cache): the working set fits the last cache; this says nothing about memory");
  } else if (m.percent_of_bankfull() && m.cache == CacheFit::partly) {
    lines.add(
        "(partly cache): the last cache holds part of the working set, which is less than four "
        "times as large");
  }
}

/// "41..63 C"; of one value only "63 C".
std::string range_text(double min, double max, const std::string& unit) {
  return min == max ? fmt::format("{:.4g} {}", max, unit)
                    : fmt::format("{:.4g}..{:.4g} {}", min, max, unit);
}

/// Of all parts of a kind; empty if none has it.
std::optional<ObservedRange> range_of(const MachineState& machine, const std::string& kind,
                                      const std::string& name) {
  std::optional<ObservedRange> all;
  for (const ObservedPart& part : machine.parts) {
    for (const ObservedRange& range : part.during) {
      if (part.kind == kind && range.name == name) {
        all = all ? ObservedRange{.name = name,
                                  .min = std::min(all->min, range.min),
                                  .max = std::max(all->max, range.max),
                                  .unit = range.unit}
                  : range;
      }
    }
  }
  return all;
}

/// The first part's setting, as one that most have.
std::string setting_of(const MachineState& machine, const std::string& kind,
                       const std::string& name) {
  for (const ObservedPart& part : machine.parts) {
    for (const Figure& setting : part.settings) {
      if (part.kind == kind && setting.name == name) {
        return display(setting);
      }
    }
  }
  return {};
}

std::vector<std::string> state_of_gpus(const MachineState& machine) {
  std::vector<std::string> words;
  if (const auto celsius = range_of(machine, "gpu", "temperature")) {
    words.push_back(range_text(celsius->min, celsius->max, "C"));
  }
  if (const auto power = range_of(machine, "gpu", "power")) {
    const std::string limit = setting_of(machine, "gpu", "power_limit");
    words.push_back(
        fmt::format("up to {:.0f} W{}", power->max, limit.empty() ? "" : " of " + limit));
  }
  if (const auto clock = range_of(machine, "gpu", "sm_clock")) {
    words.push_back(range_text(clock->min, clock->max, "MHz"));
  }
  return words;
}

std::vector<std::string> state_of_hosts(const MachineState& machine) {
  std::vector<std::string> words;
  if (const auto celsius = range_of(machine, "host", "temperature")) {
    words.push_back(range_text(celsius->min, celsius->max, "C"));
  }
  const auto slowest = range_of(machine, "host", "slowest_processor");
  const auto fastest = range_of(machine, "host", "fastest_processor");
  if (slowest && fastest) {
    words.push_back(range_text(slowest->min, fastest->max, "MHz"));
  }
  if (const std::string governor = setting_of(machine, "host", "governor"); !governor.empty()) {
    words.push_back("governor " + governor);
  }
  if (const auto load = range_of(machine, "host", "load_average")) {
    words.push_back(fmt::format("load up to {:.2g}", load->max));
  }
  return words;
}

/// Why no energy is shown, if nothing was counted at all; short repeats need no mention.
std::string energy_note(const RunResult& result) {
  for (const Measurement& m : result.measurements) {
    if (m.energy && m.energy->is_known()) {
      return {};
    }
  }
  for (const Measurement& m : result.measurements) {
    if (m.energy) {
      return "energy unknown: " + m.energy->unknown_because;
    }
  }
  return {};
}

bool any_has_energy(const RunResult& result) {
  return std::any_of(result.measurements.begin(), result.measurements.end(),
                     [](const Measurement& m) { return m.joules().has_value(); });
}

/// "12.3 kJ" of a repeat at the mean power.
std::string energy_text(const Measurement& m) {
  const std::optional<double> joules = m.joules();
  return joules ? format_si(*joules, "J") : "-";
}

}  // namespace

std::string display(const Figure& figure) { return std::visit(Shown{figure.unit}, figure.value); }

std::string report_checks(const RunResult& result) {
  Table table({"check", "value", "reference", "deviation", "allowed", "verdict"});
  for (const Check& check : result.checks) {
    table.add_row({check.name, fmt::format("{:.9e}", check.value),
                   fmt::format("{:.9e}", check.reference), fmt::format("{:.1e}", check.deviation()),
                   fmt::format("{:.1e}", check.tolerance), check.passed() ? "ok" : "FAILED"});
  }
  return table.text();
}

std::string report_resolution(const RunResult& result) {
  Table table({"resolution", "value", "allowed", "verdict"});
  for (const Check& check : result.resolution) {
    table.add_row({check.name, fmt::format("{:.3g}", check.value),
                   fmt::format("{:.3g}", check.tolerance),
                   check.passed() ? "ok" : "UNDER-RESOLVED"});
  }
  return table.text();
}

std::string report_phases(const RunResult& result) {
  Table table({"phase", "seconds"});
  double all = 0.0;
  for (const Phase& phase : result.phases) {
    table.add_row({phase.name, fmt::format("{:.2f}", phase.seconds)});
    all += phase.seconds;
  }
  table.add_row({"all", fmt::format("{:.2f}", all)});
  return table.text();
}

std::string report_sources(const RunResult& result) {
  std::string text = "  references:\n";
  for (const Check& check : result.checks) {
    text += fmt::format("  - {}: {}\n", check.name, check.source);
  }
  return text + "\n";
}

std::string report_measurements(const RunResult& result) {
  std::vector<std::string> headings{"measurement", "median", "spread", "GFLOPS", "GB/s", "ceiling"};
  const bool has_energy = any_has_energy(result);
  if (has_energy) {
    headings.insert(headings.end(), {"energy", "GFLOPS/W"});
  }
  headings.emplace_back("of bankfull");
  Table table(headings);
  Lines ceilings;
  Lines caches;
  Lines disturbances;
  for (const Measurement& m : result.measurements) {
    const std::optional<double> spread = m.spread();
    const auto ceiling = m.ceiling ? std::optional(m.ceiling->bytes_per_second) : std::nullopt;
    std::vector<std::string> row{m.name,
                                 format_seconds(m.seconds.median),
                                 spread ? fmt::format("{:.1f} %", 100.0 * *spread) : "-",
                                 number_or_dash(in_billions(m.flops_per_second()), 2),
                                 number_or_dash(in_billions(m.bytes_per_second()), 1),
                                 number_or_dash(in_billions(ceiling), 1)};
    if (has_energy) {
      row.push_back(energy_text(m));
      row.push_back(number_or_dash(in_billions(m.flops_per_joule()), 3));
    }
    row.push_back(percent_text(m, result.limits_of(m)));
    table.add_row(row);
    add_ceiling_line(m, ceilings);
    add_cache_line(m, caches);
    for (const std::string& reason : m.quietness.disturbances()) {
      disturbances.add("(noisy): " + reason);
    }
  }
  return table.text() + ceilings.text() + caches.text() + disturbances.text() +
         report_machine(result);
}

std::string report_machine(const RunResult& result) {
  const MachineState& machine = result.machine;
  if (machine.parts.empty()) {
    return {};
  }
  std::vector<std::string> words = state_of_gpus(machine);
  if (words.empty()) {
    words = state_of_hosts(machine);
  }
  const std::vector<std::string> limits = machine.limits();
  const bool is_known = machine.is_throttling_known();
  words.push_back(limits.empty() && !is_known ? "throttling unknown"
                                              : verdict_on_machine(limits, is_known));
  Lines lines;
  const std::string energy = energy_note(result);
  lines.add(
      fmt::format("state: {}{}", fmt::join(words, ", "), energy.empty() ? "" : "; " + energy));
  for (const ObservedPart& part : machine.parts) {
    for (const std::string& finding : part.findings) {
      lines.add(fmt::format("{}: {}", part.name, finding));
    }
  }
  return lines.text();
}

std::string report_notes(const RunResult& result) {
  std::vector<std::string> notes;
  for (const Measurement& m : result.measurements) {
    for (const std::string& note : m.notes) {
      if (std::find(notes.begin(), notes.end(), note) == notes.end()) {
        notes.push_back(note);
      }
    }
  }
  std::string text;
  for (const std::string& note : notes) {
    text += fmt::format("  - {}\n", one_line(note));
  }
  return text;
}

}  // namespace bankfull
