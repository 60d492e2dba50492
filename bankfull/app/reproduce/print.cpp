#include "bankfull/app/reproduce/print.hpp"

#include "bankfull/app/result_lines.hpp"
#include "bankfull/app/step.hpp"
#include "bankfull/app/table.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace bankfull::reproduce {
namespace {

std::string with_unit(double value, const std::string& unit) {
  if (std::isnan(value)) {
    return "-";
  }
  return fmt::format("{:.6g}{}{}", value, unit.empty() ? "" : " ", unit);
}

std::string measured_text(const Outcome& outcome) {
  return outcome.value ? fmt::format("{:.4g}{}{}", *outcome.value,
                                     outcome.planned->row->unit.empty() ? "" : " ",
                                     outcome.planned->row->unit)
                       : "-";
}

std::string ratio_text(std::optional<double> ratio) {
  return ratio ? fmt::format("{:.3g}", *ratio) : "-";
}

/// The published values of a row, or one that is none.
std::vector<Published> values_of(const Row& row) {
  return row.published.empty() ? std::vector<Published>{{.machine = "-", .value = std::nan("")}}
                               : row.published;
}

std::vector<const Outcome*> of_item(const Item& item, const std::vector<Outcome>& outcomes) {
  std::vector<const Outcome*> some;
  for (const Outcome& outcome : outcomes) {
    if (outcome.planned->item == &item) {
      some.push_back(&outcome);
    }
  }
  return some;
}

std::string heading_of(const Item& item) {
  std::string text = fmt::format("{}  {}\n", item.id, item.title);
  return item.note.empty() ? text : text + "  " + item.note + "\n";
}

std::string not_a_measurement(const Item& item) {
  return heading_of(item) + fmt::format("  {}; {}\n\n", item.shows, item.instead);
}

/// The devices of an item's rows, each with its letter.
class Devices {
 public:
  std::string letter_of(const std::string& device) {
    if (device.empty()) {
      return "-";
    }
    const auto found = std::ranges::find(devices_, device);
    const auto place = found - devices_.begin();
    if (found == devices_.end()) {
      devices_.push_back(device);
    }
    return fmt::format("[{}]", place + 1);
  }
  [[nodiscard]] std::string text() const {
    std::string all;
    for (std::size_t n = 0; n < devices_.size(); ++n) {
      all += fmt::format("  [{}] {}\n", n + 1, devices_[n]);
    }
    return all;
  }

 private:
  std::vector<std::string> devices_;
};

/// Why rows were not measured, rows of one reason together.
std::string reasons_of(const std::vector<const Outcome*>& outcomes) {
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  for (const Outcome* outcome : outcomes) {
    if (outcome->reason.empty()) {
      continue;
    }
    auto found = std::ranges::find(reasons, outcome->reason, [](const auto& r) { return r.first; });
    if (found == reasons.end()) {
      found = reasons.insert(reasons.end(), {outcome->reason, {}});
    }
    found->second.push_back(outcome->planned->row->label);
  }
  constexpr std::size_t most_named = 3;
  std::string text;
  for (const auto& [reason, rows] : reasons) {
    std::string named = rows.front();
    for (std::size_t n = 1; n < std::min(rows.size(), most_named); ++n) {
      named += "; " + rows[n];
    }
    named += rows.size() > most_named ? fmt::format("; {} more", rows.size() - most_named) : "";
    text += fmt::format("  not measured: {}: {}\n", named, one_line(reason));
  }
  return text;
}

std::string notes_of(const std::vector<const Outcome*>& outcomes) {
  std::string text;
  for (const Outcome* outcome : outcomes) {
    const Row& row = *outcome->planned->row;
    text += row.note.empty() ? "" : fmt::format("  {}: {}\n", row.label, row.note);
  }
  return text;
}

std::string table_of(const Item& item, const std::vector<const Outcome*>& outcomes) {
  Table table({"row", "published on", "published", "ours", "on", "ours/published", "of bankfull",
               "verdict"});
  Devices devices;
  for (const Outcome* outcome : outcomes) {
    const Row& row = *outcome->planned->row;
    for (const Published& published : values_of(row)) {
      const auto& percent = outcome->percent;
      table.add_row({row.label, published.machine, with_unit(published.value, row.unit),
                     measured_text(*outcome), devices.letter_of(outcome->device),
                     ratio_text(ratio_of(*outcome, published)),
                     percent ? fmt::format("{:.1f} %", *percent) : "-",
                     outcome->verdict + (outcome->noisy ? " (noisy)" : "")});
    }
  }
  return heading_of(item) + table.text() + devices.text() + reasons_of(outcomes) +
         notes_of(outcomes) + "\n";
}

std::string line_of(const Plan& plan, const Outcome& outcome, const Published& published) {
  const Row& row = *outcome.planned->row;
  std::string line = fmt::format("RESULT reproduce paper={} item={} row={}", plan.paper->key,
                                 outcome.planned->item->id, result_value(row.label));
  const auto add = [&line](const std::string& key, const std::string& value) {
    line += value.empty() ? "" : fmt::format(" {}={}", key, result_value(value));
  };
  const auto add_number = [&add](const std::string& key, std::optional<double> value) {
    add(key, value && !std::isnan(*value) ? fmt::format("{:.6g}", *value) : "");
  };
  add("machine", published.machine == "-" ? "" : published.machine);
  add_number("published", published.value);
  add_number("ours", outcome.value);
  add_number("ratio", ratio_of(outcome, published));
  add("unit", row.unit);
  add_number("percent", outcome.percent);
  add("device", outcome.device);
  add("timing", !outcome.value ? "" : outcome.noisy ? "noisy" : "quiet");
  add("verdict", outcome.verdict);
  add("reason", outcome.reason);
  return line + "\n";
}

/// How many rows there are, and of how many commands.
std::string size_of(const Item& item) {
  std::set<std::vector<std::string>> commands;
  std::size_t measured = 0;
  for (const Row& row : item.rows) {
    if (!row.ours.command.empty()) {
      commands.insert(row.ours.command);
      ++measured;
    }
  }
  return fmt::format("{} rows, {} of them measured by {} command{}", item.rows.size(), measured,
                     commands.size(), commands.size() == 1 ? "" : "s");
}

std::string published_text(const Row& row) {
  std::string text;
  for (const Published& published : row.published) {
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", with_unit(published.value, row.unit),
                        published.machine);
  }
  return text.empty() ? "no published value" : text;
}

std::string planned_text(const PlannedRow& planned) {
  std::string text = fmt::format("    {}: {}", planned.row->label, published_text(*planned.row));
  if (!planned.ours) {
    return text + "; not measured: " + planned.reason + "\n";
  }
  text += fmt::format("; step {}", *planned.ours + 1);
  return planned.other ? text + fmt::format(" and step {}\n", *planned.other + 1) : text + "\n";
}

}  // namespace

std::optional<double> ratio_of(const Outcome& outcome, const Published& published) {
  const bool known = outcome.value && !std::isnan(published.value) && published.value != 0.0;
  return known ? std::optional(*outcome.value / published.value) : std::nullopt;
}

std::string list_of(const Paper& paper) {
  std::string text =
      fmt::format("{}: {}\n  values from {}\n", paper.key, paper.citation, paper.found);
  std::size_t widest = 0;
  for (const Item& item : paper.items) {
    widest = std::max(widest, item.id.size());
  }
  for (const Item& item : paper.items) {
    text += fmt::format("  {:<{}}  {}: {}\n", item.id, widest, item.title,
                        item.rows.empty() ? item.shows + "; " + item.instead : size_of(item));
  }
  return text;
}

std::string plan_text(const Plan& plan, const Workplace& place, int ranks) {
  std::string text = fmt::format("{}: {}\n", plan.paper->key, plan.paper->citation);
  for (const Item* item : plan.items) {
    text += fmt::format("  {}  {}\n", item->id, item->title);
    text += item->rows.empty() ? fmt::format("    {}; {}\n", item->shows, item->instead) : "";
    for (const PlannedRow& row : plan.rows) {
      text += row.item == item ? planned_text(row) : "";
    }
  }
  text += fmt::format("  {} steps, results in {}\n", plan.steps.size(), place.folder.string());
  for (std::size_t n = 0; n < plan.steps.size(); ++n) {
    const Step& step = plan.steps[n];
    text += fmt::format("    {}: {}{}\n", n + 1,
                        step.ranks == 1 ? "" : fmt::format("mpirun -n {} ", step.ranks),
                        command_line_of(step.command));
  }
  const auto others =
      std::ranges::count_if(plan.steps, [ranks](const Step& step) { return step.ranks != ranks; });
  return others == 0 ? text
                     : text + fmt::format(
                                  "  {} steps are of other numbers of ranks than the {} "
                                  "of this run\n",
                                  others, ranks);
}

std::string tables_of(const Plan& plan, const std::vector<Outcome>& outcomes) {
  std::string text = fmt::format("{}: {}\n  values from {}\n\n", plan.paper->key,
                                 plan.paper->citation, plan.paper->found);
  for (const Item* item : plan.items) {
    text +=
        item->rows.empty() ? not_a_measurement(*item) : table_of(*item, of_item(*item, outcomes));
  }
  return text;
}

std::string reproduction_lines(const Plan& plan, const std::vector<Outcome>& outcomes) {
  std::string text;
  for (const Outcome& outcome : outcomes) {
    for (const Published& published : values_of(*outcome.planned->row)) {
      text += line_of(plan, outcome, published);
    }
  }
  return text;
}

}  // namespace bankfull::reproduce
