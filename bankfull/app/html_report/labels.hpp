#pragma once

#include <map>
#include <string>
#include <vector>

namespace bankfull::html_report {

/// What was asked for, by name.
using Settings = std::map<std::string, std::string>;

/// Labels for things of one name: the name, with the settings in which they differ. A setting that
/// only some of them have, for older results do not record it, is told only where it must be.
std::vector<std::string> labels_of(const std::string& name,
                                   const std::vector<const Settings*>& settings);

/// A thing to be labelled among those of its group that have its name.
struct Unlabelled {
  std::vector<std::string> group;
  std::string name;
  const Settings* settings = nullptr;
};

/// The labels of each, in their order.
std::vector<std::string> labels_within_groups(const std::vector<Unlabelled>& things);

}  // namespace bankfull::html_report
