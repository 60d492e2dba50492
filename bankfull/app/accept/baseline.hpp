#pragma once

#include "bankfull/app/accept/reading.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace bankfull::accept {

/// What one gauge read on boards of one model.
struct BaselineEntry {
  std::string gauge;
  std::string unit;
  double median = 0.0;  ///< over boards, of the median over the runs of each
  double spread = 0.0;  ///< (largest - smallest) / median over all quiet runs, a fraction
  int boards = 0;
  int runs = 0;
};

/// What devices of a model do: the contents of a file of baselines/.
struct Baseline {
  std::string model;
  std::string from;  ///< dates of its runs, "2026-11-23 to 2026-11-27"
  std::vector<BaselineEntry> entries = {};

  [[nodiscard]] const BaselineEntry* find(const std::string& gauge) const;
};

/// One for each model among the runs; noisy measurements are left out.
std::vector<Baseline> make_baselines(const std::vector<recorded::RecordedRun>& runs);

/// As JSON; see docs/schema/baseline.schema.json.
std::string to_json(const Baseline& baseline);

/// Throws UsageError naming the file.
Baseline read_baseline(const std::filesystem::path& file);

/// The folder of those that come with the program; BANKFULL_BASELINES names another. Empty: there
/// is none.
std::filesystem::path baseline_folder();

/// That of a model, from that folder.
std::optional<Baseline> baseline_of(const std::string& model);

/// The name of the file of a model: "nvidia-h200.json".
std::string baseline_file_name(const std::string& model);

}  // namespace bankfull::accept
