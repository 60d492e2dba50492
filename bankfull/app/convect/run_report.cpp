#include "bankfull/app/convect/run_report.hpp"

#include "bankfull/app/convect/report_page.hpp"
#include "bankfull/app/output_file.hpp"

#include <algorithm>
#include <ctime>
#include <exception>
#include <memory>
#include <utility>

namespace bankfull::convect {
namespace {

constexpr double seconds_between_writes = 2.0;

/// Writing takes at most this part of the time.
constexpr double part_of_writing = 0.01;

}  // namespace

RunReport::RunReport(ReportData data, Places places, const FolderLock& lock)
    : data_(std::move(data)), places_(std::move(places)), lock_(&lock) {}

bool RunReport::is_due() const {
  const std::lock_guard lock(mutex_);
  return !busy_ &&
         since_write_.seconds() >= std::max(seconds_between_writes, cost_ / part_of_writing);
}

void RunReport::begin(double seconds_before) {
  data_.begin(seconds_before);
  work_.add([this] { write_file(places_.page, [] { return std::string(report_page()); }); });
  finish();
}

void RunReport::write(double seconds_to_make) {
  longest_pause_ = std::max(longest_pause_, since_write_.seconds());
  since_write_.restart();
  // Rows come as evenly as steps do; the first ones, and the measurements at the end, do not.
  constexpr double patience = 600.0;
  const double expected_within = patience + 3.0 * longest_pause_;
  const ReportData::Moment moment{.written = std::time(nullptr),
                                  .seconds = since_begin_.seconds(),
                                  .expected_within = expected_within};
  {
    const std::lock_guard lock(mutex_);
    busy_ = true;
  }
  work_.add([this, moment, seconds_to_make, data = std::make_shared<const ReportData>(data_)] {
    const Stopwatch writing;
    write_file(places_.data, [&] { return data->script(moment); });
    const std::lock_guard lock(mutex_);
    cost_ = seconds_to_make + writing.seconds();
    busy_ = false;
  });
}

void RunReport::finish() {
  write();
  work_.finish();
}

/// Whoever has moved or replaced the folder meanwhile is noticed elsewhere.
template <class Text>
void RunReport::write_file(const std::filesystem::path& path, const Text& text) {
  try {
    const std::string now = text();
    if (lock_->holds()) {
      StagedFile(path, now).replace();
    }
  } catch (const std::exception& failure) {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(has_failed_, true)) {
      messages_.push_back(std::string(failure.what()) + "; the run continues");
    }
  }
}

std::vector<std::string> RunReport::take_messages() {
  const std::lock_guard lock(mutex_);
  return std::exchange(messages_, {});
}

}  // namespace bankfull::convect
