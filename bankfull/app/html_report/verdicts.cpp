#include "bankfull/app/html_report/verdicts.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>

namespace bankfull::html_report {
namespace {

/// The worst first. Noise says nothing of results that are wrong or missing.
constexpr std::array<std::string_view, 6> kinds{"failed", "incomplete", "under-resolved",
                                                "noisy",  "unchecked",  "verified"};

std::ptrdiff_t gravity_of(const std::string& kind) {
  return std::ranges::find(kinds, kind) - kinds.begin();
}

/// Calls `body` with the paper and the item, "npb-2020 table-2", and each row that has a value.
template <class Body>
void for_each_measured_row(const std::vector<reproduce::RecordedReproduction>& reproductions,
                           const Body& body) {
  for (const reproduce::RecordedReproduction& one : reproductions) {
    for (const reproduce::RecordedItem& item : one.items) {
      for (const reproduce::RecordedRow& row : item.rows) {
        if (row.ours) {
          body(one.paper + " " + item.id, row);
        }
      }
    }
  }
}

/// "3 of 12 runs": what is true of some.
std::string part_of(std::size_t count, const Counts& all, const std::string& verb_of_one,
                    const std::string& verb_of_many) {
  const std::string verb = count == 1 ? verb_of_one : verb_of_many;
  if (all.runs == 1) {
    return fmt::format("The {} {}", all.what, verb_of_one);
  }
  return count == all.runs ? fmt::format("All {} {}s {}", all.runs, all.what, verb_of_many)
                           : fmt::format("{} of {} {}s {}", count, all.runs, all.what, verb);
}

std::string bound_of(const Check& check) {
  return check.reference == 0.0
             ? fmt::format("at most {:.6g}", check.tolerance)
             : fmt::format("{:.6g} to within {:.3g} %", check.reference, 100.0 * check.tolerance);
}

std::string first_failure(const std::vector<Check>& checks) {
  std::vector<const Check*> failures;
  for (const Check& check : checks) {
    if (!check.passed()) {
      failures.push_back(&check);
    }
  }
  if (failures.empty()) {
    return "no check says why";
  }
  const std::size_t others = failures.size() - 1;
  return fmt::format(
      "{} is {:.6g}, not {}{}", failures.front()->name, failures.front()->value,
      bound_of(*failures.front()),
      others == 0 ? ""
                  : fmt::format("; {} other check{} failed too", others, others == 1 ? "" : "s"));
}

std::string first_disturbance(const RunResult& result) {
  std::vector<const Measurement*> noisy;
  for (const Measurement& measurement : result.measurements) {
    if (measurement.quietness.noisy()) {
      noisy.push_back(&measurement);
    }
  }
  if (noisy.empty()) {
    return "no measurement says why";
  }
  const std::size_t others = noisy.size() - 1;
  return fmt::format("{}: {}{}", noisy.front()->name,
                     fmt::join(noisy.front()->quietness.disturbances(), "; "),
                     others == 0 ? ""
                                 : fmt::format("; {} other measurement{} noisy too", others,
                                               others == 1 ? " was" : "s were"));
}

void add_faults(std::size_t n, const RunResult& result, std::vector<Fault>& faults) {
  if (result.verdict() == Verdict::failed) {
    faults.push_back({"failed", n, "Verification failed: " + first_failure(result.checks) + "."});
  }
  if (result.verdict() == Verdict::under_resolved) {
    faults.push_back(
        {"under-resolved", n,
         "The grid is too coarse for the flow: " + first_failure(result.resolution) + "."});
  }
  if (!result.complete()) {
    faults.push_back({"incomplete", n, "The run was ended early by " + result.ended_by + "."});
  }
  if (result.noisy()) {
    faults.push_back({"noisy", n, "Timings are noisy: " + first_disturbance(result) + "."});
  }
}

}  // namespace

Counts counts_of(const std::vector<ReportRun>& runs) {
  Counts counts{.runs = runs.size()};
  for (const ReportRun& one : runs) {
    const RunResult& result = one.run.result;
    switch (result.verdict()) {
      case Verdict::none:
        ++counts.unchecked;
        break;
      case Verdict::verified:
        ++counts.verified;
        break;
      case Verdict::under_resolved:
        ++counts.under_resolved;
        break;
      case Verdict::failed:
        ++counts.failed;
        break;
    }
    counts.noisy += result.noisy() ? 1U : 0U;
    counts.incomplete += result.complete() ? 0U : 1U;
  }
  return counts;
}

Counts counts_of(const std::vector<reproduce::RecordedReproduction>& reproductions) {
  Counts counts{.what = "row"};
  for_each_measured_row(reproductions, [&](const std::string& /*place*/, const auto& row) {
    ++counts.runs;
    counts.noisy += row.noisy ? 1U : 0U;
    counts.verified += row.verdict == "verified" ? 1U : 0U;
    counts.under_resolved += row.verdict == "under-resolved" ? 1U : 0U;
    counts.failed += row.verdict == "failed" ? 1U : 0U;
    counts.incomplete += row.verdict == "incomplete" ? 1U : 0U;
    counts.unchecked += row.verdict == "not applicable" ? 1U : 0U;
  });
  return counts;
}

std::string overall(const Counts& counts) {
  if (counts.runs == 0) {
    return "unchecked";
  }
  const std::array<std::size_t, kinds.size()> numbers{
      counts.failed, counts.incomplete, counts.under_resolved, counts.noisy, counts.unchecked, 1};
  const auto worst = std::ranges::find_if(numbers, [](std::size_t number) { return number > 0; });
  return std::string(kinds.at(static_cast<std::size_t>(worst - numbers.begin())));
}

std::string sentence(const Counts& counts) {
  std::vector<std::string> parts;
  const auto add = [&](std::size_t count, const char* verb_of_one, const char* verb_of_many) {
    if (count > 0) {
      parts.push_back(part_of(count, counts, verb_of_one, verb_of_many) + ".");
    }
  };
  add(counts.failed, "failed its verification", "failed their verification");
  add(counts.incomplete, "ended early", "ended early");
  add(counts.under_resolved, "was on too coarse a grid", "were on too coarse a grid");
  add(counts.noisy, "has noisy timings", "have noisy timings");
  add(counts.unchecked, "has no checks", "have no checks");
  add(counts.verified, "is verified", "are verified");
  return parts.empty() ? fmt::format("No {} was measured.", counts.what)
                       : fmt::format("{}", fmt::join(parts, " "));
}

std::vector<Fault> faults_of(const Inputs& inputs) {
  std::vector<Fault> faults;
  for (std::size_t n = 0; n < inputs.runs.size(); ++n) {
    add_faults(n, inputs.runs[n].run.result, faults);
  }
  for_each_measured_row(inputs.reproductions, [&](const std::string& place, const auto& row) {
    if (row.verdict == "failed") {
      faults.push_back(
          {"failed", {}, fmt::format("{}: {}: verification failed.", place, row.label)});
    }
  });
  std::ranges::stable_sort(faults, {}, [](const Fault& fault) { return gravity_of(fault.kind); });
  return faults;
}

std::string worse(const std::string& one, const std::string& other) {
  return gravity_of(one) <= gravity_of(other) ? one : other;
}

}  // namespace bankfull::html_report
