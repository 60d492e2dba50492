#include "bankfull/core/machine/memory_modules.hpp"

#include "bankfull/core/base/format.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <utility>

namespace bankfull {
namespace {

constexpr const char* firmware_table = "sys/firmware/dmi/tables/DMI";
constexpr const char* memory_controllers = "sys/devices/system/edac/mc";
constexpr std::int64_t kibibyte = 1024;
constexpr std::int64_t mebibyte = kibibyte * kibibyte;

/// One structure of the System Management BIOS: a formatted part, then texts that it numbers.
class FirmwareStructure {
 public:
  FirmwareStructure(std::string_view formatted, std::string_view texts)
      : formatted_(formatted), texts_(texts) {}

  [[nodiscard]] bool is_memory_device() const {
    constexpr int memory_device = 17;
    return byte_at(0) == memory_device;
  }
  /// Little-endian; 0 beyond the end, as fields were added by later versions.
  [[nodiscard]] std::int64_t number_at(std::size_t offset, std::size_t bytes) const {
    std::int64_t number = 0;
    for (std::size_t n = bytes; n-- > 0;) {
      number = number * 256 + byte_at(offset + n);
    }
    return offset + bytes <= formatted_.size() ? number : 0;
  }
  /// The text whose number, counted from 1, is there.
  [[nodiscard]] std::string text_at(std::size_t offset) const {
    std::string_view rest = texts_;
    for (int number = byte_at(offset); number > 0 && !rest.empty(); --number) {
      const std::size_t end = std::min(rest.find('\0'), rest.size());
      if (number == 1) {
        return std::string(rest.substr(0, end));
      }
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return {};
  }

 private:
  [[nodiscard]] int byte_at(std::size_t offset) const {
    return offset < formatted_.size() ? static_cast<unsigned char>(formatted_[offset]) : 0;
  }

  std::string_view formatted_;
  std::string_view texts_;
};

/// Takes the first structure off the table; empty at its end, or where it is cut off.
std::optional<FirmwareStructure> take_structure(std::string_view& table) {
  constexpr std::size_t header = 4;
  if (table.size() < header) {
    return std::nullopt;
  }
  const auto length = static_cast<std::size_t>(static_cast<unsigned char>(table[1]));
  const std::size_t end = table.find(std::string_view("\0\0", 2), length);
  if (length < header || end == std::string_view::npos) {
    return std::nullopt;
  }
  const FirmwareStructure structure(table.substr(0, length), table.substr(length, end - length));
  table.remove_prefix(end + 2);
  return structure;
}

std::string type_name(std::int64_t type) {
  constexpr std::pair<int, const char*> names[] = {
      {0x18, "DDR3"}, {0x1a, "DDR4"}, {0x1e, "LPDDR4"}, {0x20, "HBM"},
      {0x21, "HBM2"}, {0x22, "DDR5"}, {0x23, "LPDDR5"}, {0x24, "HBM3"}};
  for (const auto& [number, name] : names) {
    if (number == type) {
      return name;
    }
  }
  return "memory";
}

/// 0: the slot is empty.
std::int64_t bytes_of(const FirmwareStructure& device) {
  constexpr std::int64_t unknown = 0xffff;
  constexpr std::int64_t extended = 0x7fff;
  constexpr std::int64_t in_kibibytes = 0x8000;
  const std::int64_t size = device.number_at(0x0c, 2);
  if (size == unknown) {
    return 0;
  }
  if (size == extended) {
    return device.number_at(0x1c, 4) * mebibyte;
  }
  return (size & in_kibibytes) != 0 ? (size - in_kibibytes) * kibibyte : size * mebibyte;
}

std::int64_t transfers_of(const FirmwareStructure& device) {
  constexpr std::int64_t extended = 0xffff;
  const std::int64_t configured = device.number_at(0x20, 2);
  return configured == extended ? device.number_at(0x58, 4) : configured;
}

std::vector<MemoryModule> modules_by_edac(const SystemFiles& files) {
  std::vector<MemoryModule> modules;
  for (const std::string& controller : files.names(memory_controllers, "mc")) {
    const std::string folder = fmt::format("{}/{}", memory_controllers, controller);
    for (const std::string& dimm : files.names(folder, "dimm")) {
      const std::string path = fmt::format("{}/{}", folder, dimm);
      const auto size = files.number(path + "/size");  // in MiB
      if (size && *size > 0) {
        modules.push_back({.slot = files.text(path + "/dimm_label").value_or(""),
                           .type = files.text(path + "/dimm_mem_type").value_or("memory"),
                           .bytes = *size * mebibyte});
      }
    }
  }
  return modules;
}

std::string kind_of(const MemoryModule& module) {
  std::string kind =
      fmt::format("{} {}", format_bytes(static_cast<double>(module.bytes)), module.type);
  return module.mega_transfers > 0 ? fmt::format("{} at {} MT/s", kind, module.mega_transfers)
                                   : kind;
}

}  // namespace

std::vector<MemoryModule> modules_in(const std::string& table) {
  std::vector<MemoryModule> modules;
  std::string_view rest = table;
  while (true) {
    const std::optional<FirmwareStructure> structure = take_structure(rest);
    if (!structure) {
      return modules;
    }
    if (structure->is_memory_device() && bytes_of(*structure) > 0) {
      modules.push_back({.slot = structure->text_at(0x10),
                         .type = type_name(structure->number_at(0x12, 1)),
                         .bytes = bytes_of(*structure),
                         .mega_transfers = transfers_of(*structure)});
    }
  }
}

std::string describe_memory_modules(const SystemFiles& files) {
  std::vector<MemoryModule> modules = modules_in(files.text(firmware_table).value_or(""));
  if (modules.empty()) {
    modules = modules_by_edac(files);
  }
  std::vector<std::pair<std::string, int>> kinds;  // in the order of their slots
  for (const MemoryModule& module : modules) {
    const std::string kind = kind_of(module);
    if (kinds.empty() || kinds.back().first != kind) {
      kinds.emplace_back(kind, 0);
    }
    ++kinds.back().second;
  }
  std::string text;
  for (const auto& [kind, count] : kinds) {
    text += fmt::format("{}{} x {}", text.empty() ? "" : ", ", count, kind);
  }
  return text;
}

std::vector<Figure> memory_errors(const SystemFiles& files) {
  std::optional<std::int64_t> corrected;
  std::optional<std::int64_t> uncorrected;
  for (const std::string& controller : files.names(memory_controllers, "mc")) {
    const std::string folder = fmt::format("{}/{}", memory_controllers, controller);
    if (const auto count = files.number(folder + "/ce_count")) {
      corrected = corrected.value_or(0) + *count;
    }
    if (const auto count = files.number(folder + "/ue_count")) {
      uncorrected = uncorrected.value_or(0) + *count;
    }
  }
  std::vector<Figure> errors;
  add_known(errors, "memory_errors_corrected", corrected);
  add_known(errors, "memory_errors_uncorrected", uncorrected);
  return errors;
}

}  // namespace bankfull
