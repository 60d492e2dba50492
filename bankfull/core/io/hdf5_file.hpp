#pragma once

#include "bankfull/core/io/hdf5_chunk.hpp"
#include "bankfull/core/io/staged_path.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace bankfull::hdf5 {

/// HDF5 files, in builds with HDF5 (build::hdf5) only. Every return value of the library is
/// checked: failures throw RuntimeFailure with one line that names the file. Not thread-safe, like
/// the library itself.

/// The type of elements in a file; they are little-endian on any machine.
enum class Element { fp32, fp64, int64, byte };

/// Owns an identifier of the library.
class Handle {
 public:
  /// The library's function that closes such an identifier, as H5Dclose; negative on failure.
  using Close = int (*)(std::int64_t);

  Handle() = default;
  /// Takes the identifier over; a negative one, of a call that failed, is never closed.
  Handle(std::int64_t id, Close close) : id_(id), close_(id < 0 ? nullptr : close) {}
  /// Leaves the other one without an identifier.
  Handle(Handle&& other) noexcept
      : id_(std::exchange(other.id_, -1)), close_(std::exchange(other.close_, nullptr)) {}
  /// Exchanges the two: the other one closes what this one held.
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { static_cast<void>(release()); }

  /// Still owned; negative if there is none.
  [[nodiscard]] std::int64_t id() const { return id_; }

  /// Closes it; returns a negative value on failure.
  int release() {
    return close_ == nullptr ? 0 : std::exchange(close_, nullptr)(std::exchange(id_, -1));
  }

 private:
  std::int64_t id_ = -1;
  Close close_ = nullptr;
};

/// A part of a dataset: its beginning and extents along each of its dimensions.
struct Part {
  /// Index of the first element along each dimension.
  std::vector<std::int64_t> start;
  /// Elements along each dimension; values of a part in memory have these extents.
  std::vector<std::int64_t> count;
};

/// The properties of a new dataset.
struct DatasetShape {
  Element element = Element::fp64;    ///< as stored, whatever values are converted from
  std::vector<std::int64_t> extents;  ///< the last one contiguous
  int deflate = 0;                    ///< 1 to 9: bytes are shuffled and compressed
  int threads = 1;                    ///< that convert, compress and form checksums of numbers

  /// In one piece of the file and without checksums, to be written as a SharedArray.
  bool in_one_piece = false;
};

/// An array of any number of dimensions, the last one contiguous. Values are converted where types
/// differ. Parts may be written in any order.
class Dataset {
 public:
  /// One that exists: see File::dataset. `what` names it in messages: "<name> of <file>".
  Dataset(Handle id, std::string what);

  /// A new dataset. Parts that consist of whole chunks are written by its threads, which does not
  /// change the bytes.
  Dataset(Handle id, std::string what, DatasetShape shape);

  /// As the file has them; the last one contiguous. Empty for a single value.
  [[nodiscard]] std::vector<std::int64_t> extents() const;

  /// `values` are those of the part alone, the last dimension contiguous. Throws NoRoom or
  /// RuntimeFailure, after which the file is abandoned.
  void write(const Part& part, const double* values);
  /// Fills the memory of `values`, which has room for the part alone, and verifies the checksums of
  /// the chunks that it reads. Throws RuntimeFailure.
  void read(const Part& part, double* values) const;

  /// Adds a text to the dataset; none of this name may exist.
  void set_attribute(const std::string& name, const std::string& text);

  /// Of a dataset in one piece: the first byte of its elements in the file.
  [[nodiscard]] std::int64_t offset() const;

  /// Writes all of it, as do the next two: a value for each element, the last dimension
  /// contiguous.
  void write(const std::vector<double>& values);
  /// The same from whole numbers, converted by the library.
  void write(const std::vector<std::int64_t>& values);
  /// The same from bytes, each an unsigned number.
  void write(const std::string& bytes);
  /// Reads all of it, converted to doubles; throws RuntimeFailure, also where a checksum is wrong.
  [[nodiscard]] std::vector<double> numbers() const;
  /// The same, converted to whole numbers.
  [[nodiscard]] std::vector<std::int64_t> counts() const;
  /// The same of bytes, such as a text that was written as bytes.
  [[nodiscard]] std::string text() const;

  /// Reads all of it, which verifies its checksums, and passes it on in pieces: bytes as they are
  /// stored. Numbers only.
  void each_piece(const std::function<void(const void* bytes, std::size_t count)>& take) const;

 private:
  [[nodiscard]] std::int64_t size() const;
  [[nodiscard]] bool is_of_whole_chunks(const Part& part) const;
  void write_chunks(const Part& part, const double* values);
  void write_all(std::int64_t type, const void* values);

  Handle id_;
  std::string what_;                   ///< "<name> of <file>", for messages
  DatasetShape shape_;                 ///< without extents if the dataset is not new
  std::vector<ChunkFilters> filters_;  ///< one for each of its threads
};

/// Common to files that are read and files that are written.
class File {
 public:
  /// Whether there is a dataset or a group of this name, "flow/u", and every group within the name.
  [[nodiscard]] bool has(const std::string& name) const;
  /// Opens it; throws RuntimeFailure if there is none. Destroy it before the file is closed.
  [[nodiscard]] Dataset dataset(const std::string& name) const;

  /// Attributes of the file itself. Check `has_attribute` first: the file may be foreign.
  [[nodiscard]] bool has_attribute(const std::string& name) const;
  /// Empty if it is no text of fixed length; throws RuntimeFailure if there is none.
  [[nodiscard]] std::string text_attribute(const std::string& name) const;
  /// 0 if it is not a single value; throws RuntimeFailure if there is none, or no number.
  [[nodiscard]] std::int64_t count_attribute(const std::string& name) const;

  /// As given; of a NewFile the one that it will have.
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 protected:
  /// Opens nothing: derived classes set `id_`.
  explicit File(std::filesystem::path path) : path_(std::move(path)) {}

  /// Throws "cannot <what> <path>: <cause>", the cause being the library's last failure: NoRoom
  /// where the disk is full, else RuntimeFailure.
  [[noreturn]] void fail(const std::string& what) const;

  std::filesystem::path path_;  ///< for messages
  Handle id_;                   ///< of the open file; closes it in the end
};

/// A file opened for reading.
class OldFile final : public File {
 public:
  /// Throws RuntimeFailure also if it is not a regular file, not an HDF5 file, or truncated.
  explicit OldFile(const std::filesystem::path& path);

  /// Names of all datasets: "flow/u".
  [[nodiscard]] std::vector<std::string> datasets() const;

  /// Reads all datasets, which verifies their checksums.
  void verify() const;
};

/// A file that appears whole or not at all: it is written under a temporary name and renamed. All
/// datasets but those in one piece have checksums (Fletcher's, one per chunk), and so has their
/// metadata. The same calls
/// write the same bytes.
class NewFile final : public File {
 public:
  /// Creates it under its temporary name, in the folder of `path`. Throws NoRoom or RuntimeFailure.
  explicit NewFile(const std::filesystem::path& path);

  /// Removes a file that has not been renamed, whatever has happened, even on a full disk.
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  /// Missing groups of the name, "flow" of "flow/u", are created. Room on disk is reserved first:
  /// see StagedPath.
  Dataset add(const std::string& name, const DatasetShape& shape);

  /// A dataset of one dimension, fp64, written at once.
  void add(const std::string& name, const std::vector<double>& values);
  /// The same of whole numbers, 64 bits each.
  void add(const std::string& name, const std::vector<std::int64_t>& values);
  /// The same of bytes, as they are; Dataset::text reads them.
  void add(const std::string& name, const std::string& bytes);

  /// Adds a text to the file itself, as do those that follow; none of this name may exist.
  void set_attribute(const std::string& name, const std::string& text);
  /// A whole number, 64 bits.
  void set_attribute(const std::string& name, std::int64_t count);
  /// A real, fp64.
  void set_number_attribute(const std::string& name, double number);

  /// The name under which it is written.
  [[nodiscard]] const std::string& temporary() const { return staged_.temporary(); }

  /// See StagedPath.
  void begin_flush() const { staged_.begin_flush(); }

  /// Renames it to its target. All datasets must be closed.
  void commit();

 private:
  Dataset made(const std::string& name, const DatasetShape& shape);

  StagedPath staged_;
};

/// The extents of a chunk of at most 4 MiB with so many bytes per element: whole planes, or whole
/// rows, or a part of one.
std::vector<std::int64_t> chunk_of(const std::vector<std::int64_t>& extents,
                                   std::int64_t element_bytes);

}  // namespace bankfull::hdf5
