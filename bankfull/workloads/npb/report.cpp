#include "bankfull/workloads/npb/report.hpp"

#include "bankfull/core/base/build_facts.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace bankfull::npb {
namespace {

std::string line(const std::string& key, const std::string& value) {
  return fmt::format(" {:<15} = {:>25}\n", key, value);
}

std::string upper_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
  return text;
}

}  // namespace

std::string result_block(const Outcome& outcome) {
  const BuildFacts& build = build_facts();
  return fmt::format("\n {} Benchmark Completed.\n", upper_case(to_string(outcome.kernel))) +
         line("Class", to_string(outcome.size)) + line("Size", outcome.facts.size) +
         line("Iterations", fmt::format("{}", outcome.facts.iterations)) +
         line("Time in seconds", fmt::format("{:.4f}", outcome.seconds)) +
         line("Total processes", fmt::format("{}", outcome.ranks)) +
         line("Total threads", fmt::format("{}", outcome.threads)) +
         line("Avail threads", fmt::format("{}", outcome.threads)) +
         line("Mop/s total", fmt::format("{:.2f}", outcome.mops())) +
         line("Mop/s/process", fmt::format("{:.2f}", outcome.mops() / outcome.ranks)) +
         line("Mop/s/thread", fmt::format("{:.2f}", outcome.mops() / outcome.threads)) +
         line("Operation type", outcome.facts.operation) +
         line("Verification", outcome.verified ? "SUCCESSFUL" : "UNSUCCESSFUL") +
         line("Version", "bankfull " + build.version) + line("Compiler", build.compiler);
}

}  // namespace bankfull::npb
