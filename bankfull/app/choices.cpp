#include "bankfull/app/choices.hpp"

#include <sstream>
#include <utility>

namespace bankfull {
namespace {

constexpr const char* note_name = "choices";

}  // namespace

// CLI11 has no place for notes on an option, but an inactive validator, which neither checks nor
// is shown by --help, is one: a copy that is active writes the names, one a line.
void offer(CLI::App& command, const std::string& option,
           std::function<std::vector<std::string>()> names) {
  CLI::Validator note(
      [names = std::move(names)](std::string& lines) {
        for (const std::string& name : names()) {
          lines += name + '\n';
        }
        return std::string();
      },
      "", note_name);
  note.active(false);
  command.get_option(option)->check(note);
}

void offer(CLI::App& command, const std::string& option, std::vector<std::string> names) {
  offer(command, option, [names = std::move(names)] { return names; });
}

std::vector<std::string> offered(CLI::Option& option) {
  CLI::Validator note;
  try {
    note = *option.get_validator(note_name);
  } catch (const CLI::OptionNotFound&) {
    return {};
  }
  std::string lines;
  note.active().non_modifying(false);  // check() made it one that does not write
  note(lines);
  std::vector<std::string> names;
  std::istringstream rest(lines);
  for (std::string name; std::getline(rest, name);) {
    names.push_back(name);
  }
  return names;
}

std::vector<std::string> with_name(std::vector<std::string> names, const std::string& further) {
  names.push_back(further);
  return names;
}

}  // namespace bankfull
