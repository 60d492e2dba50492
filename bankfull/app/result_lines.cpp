#include "bankfull/app/result_lines.hpp"

#include "bankfull/core/base/printable.hpp"
#include "bankfull/core/machine/cpu.hpp"
#include "bankfull/core/measure/verdict_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <optional>

namespace bankfull {
namespace {

/// How a unit stands in a key, and what a value in that unit is multiplied with.
struct KeyUnit {
  const char* unit;
  const char* word;
  double factor = 1.0;
};

constexpr std::array key_units{
    KeyUnit{"", ""},
    KeyUnit{"s", "seconds"},
    KeyUnit{"ns", "ns"},
    KeyUnit{"B", "bytes"},
    KeyUnit{"B/s", "gbs", 1e-9},
    KeyUnit{"%", "percent"},
    KeyUnit{"GFLOPS", "gflops"},
    KeyUnit{"MFLOPS", "mflops"},
    KeyUnit{"Mop/s", "mops"},
    KeyUnit{"instructions/s", "instructions_per_second"},
    KeyUnit{"Pentium III 600", ""},  // Himeno's score counts such machines
};

std::optional<KeyUnit> key_unit(const std::string& unit) {
  const auto* const found =
      std::find_if(key_units.begin(), key_units.end(),
                   [&](const KeyUnit& candidate) { return unit == candidate.unit; });
  return found == key_units.end() ? std::nullopt : std::optional(*found);
}

/// A unit that is not in the table: its letters and digits.
std::string plain_word(const std::string& unit) {
  std::string word;
  for (const char letter : unit) {
    const bool plain = std::isalnum(static_cast<unsigned char>(letter)) != 0;
    word += plain ? static_cast<char>(std::tolower(static_cast<unsigned char>(letter))) : '_';
  }
  return word;
}

/// Whether a name has the word between underscores.
bool says(const std::string& name, const std::string& word) {
  return ("_" + name + "_").find("_" + word + "_") != std::string::npos;
}

constexpr std::size_t max_value_length = 300;

/// A value without blanks or ends of lines, which would end it.
struct Plain {
  double factor = 1.0;

  std::string operator()(bool value) const { return value ? "yes" : "no"; }
  std::string operator()(std::int64_t value) const {
    return factor == 1.0 ? fmt::format("{}", value) : (*this)(static_cast<double>(value));
  }
  std::string operator()(double value) const { return fmt::format("{:.6g}", value * factor); }
  std::string operator()(const std::string& value) const {
    std::string shown = printable(value, max_value_length);
    std::replace(shown.begin(), shown.end(), ' ', '_');
    return shown;
  }
};

/// A line while it grows.
class ResultLine {
 public:
  explicit ResultLine(const std::string& workload) : text_("RESULT " + workload) {}

  void add(const std::string& key, const std::string& value) {
    text_ += fmt::format(" {}={}", key, Plain{}(value));
  }
  void add(const std::string& key, std::optional<double> value, double factor = 1.0) {
    if (value) {
      add(key, Plain{factor}(*value));
    }
  }
  /// But for those whose keys the line has already.
  void add(const std::vector<Figure>& figures) {
    for (const Figure& figure : figures) {
      const std::string key = result_key(figure);
      if (text_.find(" " + key + "=") == std::string::npos) {
        const double factor = key_unit(figure.unit).value_or(KeyUnit{"", ""}).factor;
        add(key, std::visit(Plain{factor}, figure.value));
      }
    }
  }

  [[nodiscard]] std::string text() const { return text_ + "\n"; }

 private:
  std::string text_;
};

}  // namespace

std::string result_key(const Figure& figure) {
  const auto unit = key_unit(figure.unit);
  const std::string word = unit ? unit->word : plain_word(figure.unit);
  return word.empty() || says(figure.name, word) ? figure.name : figure.name + "_" + word;
}

std::string result_value(const std::string& text) { return Plain{}(text); }

std::string result_lines(const RunResult& result) {
  std::string text;
  for (const Measurement& m : result.measurements) {
    ResultLine line(result.workload);
    line.add(m.parameters);
    line.add("seconds", m.seconds.median);
    line.add("seconds_min", m.seconds.min);
    line.add("spread_percent", m.spread(), 100.0);
    line.add("gflops", m.flops_per_second(), 1e-9);
    line.add("bandwidth_gbs", m.bytes_per_second(), 1e-9);
    if (m.ceiling) {
      line.add("ceiling_gbs", m.ceiling->bytes_per_second, 1e-9);
    }
    line.add("percent", m.percent_of_bankfull());
    line.add("joules", m.joules());
    line.add("watts", m.watts());
    line.add("gflops_per_watt", m.flops_per_joule(), 1e-9);
    line.add(m.figures);
    if (m.work.working_set_bytes > 0.0) {
      line.add("cache", to_string(m.cache));
    }
    line.add("host", survey_cpu().host_name);
    line.add("timing", m.quietness.noisy() ? "noisy" : "quiet");
    if (!result.machine.parts.empty()) {
      line.add("machine",
               verdict_on_machine(result.limits_of(m), result.machine.is_throttling_known()));
    }
    if (!result.complete()) {
      line.add("complete", "no");
    }
    line.add("verdict", verdict_names.to_string(result.verdict()));
    text += line.text();
  }
  return text;
}

}  // namespace bankfull
