#include "bankfull/app/report.hpp"

#include "bankfull/app/table.hpp"
#include "bankfull/core/base/format.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace bankfull {
namespace {

struct Shown {
  std::string unit;

  std::string operator()(bool value) const { return value ? "yes" : "no"; }
  std::string operator()(const std::string& value) const { return value + suffix(); }
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

/// A value as it stands in a RESULT line: no blanks, no unit scaling.
struct Plain {
  std::string operator()(bool value) const { return value ? "yes" : "no"; }
  std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
  std::string operator()(double value) const { return fmt::format("{:.6g}", value); }
  std::string operator()(std::string value) const {
    for (char& letter : value) {
      letter = letter == ' ' ? '_' : letter;
    }
    return value;
  }
};

std::string percent_text(const Measurement& measurement) {
  const auto percent = measurement.percent_of_bankfull();
  if (!percent) {
    return "-";
  }
  return fmt::format("{:.1f} %{}{}", *percent, measurement.fits_cache ? " (cache)" : "",
                     measurement.has_brief_ceiling() ? " (rough)" : "");
}

/// Each ceiling once; many runs have but one.
std::string ceilings_text(const RunResult& result) {
  std::string text;
  for (const Measurement& m : result.measurements) {
    if (!m.ceiling) {
      continue;
    }
    const std::string line =
        fmt::format("  bankfull = {} ({}, measured in this process)\n",
                    format_si(m.ceiling->bytes_per_second, "B/s"), m.ceiling->name);
    text += text.find(line) == std::string::npos ? line : "";
  }
  return text;
}

const char* verdict_of(const RunResult& result) {
  if (result.checks.empty()) {
    return "none";
  }
  return result.verified() ? "verified" : "failed";
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

std::string report_sources(const RunResult& result) {
  std::string text = "  references:\n";
  for (const Check& check : result.checks) {
    text += fmt::format("  - {}: {}\n", check.name, check.source);
  }
  return text + "\n";
}

std::string report_measurements(const RunResult& result) {
  Table table({"measurement", "median", "spread", "GFLOPS", "GB/s", "ceiling", "of bankfull"});
  bool any_fits_cache = false;
  for (const Measurement& m : result.measurements) {
    table.add_row({m.name, format_seconds(m.seconds.median),
                   fmt::format("{:.1f} %", 100.0 * m.seconds.spread()),
                   fmt::format("{:.2f}", m.flops_per_second() * 1e-9),
                   fmt::format("{:.1f}", m.bytes_per_second() * 1e-9),
                   m.ceiling ? fmt::format("{:.1f}", m.ceiling->bytes_per_second * 1e-9) : "-",
                   percent_text(m)});
    any_fits_cache = any_fits_cache || (m.fits_cache && m.ceiling);
  }
  std::string text = table.text() + ceilings_text(result);
  if (any_fits_cache) {
    text += "  (cache): the working set fits a cache, so this says nothing about memory\n";
  }
  return text;
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
    text += fmt::format("  - {}\n", note);
  }
  return text;
}

std::string result_lines(const RunResult& result) {
  std::string text;
  for (const Measurement& m : result.measurements) {
    text += fmt::format("RESULT {}", result.workload);
    for (const Figure& figure : m.parameters) {
      text += fmt::format(" {}={}", figure.name, std::visit(Plain{}, figure.value));
    }
    text += fmt::format(" seconds={:.6g} gflops={:.6g} gbs={:.6g}", m.seconds.median,
                        m.flops_per_second() * 1e-9, m.bytes_per_second() * 1e-9);
    if (const auto percent = m.percent_of_bankfull()) {
      text += fmt::format(" percent={:.4g}", *percent);
      text += m.has_brief_ceiling() ? " ceiling=brief" : "";
    }
    for (const Figure& figure : m.figures) {
      text += fmt::format(" {}={}", figure.name, std::visit(Plain{}, figure.value));
    }
    text += fmt::format(" cache={} verdict={}\n", Plain{}(m.fits_cache), verdict_of(result));
  }
  return text;
}

}  // namespace bankfull
