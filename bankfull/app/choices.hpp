#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

namespace bankfull {

/// Notes with an option of a command, or with an argument, the names that it takes, for completion
/// in shells. Nothing is refused by them: it may take other values, too. A function is asked only
/// when the names are needed, for those that come from a folder.
void offer(CLI::App& command, const std::string& option,
           std::function<std::vector<std::string>()> names);
void offer(CLI::App& command, const std::string& option, std::vector<std::string> names);

/// The names noted with an option; none where none are.
std::vector<std::string> offered(CLI::Option& option);

/// The names of values, as their `to_string` has them.
template <class Values>
std::vector<std::string> names_of(const Values& values) {
  std::vector<std::string> names;
  names.reserve(std::size(values));
  for (const auto& value : values) {
    names.push_back(to_string(value));
  }
  return names;
}

/// A list of names with one more.
std::vector<std::string> with_name(std::vector<std::string> names, const std::string& further);

}  // namespace bankfull
