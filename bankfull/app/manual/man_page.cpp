#include "bankfull/app/manual/man_page.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>

namespace bankfull::manual {
namespace {

/// Text as roff prints it: '-' as the character that can be searched for and copied, and no line
/// that roff takes for a request.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char letter : text) {
    const bool begins_line = out.empty() || out.back() == '\n';
    if (begins_line && (letter == '.' || letter == '\'')) {
      out += "\\&";
    }
    switch (letter) {
      case '\\':
        out += "\\e";
        break;
      case '-':
        out += "\\-";
        break;
      case '\'':
        out += "\\(aq";
        break;
      case '`':
        out += "\\(ga";
        break;
      case '^':
        out += "\\(ha";
        break;
      case '~':
        out += "\\(ti";
        break;
      case '"':
        out += "\\(dq";
        break;
      default:
        out += letter;
    }
  }
  return out;
}

std::string bold(const std::string& text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + escaped(text) + "\\fR"; }

std::string sentence(std::string text) {
  if (!text.empty() && !text.ends_with('.')) {
    text += '.';
  }
  return text;
}

std::string terms(const OptionFacts& option, bool is_argument) {
  std::string text;
  for (const std::string& name : option.names) {
    text += (text.empty() ? "" : ", ") + (is_argument ? italic(name) : bold(name));
  }
  if (!is_argument && !option.value.empty()) {
    text += " " + italic(option.value);
  }
  return text + (option.repeated ? " ..." : "");
}

std::string entry(const OptionFacts& option, bool is_argument) {
  std::string text =
      ".TP\n" + terms(option, is_argument) + "\n" + escaped(sentence(option.description)) + "\n";
  if (option.required) {
    text += "Required.\n";
  }
  if (!option.choices.empty()) {
    text += "Names: " + escaped(fmt::format("{}", fmt::join(option.choices, ", "))) + ".\n";
  }
  if (!option.default_value.empty()) {
    text += "Default: " + escaped(option.default_value) + ".\n";
  }
  if (!option.excludes.empty()) {
    text += "Not with " + escaped(fmt::format("{}", fmt::join(option.excludes, ", "))) + ".\n";
  }
  if (!option.variable.empty()) {
    text += "Environment: " + bold(option.variable) + ".\n";
  }
  return text;
}

std::string entries(const std::string& heading, const std::vector<OptionFacts>& options,
                    bool are_arguments) {
  std::string text = options.empty() ? "" : ".SH " + heading + "\n";
  for (const OptionFacts& option : options) {
    text += entry(option, are_arguments);
  }
  return text;
}

std::string commands(const CommandFacts& command) {
  std::string text = command.commands.empty() ? "" : ".SH COMMANDS\n";
  for (const CommandFacts& below : command.commands) {
    text += fmt::format(".TP\n{}(1)\n{}\n", bold(below.joined("-")),
                        escaped(sentence(below.description)));
  }
  return text;
}

std::string synopsis(const CommandFacts& command) {
  std::string text = ".SH SYNOPSIS\n" + bold(command.joined(" ")) + " [" + italic("options") + "]";
  if (!command.commands.empty()) {
    text += " " + italic("command");
  }
  for (const OptionFacts& argument : command.arguments) {
    const std::string name = italic(argument.names.front()) + (argument.repeated ? " ..." : "");
    text += argument.required ? " " + name : " [" + name + "]";
  }
  return text + "\n";
}

/// The headings of the parts of a footer.
constexpr const char* examples = "EXAMPLES";
constexpr const char* exit_codes = "EXIT STATUS";
constexpr const char* notes = "NOTES";

/// The footer is laid out already, so its lines stay as they are.
struct Footer {
  std::string part;  ///< in which the last line was; empty: none yet
  std::string text;

  void begin(const char* heading) {
    end();
    part = heading;
    text += fmt::format(".SH {}\n.nf\n", heading);
  }

  void end() {
    while (text.ends_with("\n\n")) {  // a blank line before a heading is one too many
      text.pop_back();
    }
    text += part.empty() ? "" : ".fi\n";
    part.clear();
  }
};

/// Adds a line of the footer; a blank one ends the examples.
void add_line(const std::string& line, Footer& footer) {
  if (line == "Examples:") {
    footer.begin(examples);
  } else if (line.starts_with("Exit codes:")) {
    footer.begin(exit_codes);
    footer.text += escaped(line) + "\n";
  } else if (line.empty() && (footer.part == examples || footer.part.empty())) {
    footer.end();
  } else {
    if (footer.part.empty()) {
      footer.begin(notes);
    }
    footer.text += line.empty() ? ".sp\n" : escaped(line) + "\n";
  }
}

std::string footer(const CommandFacts& command) {
  Footer footer;
  std::istringstream lines(command.footer);
  for (std::string line; std::getline(lines, line);) {
    add_line(line, footer);
  }
  footer.end();
  return footer.text;
}

std::string see_also(const CommandFacts& command) {
  std::vector<std::string> pages;
  for (std::size_t length = 1; length < command.path.size(); ++length) {
    const auto end = command.path.begin() + static_cast<std::ptrdiff_t>(length);
    pages.push_back(bold(fmt::format("{}", fmt::join(command.path.begin(), end, "-"))) + "(1)");
  }
  return pages.empty() ? "" : fmt::format(".SH SEE ALSO\n{}\n", fmt::join(pages, ", "));
}

/// One line: the section NAME may have no more.
std::string on_one_line(std::string text) {
  for (char& letter : text) {
    letter = letter == '\n' ? ' ' : letter;
  }
  return text;
}

}  // namespace

std::string man_page_file(const CommandFacts& command) { return command.joined("-") + ".1"; }

std::string man_page(const CommandFacts& command, const std::string& version) {
  const std::string title = command.joined("-");
  // Without a date, so that equal programs print equal pages. Names of variables and options are
  // not to be hyphenated, nor lines stretched.
  return fmt::format(".TH {} 1 \"\" \"bankfull {}\" \"bankfull\"\n.nh\n.ad l\n", escaped(title),
                     escaped(version)) +
         fmt::format(".SH NAME\n{} \\- {}\n", escaped(title),
                     escaped(on_one_line(command.description))) +
         synopsis(command) + entries("ARGUMENTS", command.arguments, true) +
         entries("OPTIONS", command.options, false) + commands(command) + footer(command) +
         see_also(command);
}

}  // namespace bankfull::manual
