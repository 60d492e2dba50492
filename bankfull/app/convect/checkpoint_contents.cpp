#include "bankfull/app/convect/checkpoint_contents.hpp"

#include "bankfull/core/base/error.hpp"

#include <fmt/format.h>
#include <sstream>

namespace bankfull::convect {
namespace {

constexpr const char* name_of_contents = "contents";
constexpr std::size_t digits_of_crc = 8;

[[noreturn]] void refuse_file(const hdf5::OldFile& file, const std::string& why) {
  throw RuntimeFailure(fmt::format("cannot read the checkpoint {}: {}", file.path().string(), why));
}

std::string text_of(const Crc32& crc) { return fmt::format("{:08x}", crc.value()); }

void require_listed(const hdf5::OldFile& file, const std::string& name, const std::string& crc) {
  if (!file.has(name)) {
    refuse_file(file, fmt::format("it is not complete, for it has no {}", name));
  }
  Crc32 found;
  file.dataset(name).each_piece(
      [&](const void* bytes, std::size_t count) { found.add(bytes, count); });
  if (text_of(found) != crc) {
    refuse_file(file, fmt::format("{} in it was changed: its CRC-32 is {}, and was {}", name,
                                  text_of(found), crc));
  }
}

}  // namespace

void ListedFile::add_array(const std::string& name, const Extents& extents, Precision precision,
                           const convection::ArrayWriting& write) {
  const hdf5::Dataset dataset = file_.add(
      name, {.element = precision == Precision::fp32 ? hdf5::Element::fp32 : hdf5::Element::fp64,
             .extents = {extents.ni, extents.nj, extents.nk},
             .in_one_piece = true});
  list(name, Crc32(write({file_.temporary(), dataset.offset(), extents, precision})));
}

void ListedFile::list(const std::string& name, const Crc32& crc) {
  contents_ += text_of(crc) + " " + name + "\n";
}

void ListedFile::commit() {
  file_.add(name_of_contents, contents_);
  file_.commit();
}

bool lists_contents(const hdf5::OldFile& file) { return file.has(name_of_contents); }

void require_contents(const hdf5::OldFile& file) {
  if (!lists_contents(file)) {
    refuse_file(file, "it is not complete, for it does not list its contents");
  }
  const std::string contents = file.dataset(name_of_contents).text();
  std::istringstream lines(contents);
  std::string line;
  std::size_t listed = 1;  // the list itself
  while (std::getline(lines, line)) {
    if (line.size() < digits_of_crc + 2 || line[digits_of_crc] != ' ') {
      refuse_file(file, "its list of contents was changed");
    }
    require_listed(file, line.substr(digits_of_crc + 1), line.substr(0, digits_of_crc));
    ++listed;
  }
  const std::size_t there = file.datasets().size();
  if (there != listed) {
    refuse_file(file, fmt::format("it has {} datasets, and lists {}", there, listed));
  }
}

}  // namespace bankfull::convect
