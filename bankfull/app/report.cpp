#include "bankfull/app/report.hpp"

#include "bankfull/app/table.hpp"
#include "bankfull/core/base/format.hpp"
#include "bankfull/core/base/printable.hpp"

#include <algorithm>
#include <fmt/format.h>
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

std::string percent_text(const Measurement& measurement) {
  const auto percent = measurement.percent_of_bankfull();
  std::string text = percent ? fmt::format("{:.1f} %", *percent) : "-";
  if (percent && measurement.cache != CacheFit::beyond) {
    text += measurement.cache == CacheFit::inside ? " (cache)" : " (partly cache)";
  }
  return text + (measurement.quietness.noisy() ? " (noisy)" : "");
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

std::string report_sources(const RunResult& result) {
  std::string text = "  references:\n";
  for (const Check& check : result.checks) {
    text += fmt::format("  - {}: {}\n", check.name, check.source);
  }
  return text + "\n";
}

std::string report_measurements(const RunResult& result) {
  Table table({"measurement", "median", "spread", "GFLOPS", "GB/s", "ceiling", "of bankfull"});
  Lines ceilings;
  Lines caches;
  Lines disturbances;
  for (const Measurement& m : result.measurements) {
    const std::optional<double> spread = m.spread();
    const auto ceiling = m.ceiling ? std::optional(m.ceiling->bytes_per_second) : std::nullopt;
    table.add_row({m.name, format_seconds(m.seconds.median),
                   spread ? fmt::format("{:.1f} %", 100.0 * *spread) : "-",
                   number_or_dash(in_billions(m.flops_per_second()), 2),
                   number_or_dash(in_billions(m.bytes_per_second()), 1),
                   number_or_dash(in_billions(ceiling), 1), percent_text(m)});
    add_ceiling_line(m, ceilings);
    add_cache_line(m, caches);
    for (const std::string& reason : m.quietness.disturbances()) {
      disturbances.add("(noisy): " + reason);
    }
  }
  return table.text() + ceilings.text() + caches.text() + disturbances.text();
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
