#include "bankfull/app/toml_text.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <sstream>

namespace bankfull {
namespace {

bool is_list_of_tables(const toml::node& node) {
  const toml::array* list = node.as_array();
  return list != nullptr && !list->empty() && list->is_homogeneous<toml::table>();
}

bool is_section(const toml::node& node) { return node.is_table() || is_list_of_tables(node); }

std::string number_text(double value) {
  std::string text = fmt::format("{}", value);
  const bool looks_whole = text.find_first_not_of("-0123456789") == std::string::npos;
  return looks_whole ? text + ".0" : text;
}

std::string key_text(const std::string& key) {
  const bool bare = !key.empty() && std::all_of(key.begin(), key.end(), [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '_' || letter == '-';
  });
  return bare ? key : toml_string(key);
}

std::string list_text(const toml::array& list) {
  std::string text;
  for (const toml::node& element : list) {
    text += (text.empty() ? "" : ", ") + toml_text(element);
  }
  return "[" + text + "]";
}

std::string inline_text(const toml::table& table) {
  std::string text;
  for (const auto& [key, value] : table) {
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", key_text(std::string(key.str())),
                        toml_text(value));
  }
  return "{ " + text + " }";
}

std::vector<std::string> ordered_keys(const toml::table& table,
                                      const std::vector<std::string>& order) {
  std::vector<std::string> keys;
  for (const std::string& key : order) {
    if (table.contains(key)) {
      keys.push_back(key);
    }
  }
  for (const auto& [key, value] : table) {
    const std::string name(key.str());
    if (std::find(order.begin(), order.end(), name) == order.end()) {
      keys.push_back(name);
    }
  }
  return keys;
}

void write_section(const toml::table& table, const std::string& path,
                   const std::vector<std::string>& order, std::string& text);

void write_subsections(const toml::node& node, const std::string& path, std::string& text) {
  if (const toml::table* table = node.as_table()) {
    const bool has_values = std::any_of(
        table->begin(), table->end(), [](const auto& entry) { return !is_section(entry.second); });
    if (has_values) {
      text += fmt::format("\n[{}]\n", path);
    }
    write_section(*table, path, {}, text);
    return;
  }
  for (const toml::node& element : *node.as_array()) {
    text += fmt::format("\n[[{}]]\n", path);
    write_section(*element.as_table(), path, {}, text);
  }
}

/// Values first: what follows a heading belongs to it.
void write_section(const toml::table& table, const std::string& path,
                   const std::vector<std::string>& order, std::string& text) {
  const std::vector<std::string> keys = ordered_keys(table, order);
  for (const std::string& key : keys) {
    if (!is_section(*table.get(key))) {
      text += fmt::format("{} = {}\n", key_text(key), toml_text(*table.get(key)));
    }
  }
  for (const std::string& key : keys) {
    if (is_section(*table.get(key))) {
      const std::string within = key_text(key);
      write_subsections(*table.get(key), path.empty() ? within : fmt::format("{}.{}", path, within),
                        text);
    }
  }
}

}  // namespace

std::string toml_string(const std::string& text) {
  std::string quoted = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') {
      quoted += '\\';
      quoted += letter;
    } else if (static_cast<unsigned char>(letter) < ' ' || letter == '\x7f') {
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(letter));
    } else {
      quoted += letter;
    }
  }
  return quoted + "\"";
}

std::string toml_text(const toml::node& value) {
  if (const toml::array* list = value.as_array()) {
    return list_text(*list);
  }
  if (const toml::table* table = value.as_table()) {
    return inline_text(*table);
  }
  if (value.is_string()) {
    return toml_string(value.value_or(std::string()));
  }
  if (value.is_floating_point()) {
    return number_text(value.value_or(0.0));
  }
  std::ostringstream text;
  value.visit([&](const auto& concrete) { text << concrete; });
  return text.str();
}

std::string toml_text(const toml::table& root, const std::vector<std::string>& order) {
  std::string text;
  write_section(root, "", order, text);
  return text;
}

}  // namespace bankfull
