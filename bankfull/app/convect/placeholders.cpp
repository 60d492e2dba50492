#include "bankfull/app/convect/placeholders.hpp"

#include "bankfull/app/convect/settings.hpp"
#include "bankfull/app/nearest_name.hpp"
#include "bankfull/app/toml_text.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/format.hpp"

#include <array>
#include <cctype>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace bankfull::convect {
namespace {

const toml::node* element_at(const toml::array& list, const std::string& part) {
  std::size_t number = 0;
  const char* end = part.data() + part.size();
  const auto [stop, error] = std::from_chars(part.data(), end, number);
  return error == std::errc{} && stop == end ? list.get(number) : nullptr;
}

/// What stands under a dotted key, null where nothing does.
const toml::node* node_at(const toml::table& root, const std::string& key) {
  const toml::node* node = &root;
  for (const std::string& part : parts_of(key, '.')) {
    if (const toml::table* table = node->as_table()) {
      node = table->get(part);
    } else if (const toml::array* list = node->as_array()) {
      node = element_at(*list, part);
    } else {
      node = nullptr;
    }
    if (node == nullptr) {
      return nullptr;
    }
  }
  return node;
}

bool is_value(const toml::node* node) {
  const toml::array* list = node == nullptr ? nullptr : node->as_array();
  return node != nullptr && !node->is_table() &&
         (list == nullptr || !list->is_homogeneous<toml::table>());
}

/// The value under a key in full or its short name, null where the case has none.
const toml::node* value_at(const toml::table& root, const std::string& key) {
  const toml::node* node = node_at(root, key);
  for (const auto& [brief, full] : short_names()) {
    if (!is_value(node) && (key == brief || full.ends_with("." + key))) {
      node = node_at(root, full);
    }
  }
  return is_value(node) ? node : nullptr;
}

/// As a person would write it: 1e7, 0.71, 100, 1e-3.
std::string brief_number(double value) {
  std::string plain = fmt::format("{}", value);
  // Digits and exponent without what they could do without, "1.000000e+07" as "1e7".
  std::array<char, 32> text{};
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific);
  const std::string scientific(text.data(), error == std::errc{} ? end : text.data());
  const std::size_t mark = scientific.find('e');
  if (mark == std::string::npos) {
    return plain;
  }
  const int exponent = std::stoi(scientific.substr(mark + 1));
  std::string brief = fmt::format("{}e{}", scientific.substr(0, mark), exponent);
  return brief.size() < plain.size() ? brief : plain;
}

std::string value_text(const toml::node& value) {
  if (const toml::array* list = value.as_array()) {
    std::vector<std::string> parts;
    for (const toml::node& element : *list) {
      parts.push_back(value_text(element));
    }
    return fmt::format("{}", fmt::join(parts, "x"));
  }
  if (value.is_string()) {
    return value.value_or(std::string());
  }
  return value.is_floating_point() ? brief_number(value.value_or(0.0)) : toml_text(value);
}

/// Nothing that a file's name cannot have or a shell would read otherwise, and no path.
std::string safe_in_names(std::string text) {
  for (char& letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (std::isalnum(byte) == 0 && std::string("._+-").find(letter) == std::string::npos) {
      letter = '_';
    }
  }
  if (text.starts_with('.')) {
    text.front() = '_';
  }
  return text;
}

void add_keys(const toml::table& table, const std::string& path, std::vector<std::string>& keys) {
  for (const auto& [key, value] : table) {
    const std::string name = path + std::string(key.str());
    if (const toml::table* within = value.as_table()) {
      add_keys(*within, name + ".", keys);
    } else if (is_value(&value)) {
      keys.push_back(name);
    }
  }
}

std::vector<std::string> short_names_in(const toml::table& root) {
  std::vector<std::string> names;
  for (const auto& [brief, full] : short_names()) {
    if (is_value(node_at(root, full))) {
      names.push_back(brief);
    }
  }
  return names;
}

[[noreturn]] void refuse_placeholder(const std::string& name, const std::string& key,
                                     const toml::table& root) {
  const std::vector<std::string> brief = short_names_in(root);
  std::vector<std::string> candidates = brief;
  add_keys(root, "", candidates);
  const std::string nearest = nearest_name(key, candidates);
  const std::string guess =
      nearest.empty() ? "it" : fmt::format("did you mean {{{}}}? It", nearest);
  throw UsageError(fmt::format("--output {}: the case has no value '{}'", name, key),
                   fmt::format("{} has {{{}}}, and in full all keys of its case.toml, such as "
                               "{{domain.upper}}; {{{{ stands for a brace",
                               guess, fmt::join(brief, "}, {")));
}

toml::table parsed(const Case& run) { return toml::parse(run.resolved); }

}  // namespace

std::string filled_in(const std::string& name, const Case& run) {
  const toml::table root = parsed(run);
  std::string filled;
  for (std::size_t at = 0; at < name.size(); ++at) {
    const std::string pair = name.substr(at, 2);
    if (pair == "{{" || pair == "}}") {
      filled += name[at++];
    } else if (name[at] == '{') {
      const std::size_t end = name.find('}', at);
      require(end != std::string::npos, "--output " + name + ": a brace is not closed",
              "write }, or {{ for a brace of the name");
      const std::string key = name.substr(at + 1, end - at - 1);
      const toml::node* value = value_at(root, key);
      if (value == nullptr) {
        refuse_placeholder(name, key, root);
      }
      filled += safe_in_names(value_text(*value));
      at = end;
    } else {
      filled += name[at];
    }
  }
  return filled;
}

std::string output_example(const Case& run, const std::vector<std::string>& settings) {
  const toml::table root = parsed(run);
  std::string keys;
  for (const std::string& setting : settings) {
    const std::string key = setting.substr(0, setting.find('='));
    if (value_at(root, key) != nullptr && keys.find("{" + key + "}") == std::string::npos) {
      keys += "-{" + key + "}";
    }
  }
  return run.problem.name + (keys.empty() ? "-{cells}" : keys);
}

}  // namespace bankfull::convect
