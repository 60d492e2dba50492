#include "bankfull/app/reproduce/take.hpp"

#include "bankfull/app/counts.hpp"
#include "bankfull/core/base/format.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace bankfull::reproduce {
namespace {

using recorded::RecordedRun;
using Number = std::optional<InBaseUnits>;

bool matches(std::string pattern, const std::string& text) {
  const bool any_before = pattern.starts_with('*');
  const bool any_after = pattern.size() > 1 && pattern.ends_with('*');
  pattern = pattern.substr(any_before ? 1 : 0);
  pattern = pattern.substr(0, pattern.size() - (any_after ? 1 : 0));
  if (any_before && any_after) {
    return text.find(pattern) != std::string::npos;
  }
  if (any_before) {
    return text.ends_with(pattern);
  }
  return any_after ? text.starts_with(pattern) : text == pattern;
}

bool is_meant(const Measurement& m, const Quantity& quantity) {
  return std::ranges::all_of(quantity.where, [&](const auto& condition) {
    const auto found = std::ranges::find(m.parameters, condition.first, &Figure::name);
    return found != m.parameters.end() && matches(condition.second, recorded::text_of(*found));
  });
}

Number figure_of(const std::vector<Figure>& figures, const std::string& name) {
  const auto value = recorded::number(figures, name);
  if (!value) {
    return std::nullopt;
  }
  return in_base_units(*value, std::ranges::find(figures, name, &Figure::name)->unit);
}

Number stated(std::optional<double> value, const std::string& unit) {
  return value ? Number(InBaseUnits{*value, unit}) : std::nullopt;
}

/// Of the repeats; a single one has none.
std::optional<double> standard_deviation(const std::vector<double>& samples) {
  if (samples.size() < 2) {
    return std::nullopt;
  }
  const auto count = static_cast<double>(samples.size());
  double mean = 0.0;
  for (const double sample : samples) {
    mean += sample / count;
  }
  double squares = 0.0;
  for (const double sample : samples) {
    squares += (sample - mean) * (sample - mean);
  }
  return std::sqrt(squares / (count - 1.0));
}

/// A number that every measurement has, or one of its figures.
Number number_of(const Measurement& m, const std::string& name) {
  if (name == "seconds") {
    return InBaseUnits{m.seconds.median, "s"};
  }
  if (name == "stdev") {
    return stated(standard_deviation(m.seconds.samples), "s");
  }
  if (name == "bandwidth") {
    return stated(m.bytes_per_second(), "B/s");
  }
  if (name == "percent") {
    return stated(m.percent_of_bankfull(), "%");
  }
  if (name == "working_set") {
    return InBaseUnits{m.work.working_set_bytes, "B"};
  }
  return figure_of(m.figures, name);
}

/// One of the measurements that are meant, or what they are together.
Taken of_measurements(const RecordedRun& run, const Quantity& quantity, const std::string& name) {
  Taken taken;
  for (const Measurement& m : run.result.measurements) {
    const Number number = is_meant(m, quantity) ? number_of(m, name) : std::nullopt;
    if (!number) {
      continue;
    }
    const bool is_first = !taken.number;
    if (is_first || (quantity.pick == Pick::most && number->value > taken.number->value)) {
      taken = {.number = number, .percent = m.percent_of_bankfull()};
    } else if (quantity.pick == Pick::sum) {
      taken.number->value += number->value;
      taken.percent.reset();
    }
  }
  return taken;
}

Taken of_check(const RecordedRun& run, const std::string& name) {
  const auto found = std::ranges::find(run.result.checks, name, &Check::name);
  return found == run.result.checks.end() ? Taken{}
                                          : Taken{.number = InBaseUnits{found->value, ""}};
}

Taken of_series(const RecordedRun& run, const std::string& name, std::optional<double> at) {
  const auto series = std::ranges::find(run.result.series, name, &Series::name);
  if (series == run.result.series.end() || series->points.empty()) {
    return {};
  }
  auto point = series->points.end() - 1;
  if (at) {
    point = std::ranges::find(series->points, *at, &std::pair<double, double>::first);
    if (point == series->points.end()) {
      return {};
    }
  }
  return {.number = in_base_units(point->second, series->y_unit)};
}

Taken of_result(const RecordedRun& run, const Quantity& quantity) {
  const std::string& figure = quantity.figure;
  for (const std::string kind : {"check ", "series "}) {
    if (figure.starts_with(kind)) {
      const std::string name = figure.substr(kind.size());
      return kind == "check " ? of_check(run, name) : of_series(run, name, quantity.at);
    }
  }
  for (const std::string& name : parts_of(figure, ' ')) {
    Taken taken = of_measurements(run, quantity, name);
    if (!taken.number) {
      taken.number = figure_of(run.result.problem, name);
    }
    if (taken.number) {
      return taken;
    }
  }
  return {};
}

double ranks_of(const RecordedRun& run) {
  const auto ranks = parse_whole(recorded::fact(run, "ranks", "ranks").value_or("1"));
  return static_cast<double>(ranks.value_or(1));
}

std::string text_of(const Quantity& quantity) {
  std::string text = quantity.figure;
  for (const auto& [name, value] : quantity.where) {
    text += fmt::format(", {} {}", name, value);
  }
  return quantity.at ? text + fmt::format(", at {:g}", *quantity.at) : text;
}

double related(const Row& row, double ours, double other) {
  constexpr double percent = 100.0;
  switch (row.relation) {
    case Relation::divided_by:
      return ours / other;
    case Relation::minus:
      return ours - other;
    case Relation::deviation_from:
      return percent * std::abs(ours / other - 1.0);
    case Relation::alone:
      break;
  }
  return ours;
}

}  // namespace

Taken take(const RecordedRun& run, const Quantity& quantity) {
  Taken taken = of_result(run, quantity);
  if (!taken.number) {
    taken.reason = fmt::format("the result has no such figure: {}", text_of(quantity));
  } else if (quantity.per_rank) {
    taken.number->value /= ranks_of(run);
  }
  return taken;
}

Taken take_row(const Row& row, const RecordedRun& ours, const RecordedRun* other) {
  Taken taken = take(ours, row.ours);
  if (!taken.number || other == nullptr) {
    if (taken.number) {
      taken.number->value *= row.times / in_base_units(1.0, row.unit).value;
      taken.number->unit = row.unit;
    }
    return taken;
  }
  Taken second = take(*other, row.other);
  if (!second.number) {
    return second;
  }
  const double value = related(row, taken.number->value, second.number->value);
  return {.number = InBaseUnits{row.times * value / in_base_units(1.0, row.unit).value, row.unit}};
}

}  // namespace bankfull::reproduce
