#include "bankfull/app/reproduce/plan.hpp"

#include "bankfull/app/nearest_name.hpp"
#include "bankfull/core/base/error.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace bankfull::reproduce {
namespace {

using Words = std::vector<std::string>;

/// The words of a label, for --rows: letters, digits and what stands within sizes.
Words label_words(const std::string& label) {
  Words words{""};
  for (const char letter : label) {
    const bool plain = std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '^' ||
                       letter == '.' || letter == '-';
    if (plain) {
      words.back() += letter;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  std::erase(words, "");
  return words;
}

bool has_one_of(const Row& row, const Words& chosen) {
  const Words own = label_words(row.label);
  return chosen.empty() || std::ranges::any_of(chosen, [&](const std::string& word) {
           return std::ranges::find(own, word) != own.end();
         });
}

std::vector<const Item*> chosen_items(const Paper& paper, const Words& ids) {
  Words known;
  for (const Item& item : paper.items) {
    known.push_back(item.id);
  }
  for (const std::string& id : ids) {
    require(std::ranges::find(known, id) != known.end(),
            fmt::format("{} has no table or figure '{}'", paper.key, id),
            remedy_for_name(id, known));
  }
  std::vector<const Item*> items;
  for (const Item& item : paper.items) {
    if (ids.empty() || std::ranges::find(ids, item.id) != ids.end()) {
      items.push_back(&item);
    }
  }
  return items;
}

void require_known_words(const std::vector<const Item*>& items, const Words& chosen) {
  Words known;
  for (const Item* item : items) {
    for (const Row& row : item->rows) {
      for (const std::string& word : label_words(row.label)) {
        known.push_back(word);
      }
    }
  }
  for (const std::string& word : chosen) {
    const std::string nearest = nearest_name(word, known);
    require(std::ranges::find(known, word) != known.end(),
            fmt::format("--rows {}: no row that is asked for has this word", word),
            nearest.empty() ? "see --list TABLE" : "did you mean '" + nearest + "'?");
  }
}

bool names(const Words& command, const std::string& option) {
  return std::ranges::find(command, option) != command.end();
}

/// Takes the device that a command itself asks for out of it; empty: any.
std::string without_device(Words& command) {
  const auto option = std::ranges::find(command, "--device");
  if (option == command.end()) {
    return "";
  }
  std::string device = *(option + 1);
  command.erase(option, option + 2);
  return device;
}

/// Why the choice of the device leaves no way to run it.
std::string refusal_of(Words command, const Choice& choice) {
  return without_device(command) == "cuda" && choice.device_is_given && choice.device == "cpu"
             ? "it is of a GPU, and --device cpu was given"
             : "";
}

/// With its device at the end, whoever chose it, so that rows of one device share a step.
Step step_of(const Quantity& quantity, const Choice& choice, int ranks) {
  Words command = choice.quick ? quantity.quick : quantity.command;
  const std::string own = without_device(command);
  const bool both_gpu = own == "cuda" && choice.device.starts_with("cuda");
  const std::string device = own.empty() || both_gpu ? choice.device : own;
  if (choice.threads > 0 && !names(command, "--threads")) {
    command.insert(command.end(), {"--threads", fmt::format("{}", choice.threads)});
  }
  if (device != "auto") {
    command.insert(command.end(), {"--device", device});
  }
  return {.command = command, .ranks = quantity.ranks == 0 ? ranks : quantity.ranks};
}

std::size_t place_of_step(const Step& step, std::vector<Step>& steps) {
  const auto found = std::ranges::find(steps, step);
  if (found != steps.end()) {
    return static_cast<std::size_t>(found - steps.begin());
  }
  steps.push_back(step);
  return steps.size() - 1;
}

PlannedRow planned(const Item& item, const Row& row, const Choice& choice, int ranks,
                   std::vector<Step>& steps) {
  PlannedRow plan{.item = &item, .row = &row, .reason = row.reason};
  const bool related = row.relation != Relation::alone;
  if (plan.reason.empty() && choice.quick && row.is_long) {
    plan.reason = "it takes long and is left out by --quick";
  }
  for (const Quantity* quantity : {&row.ours, &row.other}) {
    if (plan.reason.empty()) {
      plan.reason = refusal_of(quantity->command, choice);
    }
  }
  if (!plan.reason.empty()) {
    return plan;
  }
  plan.ours = place_of_step(step_of(row.ours, choice, ranks), steps);
  if (related) {
    plan.other = place_of_step(step_of(row.other, choice, ranks), steps);
  }
  return plan;
}

}  // namespace

std::string Step::name() const {
  constexpr std::size_t longest = 180;  // names of files may have 255 bytes
  std::string name;
  for (const std::string& word : command) {
    name += name.empty() ? "" : "-";
    for (const char letter : word.substr(word.find_first_not_of('-'))) {
      const bool plain = std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '.';
      name += plain ? letter : '-';
    }
  }
  if (name.size() > longest) {
    name = name.substr(0, longest) + fmt::format("-{:x}", std::hash<std::string>{}(name));
  }
  return ranks == 1 ? name : name + fmt::format("-{}-ranks", ranks);
}

Plan make_plan(const Paper& paper, const Choice& choice, int ranks) {
  Plan plan{.paper = &paper, .items = chosen_items(paper, choice.items), .rows = {}, .steps = {}};
  require_known_words(plan.items, choice.words);
  for (const Item* item : plan.items) {
    for (const Row& row : item->rows) {
      if (has_one_of(row, choice.words)) {
        plan.rows.push_back(planned(*item, row, choice, ranks, plan.steps));
      }
    }
  }
  if (!choice.words.empty()) {
    std::erase_if(plan.items, [&](const Item* item) {
      return std::ranges::find(plan.rows, item, &PlannedRow::item) == plan.rows.end();
    });
  }
  return plan;
}

}  // namespace bankfull::reproduce
