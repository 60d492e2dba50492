#include "bankfull/core/machine/processor_load.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <sstream>
#include <string>
#include <unistd.h>
#include <utility>

namespace bankfull {
namespace {

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
