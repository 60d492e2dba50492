#include "bankfull/core/measure/machine_state.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace bankfull {
namespace {

using MachineJson = nlohmann::ordered_json;

MachineJson figures_to_json(const std::vector<Figure>& figures) {
  MachineJson object = MachineJson::object();
  for (const Figure& figure : figures) {
    object[figure.name] = {
        {"value", std::visit([](const auto& value) { return MachineJson(value); }, figure.value)},
        {"unit", figure.unit}};
  }
  return object;
}

std::vector<Figure> figures_from_json(const MachineJson& object) {
  std::vector<Figure> figures;
  for (const auto& [name, entry] : object.items()) {
    const MachineJson& value = entry.at("value");
    Figure figure{.name = name, .value = 0.0, .unit = entry.at("unit")};
    if (value.is_boolean()) {
      figure.value = value.get<bool>();
    } else if (value.is_number_integer()) {
      figure.value = value.get<std::int64_t>();
    } else if (value.is_string()) {
      figure.value = value.get<std::string>();
    } else if (value.is_number()) {
      figure.value = value.get<double>();
    }
    figures.push_back(std::move(figure));
  }
  return figures;
}

MachineJson part_to_json(const ObservedPart& part) {
  MachineJson during = MachineJson::object();
  for (const ObservedRange& range : part.during) {
    during[range.name] = {{"min", range.min}, {"max", range.max}, {"unit", range.unit}};
  }
  return {{"kind", part.kind},
          {"name", part.name},
          {"limits", part.limits},
          {"throttling_known", part.is_throttling_known},
          {"findings", part.findings},
          {"settings", figures_to_json(part.settings)},
          {"before", figures_to_json(part.before)},
          {"during", during},
          {"after", figures_to_json(part.after)},
          {"counted", figures_to_json(part.counted)}};
}

ObservedPart part_from_json(const MachineJson& object) {
  const auto figures = [&](const char* key) {
    return figures_from_json(object.value(key, MachineJson::object()));
  };
  ObservedPart part{.kind = object.at("kind"),
                    .name = object.at("name"),
                    .settings = figures("settings"),
                    .before = figures("before"),
                    .after = figures("after"),
                    .counted = figures("counted"),
                    .limits = object.value("limits", std::vector<std::string>{}),
                    .findings = object.value("findings", std::vector<std::string>{}),
                    .is_throttling_known = object.value("throttling_known", false)};
  const MachineJson during = object.value("during", MachineJson::object());
  for (const auto& [name, range] : during.items()) {
    part.during.push_back(
        {.name = name, .min = range.at("min"), .max = range.at("max"), .unit = range.at("unit")});
  }
  return part;
}

}  // namespace

std::vector<std::string> MachineState::limits() const {
  std::vector<std::string> all;
  for (const ObservedPart& part : parts) {
    for (const std::string& limit : part.limits) {
      if (std::find(all.begin(), all.end(), limit) == all.end()) {
        all.push_back(limit);
      }
    }
  }
  return all;
}

bool MachineState::is_throttling_known() const {
  const auto is_gpu = [](const ObservedPart& part) { return part.kind == "gpu"; };
  const bool on_gpus = std::any_of(parts.begin(), parts.end(), is_gpu);
  return !parts.empty() && std::all_of(parts.begin(), parts.end(), [&](const ObservedPart& part) {
    return part.is_throttling_known || is_gpu(part) != on_gpus;
  });
}

std::string verdict_on_machine(const std::vector<std::string>& limits, bool is_known) {
  if (limits.empty()) {
    return is_known ? "not throttled" : "unknown";
  }
  return fmt::format("{}", fmt::join(limits, ", "));
}

std::string machine_to_json(const MachineState& state) {
  MachineJson parts = MachineJson::array();
  for (const ObservedPart& part : state.parts) {
    parts.push_back(part_to_json(part));
  }
  const MachineJson object{
      {"verdict", verdict_on_machine(state.limits(), state.is_throttling_known())},
      {"parts", parts}};
  return object.dump(-1, ' ', false, MachineJson::error_handler_t::replace);
}

MachineState machine_from_json(const std::string& text) {
  const MachineJson object = MachineJson::parse(text);
  MachineState state;
  for (const MachineJson& part : object.at("parts").get_ref<const MachineJson::array_t&>()) {
    state.parts.push_back(part_from_json(part));
  }
  return state;
}

}  // namespace bankfull
