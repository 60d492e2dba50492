#include "bankfull/app/convect/checkpoint_contents.hpp"

#include "bankfull/core/base/error.hpp"

#include <bit>
#include <fmt/format.h>
#include <sstream>
#include <utility>

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

ListedFile::Parts::Parts(ListedFile& list, std::string name, const hdf5::DatasetShape& shape)
    : list_(&list),
      name_(std::move(name)),
      element_(shape.element),
      dataset_(list.file_.add(name_, shape)) {}

void ListedFile::Parts::write(const hdf5::Part& part, const std::vector<double>& values,
                              std::size_t count) {
  static_assert(std::endian::native == std::endian::little, "as files are");
  dataset_.write(part, values.data());
  if (element_ == hdf5::Element::fp64) {
    crc_.add(values.data(), count * sizeof(double), list_->threads_);
    return;
  }
  singles_.resize(count);
#pragma omp parallel for num_threads(list_->threads_)
  for (std::size_t n = 0; n < count; ++n) {
    singles_[n] = static_cast<float>(values[n]);
  }
  crc_.add(singles_.data(), count * sizeof(float), list_->threads_);
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
