#pragma once

#include "bankfull/app/manual/command_facts.hpp"

#include <string>

namespace bankfull::manual {

/// Scripts that complete commands, options, their names and files, one for each shell. They run
/// nothing: all they offer is in them.
std::string bash_completion(const CommandFacts& program);
std::string zsh_completion(const CommandFacts& program);
std::string fish_completion(const CommandFacts& program);

}  // namespace bankfull::manual
