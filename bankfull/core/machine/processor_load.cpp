#include "bankfull/core/machine/processor_load.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <ctime>
#include <sstream>
#include <string>
#include <unistd.h>
#include <utility>

namespace bankfull {
namespace {

/// A process that does this much does not need a core of its own.
constexpr double negligible_share = 0.25;

/// "cpu3 user nice system idle iowait irq softirq ...", in ticks: the number and the busy seconds.
std::optional<std::pair<int, double>> busy_in(const std::string& line) {
  std::istringstream words(line);
  std::string name;
  std::array<double, 7> ticks{};
  words >> name;
  for (double& each : ticks) {
    words >> each;
  }
  const bool is_one = name.starts_with("cpu") && name.size() > 3 &&
                      name.find_first_not_of("0123456789", 3) == std::string::npos;
  if (!words || !is_one) {
    return std::nullopt;
  }
  const auto per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  const double busy = ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6];
  return std::pair(std::stoi(name.substr(3)), busy / per_second);
}

double own_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double steady_seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

}  // namespace

std::map<int, double> busy_seconds(const SystemFiles& files, const std::vector<int>& processors) {
  std::map<int, double> all;
  std::istringstream lines(files.text("proc/stat").value_or(""));
  for (std::string line; std::getline(lines, line) && line.starts_with("cpu");) {
    const auto busy = busy_in(line);
    if (busy && std::find(processors.begin(), processors.end(), busy->first) != processors.end()) {
      all.insert(*busy);
    }
  }
  return all;
}

std::map<int, double> busy_shares(const std::map<int, double>& before,
                                  const std::map<int, double>& after, double elapsed) {
  std::map<int, double> shares;
  for (const auto& [number, seconds] : after) {
    const auto then = before.find(number);
    if (then != before.end() && elapsed > 0.0) {
      shares[number] = std::clamp((seconds - then->second) / elapsed, 0.0, 1.0);
    }
  }
  return shares;
}

double busy_cores(const std::vector<Processor>& ordered, const std::map<int, double>& shares) {
  std::map<int, double> cores;
  for (const Processor& processor : ordered) {
    const auto share = shares.find(processor.number);
    double& busy = cores[processor.core];
    busy = std::max(busy, share == shares.end() ? 0.0 : share->second);
  }
  double all = 0.0;
  for (const auto& [core, busy] : cores) {
    all += busy;
  }
  return all;
}

int free_cores(const std::vector<Processor>& ordered, const std::map<int, double>& shares) {
  const double taken = std::max(0.0, busy_cores(ordered, shares) - negligible_share);
  return std::max(1, core_count(ordered) - static_cast<int>(std::ceil(taken)));
}

OtherLoad::OtherLoad(SystemFiles files, std::vector<int> processors)
    : files_(std::move(files)), processors_(std::move(processors)), last_(read()) {}

OtherLoad::Reading OtherLoad::read() const {
  Reading reading{.seconds = steady_seconds(), .own = own_seconds()};
  for (const auto& [number, busy] : busy_seconds(files_, processors_)) {
    reading.busy += busy;
    ++reading.listed;
  }
  return reading;
}

std::optional<double> OtherLoad::take() {
  const Reading before = std::exchange(last_, read());
  const double elapsed = last_.seconds - before.seconds;
  if (last_.listed == 0 || last_.listed != before.listed || elapsed <= 0.0) {
    return std::nullopt;
  }
  const double others = (last_.busy - before.busy) - (last_.own - before.own);
  return std::max(0.0, others / elapsed);
}

}  // namespace bankfull
