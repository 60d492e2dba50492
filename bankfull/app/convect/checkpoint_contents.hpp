#pragma once

#include "bankfull/core/io/crc32.hpp"
#include "bankfull/core/io/hdf5_file.hpp"
#include "bankfull/workloads/convection/state.hpp"

#include <string>
#include <vector>

namespace bankfull::convect {

/// A checkpoint as it is written: its dataset "contents", the last one, lists all others with the
/// CRC-32 of their bytes as they are stored, "cbf43926 state/flow/u" a line. By it a reader knows
/// that none is missing, and what Fletcher's checksums do not see: words of ones for words of
/// zeros. Builds with HDF5 only.
class ListedFile {
 public:
  ListedFile(const std::filesystem::path& path, int threads) : file_(path), threads_(threads) {}

  [[nodiscard]] hdf5::NewFile& file() { return file_; }

  void add(const std::string& name, const std::vector<double>& values) { add_all(name, values); }
  void add(const std::string& name, const std::vector<std::int64_t>& values) {
    add_all(name, values);
  }
  void add(const std::string& name, const std::string& bytes) { add_all(name, bytes); }

  /// An array of reals in one piece of the file, which write(array) writes.
  void add_array(const std::string& name, const Extents& extents, Precision precision,
                 const convection::ArrayWriting& write);

  /// Gives it its name.
  void commit();

 private:
  template <class Values>
  void add_all(const std::string& name, const Values& values) {
    file_.add(name, values);
    Crc32 crc;
    crc.add(values.data(), values.size() * sizeof(values[0]), threads_);
    list(name, crc);
  }
  void list(const std::string& name, const Crc32& crc);

  hdf5::NewFile file_;
  int threads_;
  std::string contents_;
};

/// Whether a file has such a list.
[[nodiscard]] bool lists_contents(const hdf5::OldFile& file);

/// Reads all that a ListedFile has. Throws RuntimeFailure in a line that says what is missing,
/// changed, or not in its list.
void require_contents(const hdf5::OldFile& file);

}  // namespace bankfull::convect
