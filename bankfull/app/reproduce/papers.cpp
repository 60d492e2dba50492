#include "bankfull/app/nearest_name.hpp"
#include "bankfull/app/reproduce/paper.hpp"
#include "bankfull/app/reproduce/paper_texts.hpp"
#include "bankfull/app/toml_section.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/format.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace bankfull::reproduce {
namespace {

using Keys = std::vector<std::string>;

/// What a row has from its item where it does not say otherwise, and what the second quantity of a
/// relation has from its row.
const Keys of_items{"command", "full",  "quick", "where",    "figure",
                    "pick",    "times", "unit",  "machines", "per_rank"};
const Keys of_quantities{"command", "arguments", "full", "quick", "where",
                         "figure",  "at",        "pick", "ranks", "per_rank"};
const Keys relations{"divided_by", "minus", "deviation_from"};

Keys all_of(Keys keys, const Keys& others) {
  keys.insert(keys.end(), others.begin(), others.end());
  return keys;
}

/// The keys of `own`, and those of `around` that it lacks.
toml::table with_keys_of(const toml::table& own, const toml::table& around, const Keys& keys) {
  toml::table all = own;
  for (const std::string& key : keys) {
    if (const toml::node* node = around.get(key); node != nullptr && !all.contains(key)) {
      node->visit([&](const auto& value) { all.insert(key, value); });
    }
  }
  return all;
}

Keys words_of(const std::string& line) {
  Keys words = parts_of(line, ' ');
  std::erase(words, "");
  return words;
}

/// A value of `where` as results show it: 0 as "0".
std::string pattern_of(const toml::node& value) {
  return value.is_string() ? value.value_or(std::string()) : written(value);
}

Quantity quantity_from(toml::table table, const std::string& file) {
  TomlSection section(table, "row", file);
  const std::string command = section.text("command", "");
  Quantity quantity{.figure = section.text("figure", "")};
  if (command.empty()) {
    return quantity;
  }
  const Keys words = words_of(command + " " + section.text("arguments", ""));
  quantity.command = all_of(words, words_of(section.text("full", "")));
  quantity.quick = all_of(words, words_of(section.text("quick", "")));
  section.section_or_empty("where");
  for (const auto& [key, value] : *table.get("where")->as_table()) {
    quantity.where[std::string(key.str())] = pattern_of(value);
  }
  if (section.has("at")) {
    quantity.at = section.number("at", NumberRange::any());
  }
  quantity.pick = static_cast<Pick>(section.choice("pick", {"first", "sum", "most"}, 0));
  quantity.ranks = static_cast<int>(section.integer("ranks", NumberRange::at_least(0), 0));
  quantity.per_rank = section.flag("per_rank", false);
  return quantity;
}

/// One value for each machine, in their order.
std::vector<Published> published_from(const TomlSection& section, const toml::table& table) {
  std::vector<Published> published;
  const toml::array* values = table.get_as<toml::array>("published");
  if (values == nullptr) {
    return published;
  }
  const toml::array* machines = table.get_as<toml::array>("machines");
  if (machines == nullptr || machines->size() != values->size()) {
    section.refuse("published", "has not one value for each of the machines", "add or remove some");
  }
  for (std::size_t n = 0; n < values->size(); ++n) {
    const auto value = values->get(n)->value<double>();
    if (!value) {
      section.refuse("published", "has a value that is no number", "give a number, or nan");
    }
    published.push_back({machines->get(n)->value_or(std::string()), *value});
  }
  return published;
}

Row row_from(const toml::table& own, const toml::table& item, const std::string& file) {
  toml::table table = with_keys_of(own, item, of_items);
  TomlSection section(table, "row", file);
  section.allow(all_of({"label", "times", "unit", "machines", "published", "reason", "note", "long",
                        "divided_by", "minus", "deviation_from"},
                       of_quantities));
  Row row{.label = section.text("label"),
          .ours = quantity_from(table, file),
          .times = section.number("times", NumberRange::positive(), 1.0),
          .unit = section.text("unit", ""),
          .published = published_from(section, table),
          .reason = section.text("reason", ""),
          .note = section.text("note", ""),
          .is_long = section.flag("long", false)};
  for (std::size_t n = 0; n < relations.size(); ++n) {
    if (const toml::table* other = table.get_as<toml::table>(relations[n]); other != nullptr) {
      row.relation = static_cast<Relation>(n + 1);
      row.other = quantity_from(with_keys_of(*other, table, of_quantities), file);
    }
  }
  if (row.ours.command.empty() == row.reason.empty()) {
    section.refuse_all("has a command and a reason, or neither", "give one of them");
  }
  return row;
}

Item item_from(TomlSection section, toml::table& table, const std::string& file) {
  section.allow(all_of({"id", "title", "shows", "instead", "note", "row"}, of_items));
  Item item{.id = section.text("id"),
            .title = section.text("title"),
            .shows = section.text("shows", ""),
            .instead = section.text("instead", ""),
            .note = section.text("note", "")};
  if (toml::array* rows = table.get_as<toml::array>("row"); rows != nullptr) {
    for (toml::node& row : *rows) {
      item.rows.push_back(row_from(*row.as_table(), table, file));
    }
  }
  if (item.rows.empty() == item.shows.empty() || item.shows.empty() != item.instead.empty()) {
    section.refuse_all("has neither rows nor what it shows and what is there instead, or both",
                       "give one of them");
  }
  return item;
}

std::vector<Paper> read_papers() {
  std::vector<Paper> all;
  for (const PaperText& paper : paper_texts()) {
    all.push_back(parse_paper(paper.text, paper.file));
  }
  return all;
}

}  // namespace

Paper parse_paper(const std::string& text, const std::string& file) {
  toml::table table = toml::parse(text, file);
  TomlSection section(table, "", file);
  section.allow({"key", "citation", "found", "item"});
  Paper paper{.key = section.text("key"),
              .citation = section.text("citation"),
              .found = section.text("found"),
              .items = {}};
  const std::vector<TomlSection> items = section.sections("item");
  for (std::size_t n = 0; n < items.size(); ++n) {
    paper.items.push_back(
        item_from(items[n], *table.get_as<toml::array>("item")->get(n)->as_table(), file));
  }
  return paper;
}

const std::vector<Paper>& papers() {
  static const std::vector<Paper> all = read_papers();
  return all;
}

const Paper& find_paper(const std::string& key) {
  Keys keys;
  for (const Paper& paper : papers()) {
    if (paper.key == key) {
      return paper;
    }
    keys.push_back(paper.key);
  }
  throw UsageError("there is no paper '" + key + "'", remedy_for_name(key, keys));
}

}  // namespace bankfull::reproduce
