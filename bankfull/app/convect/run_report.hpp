#pragma once

#include "bankfull/app/background_work.hpp"
#include "bankfull/app/convect/report_data.hpp"
#include "bankfull/app/folder_lock.hpp"
#include "bankfull/core/measure/timer.hpp"

#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

namespace bankfull::convect {

/// The report of a run as a page for browsers: the page itself, which is the same for all runs, and
/// beside it a script with the data, which the page reads again and again. A thread writes them, so
/// that the run is not delayed; at most a hundredth of the time and every two seconds.
///
/// Nothing throws: whatever goes wrong is reported once, and the next time it is tried again.
class RunReport {
 public:
  struct Places {
    std::filesystem::path page;
    std::filesystem::path data;
  };

  /// The lock, of the folder of both places, outlives the report: without it nothing is written.
  RunReport(ReportData data, Places places, const FolderLock& lock);

  [[nodiscard]] ReportData& data() { return data_; }

  /// Whether it may be written again.
  [[nodiscard]] bool is_due() const;

  /// Writes the page, and the data so far; waits until they are there. `seconds_before`: what the
  /// run has taken in earlier processes.
  void begin(double seconds_before);

  /// Writes the data so far. A copy of them: they may change at once. What it took to make them
  /// counts as time of writing.
  void write(double seconds_to_make = 0.0);

  /// Waits until what the data are now is written.
  void finish();

  /// What went wrong since the last call, in words.
  [[nodiscard]] std::vector<std::string> take_messages();

 private:
  template <class Text>
  void write_file(const std::filesystem::path& path, const Text& text);

  ReportData data_;
  Places places_;
  const FolderLock* lock_;
  Stopwatch since_begin_;
  Stopwatch since_write_;
  double longest_pause_ = 0.0;  ///< seconds between two writes

  mutable std::mutex mutex_;
  bool busy_ = false;
  double cost_ = 0.0;  ///< seconds that the last report took
  bool has_failed_ = false;
  std::vector<std::string> messages_;

  BackgroundWork work_;  ///< last: it needs all of the above
};

}  // namespace bankfull::convect
