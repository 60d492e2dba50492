#pragma once

#include "bankfull/app/manual/command_facts.hpp"

#include <string>

namespace bankfull::manual {

/// "bankfull-scaling-himeno.1"
std::string man_page_file(const CommandFacts& command);

/// The page of a command in the macros of man(7). `version` is that of the program.
std::string man_page(const CommandFacts& command, const std::string& version);

}  // namespace bankfull::manual
