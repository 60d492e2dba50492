#pragma once

#include "bankfull/app/reproduce/paper.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace bankfull::reproduce {

/// What of a paper is asked for, and how it is measured.
struct Choice {
  std::vector<std::string> items = {};  ///< ids; empty: all
  std::vector<std::string> words = {};  ///< rows whose labels have one of these words; empty: all
  bool quick = false;
  std::string device = "auto";   ///< as --device has it; auto: whatever the commands take
  bool device_is_given = false;  ///< rather than found
  int threads = 0;               ///< 0: the default
};

/// A command that runs once, whatever rows need it.
struct Step {
  std::vector<std::string> command;  ///< without "bankfull", and without where its results go
  int ranks = 1;

  /// Of its files: "himeno-size-XS-iterations-1", on several ranks with "-4-ranks".
  [[nodiscard]] std::string name() const;

  friend bool operator==(const Step&, const Step&) = default;
};

/// A row and the steps that measure it, by their places in the plan.
struct PlannedRow {
  const Item* item = nullptr;
  const Row* row = nullptr;
  std::optional<std::size_t> ours = {};
  std::optional<std::size_t> other = {};
  std::string reason = {};  ///< why it is not measured; empty: it is
};

struct Plan {
  const Paper* paper = nullptr;
  std::vector<const Item*> items;
  std::vector<PlannedRow> rows;  ///< in the order of items
  std::vector<Step> steps;
};

/// Throws UsageError where an item or a word is unknown, naming the nearest. `ranks`: those of the
/// run; rows of other numbers are planned too, for their results may be there from earlier runs.
Plan make_plan(const Paper& paper, const Choice& choice, int ranks);

}  // namespace bankfull::reproduce
