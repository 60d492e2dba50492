#pragma once

#include "bankfull/core/io/hdf5_file.hpp"
#include "bankfull/workloads/convection/state.hpp"
#include "bankfull/workloads/convection/time_taken.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace bankfull::convect {

/// A file that a run adds lines to.
struct ToldFile {
  std::string name;  ///< in its folder
  std::int64_t bytes = 0;
  std::int64_t lines = 0;
};

/// What a run's folder holds at a checkpoint, to which its growing files are cut back.
struct ToldSoFar {
  std::int64_t series_bytes = 0;
  std::int64_t series_lines = 0;
  std::int64_t slice_list_bytes = 0;  ///< 0: there is none
  std::int64_t slice_list_lines = 0;
  std::int64_t field_list_bytes = 0;  ///< likewise
  std::int64_t field_list_lines = 0;
  std::vector<ToldFile> probes;
};

/// What a checkpoint has beside the state of the flow.
struct CheckpointHeader {
  std::int64_t step = 0;
  double time = 0.0;
  std::string resolved_case;  ///< as TOML, every default filled in
  ToldSoFar told;
  convection::TimeTaken taken = {};
};

/// How a checkpoint is written.
struct CheckpointWriting {
  std::filesystem::path path;
  int threads = 1;  ///< that convert values and form checksums
};

/// Bytes of memory that writing fields of so many cells takes: a piece of one, and the same
/// converted to the precision of the file.
std::int64_t bytes_to_write_checkpoint(const Extents& cells, Precision precision, int threads);

/// Writes a file that appears whole or not at all. Throws RuntimeFailure. Builds with HDF5 only, as
/// all that follows.
void write_checkpoint(const CheckpointWriting& writing, const CheckpointHeader& header,
                      const std::function<void(convection::StateWriter&)>& save);

/// A checkpoint that is read.
class CheckpointReader final : public convection::StateReader {
 public:
  /// Reads all of the file once, for its checksums' sake. Throws RuntimeFailure in a line that says
  /// what is wrong with it: cut short, changed, of another program or of a later version of this.
  explicit CheckpointReader(const std::filesystem::path& path);

  [[nodiscard]] const CheckpointHeader& header() const { return header_; }
  [[nodiscard]] const std::filesystem::path& path() const { return file_.path(); }

  /// Throws RuntimeFailure unless it has the fields of this problem on this grid, and no others.
  void require_fields(const convection::Problem& problem, const convection::Grid& grid) const;

  [[nodiscard]] bool has(const std::string& name) const override;
  [[nodiscard]] std::vector<double> numbers(const std::string& name) const override;
  [[nodiscard]] std::vector<std::int64_t> counts(const std::string& name) const override;
  void cells(const std::string& name, const Box& part, double* values) const override;
  using StateReader::cells;

 private:
  hdf5::OldFile file_;
  CheckpointHeader header_;
};

}  // namespace bankfull::convect
