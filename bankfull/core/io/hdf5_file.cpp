#include "bankfull/core/io/hdf5_file.hpp"

#include "bankfull/core/base/bytes.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/io/hdf5_chunk.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <functional>
#include <hdf5.h>
#include <numeric>
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <type_traits>
#include <unistd.h>

namespace bankfull::hdf5 {
namespace {

static_assert(std::is_same_v<hid_t, std::int64_t> && std::is_same_v<herr_t, int>,
              "Handle owns identifiers of this library");

/// For headers, and what a file system rounds up to.
constexpr std::int64_t bytes_beside_data = 64 * kib;
constexpr std::int64_t bytes_beside_chunk = 64;

/// To be called by each thread that uses the library. The library prints its errors unless this is
/// turned off in each thread (if it is thread-aware); we report them ourselves. At exit it must not
/// close objects that it could not close before: it would crash.
void start_library() {
  static const bool started = H5dont_atexit() >= 0 && H5open() >= 0;
  thread_local const bool is_quiet = H5Eset_auto2(0, nullptr, nullptr) >= 0;
  if (!started || !is_quiet) {
    throw RuntimeFailure("the HDF5 library does not start");
  }
}

/// The system's error in a description of the library: "..., errno = 28, error message = 'No space
/// left on device', ..."; 0 if there is none.
int error_of_system(const std::string& description) {
  constexpr std::string_view mark = "errno = ";
  const std::size_t begin = description.find(mark);
  return begin == std::string::npos ? 0 : std::atoi(description.c_str() + begin + mark.size());
}

/// The cause of the last failure, in the library's words.
std::string cause_of_failure() {
  std::string cause;
  const auto take_first = [](unsigned number, const H5E_error2_t* error, void* to) -> herr_t {
    if (number == 0 && error->desc != nullptr) {
      *static_cast<std::string*>(to) = error->desc;
    }
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, &cause);
  H5Eclear2(H5E_DEFAULT);
  return cause.empty() ? "HDF5 does not say why" : cause;
}

[[noreturn]] void fail_to(const std::string& what) {
  const std::string cause = cause_of_failure();
  const int error = error_of_system(cause);
  const std::string line =
      "cannot " + what + ": " + (error == 0 ? cause : std::string(std::strerror(error)));
  if (is_lack_of_room(error)) {
    throw NoRoom(line);
  }
  throw RuntimeFailure(line);
}

/// The library returns at least 0, or a negative value on failure.
template <class Return>
Return checked(Return value, const std::string& what) {
  if (value < 0) {
    fail_to(what);
  }
  return value;
}

Handle owned(hid_t id, Handle::Close close, const std::string& what) {
  return {checked(id, what), close};
}

/// Discards what the library still buffers of an object's file: the file is abandoned. Otherwise it
/// could not be closed on a full disk.
void give_up_file_of(hid_t object) {
  const Handle file(H5Iget_file_id(object), H5Fclose);
  void* descriptor = nullptr;
  if (file.id() >= 0 && H5Fget_vfd_handle(file.id(), H5P_DEFAULT, &descriptor) >= 0) {
    const int nowhere = memfd_create("given up", MFD_CLOEXEC);
    if (nowhere >= 0) {
      static_cast<void>(dup3(nowhere, *static_cast<const int*>(descriptor), O_CLOEXEC));
      close(nowhere);
    }
  }
  H5Eclear2(H5E_DEFAULT);
}

/// Runs an action that writes to the file of an object; the file is abandoned if it fails.
template <class Body>
decltype(auto) writing_to(hid_t object, const Body& body) {
  try {
    return body();
  } catch (...) {
    give_up_file_of(object);
    throw;
  }
}

hid_t type_in_file(Element element) {
  switch (element) {
    case Element::fp32:
      return H5T_IEEE_F32LE;
    case Element::fp64:
      return H5T_IEEE_F64LE;
    case Element::int64:
      return H5T_STD_I64LE;
    case Element::byte:
      break;
  }
  return H5T_STD_U8LE;
}

std::int64_t bytes_of(Element element) {
  return static_cast<std::int64_t>(H5Tget_size(type_in_file(element)));
}

std::vector<hsize_t> sizes(const std::vector<std::int64_t>& of) { return {of.begin(), of.end()}; }

std::int64_t count_of(const std::vector<std::int64_t>& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

Handle space_of(const std::vector<std::int64_t>& extents, const std::string& what) {
  const std::vector<hsize_t> dimensions = sizes(extents);
  return owned(H5Screate_simple(static_cast<int>(dimensions.size()), dimensions.data(), nullptr),
               H5Sclose, what);
}

/// File access properties: the library does no locking (runs lock their folder, and not every file
/// system supports locks), closing a file closes all its objects, and the format has checksums of
/// all metadata.
Handle access_properties(const std::string& what) {
  Handle access = owned(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, what);
  checked(H5Pset_file_locking(access.id(), false, true), what);
  checked(H5Pset_fclose_degree(access.id(), H5F_CLOSE_STRONG), what);
  checked(H5Pset_libver_bounds(access.id(), H5F_LIBVER_V110, H5F_LIBVER_V110), what);
  return access;
}

Handle properties_of(const DatasetShape& shape, const std::string& what) {
  Handle properties = owned(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, what);
  checked(H5Pset_obj_track_times(properties.id(), false), what);  // the same calls, the same bytes
  if (count_of(shape.extents) == 0) {
    return properties;  // no chunk is that small
  }
  if (shape.in_one_piece) {
    checked(H5Pset_layout(properties.id(), H5D_CONTIGUOUS), what);
    checked(H5Pset_alloc_time(properties.id(), H5D_ALLOC_TIME_EARLY), what);
    checked(H5Pset_fill_time(properties.id(), H5D_FILL_TIME_NEVER), what);
    return properties;
  }
  const std::vector<hsize_t> chunk = sizes(chunk_of(shape.extents, bytes_of(shape.element)));
  checked(H5Pset_chunk(properties.id(), static_cast<int>(chunk.size()), chunk.data()), what);
  checked(H5Pset_fill_time(properties.id(), H5D_FILL_TIME_NEVER), what);
  if (shape.deflate > 0) {
    checked(H5Pset_shuffle(properties.id()), what);
    checked(H5Pset_deflate(properties.id(), static_cast<unsigned>(shape.deflate)), what);
  }
  checked(H5Pset_fletcher32(properties.id()), what);
  return properties;
}

/// Creates the missing groups of a name: "flow" for "flow/u". Without creation times.
void make_groups_of(hid_t file, const std::string& name, const std::string& what) {
  const Handle creation = owned(H5Pcreate(H5P_GROUP_CREATE), H5Pclose, what);
  checked(H5Pset_obj_track_times(creation.id(), false), what);
  for (std::size_t end = name.find('/'); end != std::string::npos; end = name.find('/', end + 1)) {
    const std::string group = name.substr(0, end);
    if (checked(H5Lexists(file, group.c_str(), H5P_DEFAULT), what) == 0) {
      static_cast<void>(
          owned(H5Gcreate2(file, group.c_str(), H5P_DEFAULT, creation.id(), H5P_DEFAULT), H5Gclose,
                what));
    }
  }
}

/// A part of a dataset in its file, and the same in memory.
struct Selection {
  Selection(std::int64_t dataset, const Part& part, const std::string& what)
      : in_file(owned(H5Dget_space(dataset), H5Sclose, what)),
        in_memory(space_of(part.count, what)) {
    checked(H5Sselect_hyperslab(in_file.id(), H5S_SELECT_SET, sizes(part.start).data(), nullptr,
                                sizes(part.count).data(), nullptr),
            what);
  }

  Handle in_file;
  Handle in_memory;
};

/// The chunks of a part that consists of whole chunks, in the order of their positions.
class ChunkGrid {
 public:
  ChunkGrid(const Part& part, std::vector<std::int64_t> chunk)
      : part_(part), chunk_(std::move(chunk)) {
    for (std::size_t n = 0; n < chunk_.size(); ++n) {
      counts_.push_back((part.count[n] + chunk_[n] - 1) / chunk_[n]);
    }
  }

  [[nodiscard]] std::int64_t count() const { return count_of(counts_); }

  /// The position of a chunk's first element in the dataset.
  [[nodiscard]] std::vector<std::int64_t> place(std::int64_t number) const {
    std::vector<std::int64_t> place = index_of(number, counts_);
    for (std::size_t n = 0; n < place.size(); ++n) {
      place[n] = part_.start[n] + place[n] * chunk_[n];
    }
    return place;
  }

  /// Its elements as reals of the file, from the part's values; 0 beyond the dataset's end.
  template <class Real>
  void copy(std::int64_t number, const double* values, ChunkFilters& filters) const {
    std::vector<std::int64_t> first = place(number);
    std::vector<std::int64_t> rows = chunk_;  // how many there are along each dimension
    for (std::size_t n = 0; n < first.size(); ++n) {
      first[n] -= part_.start[n];
      rows[n] = std::min(chunk_[n], part_.count[n] - first[n]);
    }
    std::vector<std::uint8_t>& bytes =
        filters.elements(static_cast<std::size_t>(count_of(chunk_)) * sizeof(Real));
    if (rows != chunk_) {
      std::ranges::fill(bytes, std::uint8_t{0});
    }
    const std::int64_t length = take_contiguous(rows);
    for (std::int64_t row = 0; row < count_of(rows); ++row) {
      const std::vector<std::int64_t> at = index_of(row, rows);
      std::int64_t from = 0;
      std::int64_t to = 0;
      for (std::size_t n = 0; n < at.size(); ++n) {
        from = from * part_.count[n] + first[n] + at[n];
        to = to * chunk_[n] + at[n];
      }
      copy_row<Real>(values + from, length,
                     bytes.data() + to * static_cast<std::int64_t>(sizeof(Real)));
    }
  }

 private:
  static std::vector<std::int64_t> index_of(std::int64_t number,
                                            const std::vector<std::int64_t>& counts) {
    std::vector<std::int64_t> index(counts.size());
    for (std::size_t n = counts.size(); n-- > 0;) {
      index[n] = number % counts[n];
      number /= counts[n];
    }
    return index;
  }

  /// The number of elements that are contiguous both in the part and in the chunk; sets the extents
  /// of their dimensions to 1.
  std::int64_t take_contiguous(std::vector<std::int64_t>& rows) const {
    std::size_t n = rows.size() - 1;
    while (n > 0 && rows[n] == chunk_[n] && rows[n] == part_.count[n]) {
      --n;
    }
    const auto first = rows.begin() + static_cast<std::ptrdiff_t>(n);
    const std::int64_t length =
        std::accumulate(first, rows.end(), std::int64_t{1}, std::multiplies<>());
    std::fill(first, rows.end(), 1);
    return length;
  }

  template <class Real>
  static void copy_row(const double* from, std::int64_t count, std::uint8_t* to) {
    static_assert(std::endian::native == std::endian::little, "as files are");
    for (std::int64_t n = 0; n < count; ++n) {
      const auto value = static_cast<Real>(from[n]);
      std::memcpy(to + n * static_cast<std::int64_t>(sizeof(Real)), &value, sizeof(Real));
    }
  }

  const Part& part_;
  std::vector<std::int64_t> chunk_;
  std::vector<std::int64_t> counts_;  ///< chunks of the part along each dimension
};

Part whole(const std::vector<std::int64_t>& extents) {
  return {std::vector<std::int64_t>(extents.size(), 0), extents};
}

/// The types of an element in the file and in memory.
struct AttributeTypes {
  hid_t in_file;
  hid_t in_memory;
};

/// One value, as an attribute of a file or of a dataset.
void write_attribute(hid_t of, const std::string& name, const AttributeTypes& types,
                     const void* value, const std::string& where) {
  const std::string what = "write " + name + " of " + where;
  const Handle space = owned(H5Screate(H5S_SCALAR), H5Sclose, what);
  const Handle attribute =
      owned(H5Acreate2(of, name.c_str(), types.in_file, space.id(), H5P_DEFAULT, H5P_DEFAULT),
            H5Aclose, what);
  checked(H5Awrite(attribute.id(), types.in_memory, value), what);
}

void write_text_attribute(hid_t of, const std::string& name, const std::string& text,
                          const std::string& where) {
  const std::string what = "write " + name + " of " + where;
  const Handle type = owned(H5Tcopy(H5T_C_S1), H5Tclose, what);
  checked(H5Tset_size(type.id(), text.size() + 1), what);
  write_attribute(of, name, {type.id(), type.id()}, text.c_str(), where);
}

void require_plain_file(const std::filesystem::path& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    throw RuntimeFailure("cannot read " + path.string() + ": " + std::strerror(errno));
  }
  if (!S_ISREG(status.st_mode)) {
    throw RuntimeFailure("cannot read " + path.string() + ": it is not a file");
  }
}

}  // namespace

std::vector<std::int64_t> chunk_of(const std::vector<std::int64_t>& extents,
                                   std::int64_t element_bytes) {
  constexpr std::int64_t max_bytes = 4 * mib;
  std::vector<std::int64_t> chunk(extents.size(), 1);
  std::int64_t room = max_bytes / element_bytes;
  for (std::size_t n = extents.size(); n-- > 0;) {
    chunk[n] = std::max<std::int64_t>(1, std::min(room, extents[n]));
    room /= chunk[n];
  }
  return chunk;
}

Dataset::Dataset(Handle id, std::string what) : id_(std::move(id)), what_(std::move(what)) {}

Dataset::Dataset(Handle id, std::string what, DatasetShape shape)
    : id_(std::move(id)),
      what_(std::move(what)),
      shape_(std::move(shape)),
      filters_(static_cast<std::size_t>(std::max(1, shape_.threads)),
               ChunkFilters(static_cast<std::size_t>(bytes_of(shape_.element)), shape_.deflate)) {}

std::vector<std::int64_t> Dataset::extents() const {
  const std::string what = "read " + what_;
  const Handle space = owned(H5Dget_space(id_.id()), H5Sclose, what);
  std::vector<hsize_t> dimensions(
      static_cast<std::size_t>(checked(H5Sget_simple_extent_ndims(space.id()), what)));
  checked(H5Sget_simple_extent_dims(space.id(), dimensions.data(), nullptr), what);
  return {dimensions.begin(), dimensions.end()};
}

std::int64_t Dataset::size() const { return count_of(extents()); }

bool Dataset::is_of_whole_chunks(const Part& part) const {
  if (shape_.element != Element::fp64 && shape_.element != Element::fp32) {
    return false;
  }
  const std::vector<std::int64_t> chunk = chunk_of(shape_.extents, bytes_of(shape_.element));
  for (std::size_t n = 0; n < shape_.extents.size(); ++n) {
    const std::int64_t end = part.start[n] + part.count[n];
    if (part.start[n] % chunk[n] != 0 || (end % chunk[n] != 0 && end != shape_.extents[n])) {
      return false;
    }
  }
  return !shape_.extents.empty() && count_of(part.count) > 0;
}

/// Chunks are formed in parallel and written to the file in order: the same bytes with any number
/// of threads.
void Dataset::write_chunks(const Part& part, const double* values) {
  const std::string what = "write " + what_;
  const ChunkGrid chunks(part, chunk_of(shape_.extents, bytes_of(shape_.element)));
  const auto threads = static_cast<int>(filters_.size());
  std::exception_ptr failure;  // touched in the ordered part alone
#pragma omp parallel for ordered schedule(dynamic) num_threads(threads)
  for (std::int64_t n = 0; n < chunks.count(); ++n) {
    ChunkFilters& filters = filters_[static_cast<std::size_t>(share_number())];
    const StoredChunk* chunk = nullptr;
    std::exception_ptr not_formed;
    try {
      if (shape_.element == Element::fp32) {
        chunks.copy<float>(n, values, filters);
      } else {
        chunks.copy<double>(n, values, filters);
      }
      chunk = &filters.apply();
    } catch (...) {
      not_formed = std::current_exception();
    }
#pragma omp ordered
    try {
      start_library();
      if (!failure && not_formed) {
        failure = not_formed;
      } else if (!failure) {
        const std::vector<hsize_t> place = sizes(chunks.place(n));
        checked(H5Dwrite_chunk(id_.id(), H5P_DEFAULT, chunk->skipped_filters, place.data(),
                               chunk->bytes.size(), chunk->bytes.data()),
                what);
      }
    } catch (...) {
      failure = std::current_exception();
    }
  }
  if (failure) {
    std::rethrow_exception(failure);
  }
}

void Dataset::write(const Part& part, const double* values) {
  writing_to(id_.id(), [&] {
    if (is_of_whole_chunks(part)) {
      write_chunks(part, values);
      return;
    }
    const std::string what = "write " + what_;
    const Selection selected(id_.id(), part, what);
    checked(H5Dwrite(id_.id(), H5T_NATIVE_DOUBLE, selected.in_memory.id(), selected.in_file.id(),
                     H5P_DEFAULT, values),
            what);
  });
}

/// Writes all of it from memory of this type.
void Dataset::write_all(std::int64_t type, const void* values) {
  writing_to(id_.id(), [&] {
    checked(H5Dwrite(id_.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), "write " + what_);
  });
}

void Dataset::read(const Part& part, double* values) const {
  const std::string what = "read " + what_;
  const Selection selected(id_.id(), part, what);
  checked(H5Dread(id_.id(), H5T_NATIVE_DOUBLE, selected.in_memory.id(), selected.in_file.id(),
                  H5P_DEFAULT, values),
          what);
}

void Dataset::set_attribute(const std::string& name, const std::string& text) {
  writing_to(id_.id(), [&] { write_text_attribute(id_.id(), name, text, what_); });
}

std::int64_t Dataset::offset() const {
  const haddr_t offset = H5Dget_offset(id_.id());
  if (offset == HADDR_UNDEF) {
    fail_to("find the place of " + what_);
  }
  return static_cast<std::int64_t>(offset);
}

void Dataset::write(const std::vector<double>& values) {
  if (!shape_.extents.empty() && !values.empty()) {
    write(whole(shape_.extents), values.data());
    return;
  }
  write_all(H5T_NATIVE_DOUBLE, values.data());
}

void Dataset::write(const std::vector<std::int64_t>& values) {
  write_all(H5T_NATIVE_INT64, values.data());
}

void Dataset::write(const std::string& bytes) { write_all(H5T_NATIVE_UCHAR, bytes.data()); }

std::vector<double> Dataset::numbers() const {
  std::vector<double> values(static_cast<std::size_t>(size()));
  checked(H5Dread(id_.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
          "read " + what_);
  return values;
}

std::vector<std::int64_t> Dataset::counts() const {
  std::vector<std::int64_t> values(static_cast<std::size_t>(size()));
  checked(H5Dread(id_.id(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
          "read " + what_);
  return values;
}

std::string Dataset::text() const {
  std::string bytes(static_cast<std::size_t>(size()), '\0');
  checked(H5Dread(id_.id(), H5T_NATIVE_UCHAR, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()),
          "read " + what_);
  return bytes;
}

void Dataset::each_piece(
    const std::function<void(const void* bytes, std::size_t count)>& take) const {
  const std::string what = "read " + what_;
  const Handle type = owned(H5Dget_type(id_.id()), H5Tclose, what);
  const std::vector<std::int64_t> all = extents();
  const H5T_class_t kind = H5Tget_class(type.id());
  if (all.empty() || (kind != H5T_INTEGER && kind != H5T_FLOAT)) {
    throw RuntimeFailure("cannot " + what + ": it is not an array of numbers");
  }
  if (count_of(all) == 0) {
    return;
  }
  // Slices across the first dimension, as thick as chunks are.
  const auto element_bytes = static_cast<std::int64_t>(H5Tget_size(type.id()));
  const std::int64_t slice = std::max<std::int64_t>(1, chunk_of(all, element_bytes).front());
  Part part = whole(all);
  part.count.front() = slice;
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(count_of(part.count) * element_bytes));
  for (std::int64_t begin = 0; begin < all.front(); begin += slice) {
    part.start.front() = begin;
    part.count.front() = std::min(slice, all.front() - begin);
    const Selection selected(id_.id(), part, what);
    checked(H5Dread(id_.id(), type.id(), selected.in_memory.id(), selected.in_file.id(),
                    H5P_DEFAULT, bytes.data()),
            what);
    take(bytes.data(), static_cast<std::size_t>(count_of(part.count) * element_bytes));
  }
}

void File::fail(const std::string& what) const { fail_to(what + " " + path_.string()); }

bool File::has(const std::string& name) const {
  // Checks every group of the name, because the library fails if one is missing.
  for (std::size_t end = name.find('/'); true; end = name.find('/', end + 1)) {
    const std::string part = name.substr(0, end);
    if (H5Lexists(id_.id(), part.c_str(), H5P_DEFAULT) <= 0) {
      H5Eclear2(H5E_DEFAULT);
      return false;
    }
    if (end == std::string::npos) {
      return true;
    }
  }
}

Dataset File::dataset(const std::string& name) const {
  const std::string what = name + " of " + path_.string();
  return {owned(H5Dopen2(id_.id(), name.c_str(), H5P_DEFAULT), H5Dclose, "read " + what), what};
}

bool File::has_attribute(const std::string& name) const {
  return H5Aexists(id_.id(), name.c_str()) > 0;
}

std::string File::text_attribute(const std::string& name) const {
  const std::string what = "read " + name + " of " + path_.string();
  const Handle attribute = owned(H5Aopen(id_.id(), name.c_str(), H5P_DEFAULT), H5Aclose, what);
  const Handle type = owned(H5Aget_type(attribute.id()), H5Tclose, what);
  if (H5Tget_class(type.id()) != H5T_STRING || H5Tis_variable_str(type.id()) != 0) {
    return "";  // written by another program
  }
  std::string text(H5Tget_size(type.id()), '\0');
  checked(H5Aread(attribute.id(), type.id(), text.data()), what);
  return text.substr(0, text.find('\0'));
}

std::int64_t File::count_attribute(const std::string& name) const {
  const std::string what = "read " + name + " of " + path_.string();
  const Handle attribute = owned(H5Aopen(id_.id(), name.c_str(), H5P_DEFAULT), H5Aclose, what);
  const Handle space = owned(H5Aget_space(attribute.id()), H5Sclose, what);
  std::int64_t count = 0;
  if (H5Sget_simple_extent_npoints(space.id()) == 1) {
    checked(H5Aread(attribute.id(), H5T_NATIVE_INT64, &count), what);
  }
  return count;
}

OldFile::OldFile(const std::filesystem::path& path) : File(path) {
  start_library();
  require_plain_file(path);
  if (H5Fis_hdf5(path.c_str()) <= 0) {
    H5Eclear2(H5E_DEFAULT);
    throw RuntimeFailure("cannot read " + path.string() + ": it is not an HDF5 file");
  }
  const std::string what = "read " + path.string();
  const Handle access = access_properties(what);
  id_ = owned(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id()), H5Fclose, what);
}

std::vector<std::string> OldFile::datasets() const {
  std::vector<std::string> names;
  const auto note = [](hid_t root, const char* name, const H5L_info_t* /*link*/,
                       void* to) -> herr_t {
    const Handle object(H5Oopen(root, name, H5P_DEFAULT), H5Oclose);
    if (object.id() < 0) {
      return -1;
    }
    if (H5Iget_type(object.id()) == H5I_DATASET) {
      static_cast<std::vector<std::string>*>(to)->emplace_back(name);
    }
    return 0;
  };
  checked(H5Lvisit(id_.id(), H5_INDEX_NAME, H5_ITER_INC, note, &names), "read " + path_.string());
  return names;
}

void OldFile::verify() const {
  for (const std::string& name : datasets()) {
    dataset(name).each_piece([](const void* /*bytes*/, std::size_t /*count*/) {});
  }
}

NewFile::NewFile(const std::filesystem::path& path) : File(path), staged_(path) {
  start_library();
  staged_.reserve(bytes_beside_data);
  const std::string what = "write " + path.string();
  const Handle access = access_properties(what);
  const Handle creation = owned(H5Pcreate(H5P_FILE_CREATE), H5Pclose, what);
  checked(H5Pset_obj_track_times(creation.id(), false), what);
  id_ = owned(H5Fcreate(staged_.temporary().c_str(), H5F_ACC_TRUNC, creation.id(), access.id()),
              H5Fclose, what);
}

/// A file that has been renamed has nothing left to close.
NewFile::~NewFile() {
  if (id_.id() >= 0) {
    give_up_file_of(id_.id());
  }
}

Dataset NewFile::add(const std::string& name, const DatasetShape& shape) {
  return writing_to(id_.id(), [&] { return made(name, shape); });
}

Dataset NewFile::made(const std::string& name, const DatasetShape& shape) {
  const std::string what = name + " of " + path_.string();
  const std::string writing = "write " + what;
  // Chunks at the ends are stored at full size.
  const std::vector<std::int64_t> chunk = chunk_of(shape.extents, bytes_of(shape.element));
  std::int64_t chunks = 1;
  for (std::size_t n = 0; n < chunk.size(); ++n) {
    chunks *= (shape.extents[n] + chunk[n] - 1) / chunk[n];
  }
  staged_.reserve(chunks * (count_of(chunk) * bytes_of(shape.element) + bytes_beside_chunk) +
                  bytes_beside_data);
  make_groups_of(id_.id(), name, writing);
  const Handle space = space_of(shape.extents, writing);
  const Handle properties = properties_of(shape, writing);
  return {owned(H5Dcreate2(id_.id(), name.c_str(), type_in_file(shape.element), space.id(),
                           H5P_DEFAULT, properties.id(), H5P_DEFAULT),
                H5Dclose, writing),
          what, shape};
}

void NewFile::add(const std::string& name, const std::vector<double>& values) {
  add(name, {Element::fp64, {static_cast<std::int64_t>(values.size())}}).write(values);
}

void NewFile::add(const std::string& name, const std::vector<std::int64_t>& values) {
  add(name, {Element::int64, {static_cast<std::int64_t>(values.size())}}).write(values);
}

void NewFile::add(const std::string& name, const std::string& bytes) {
  add(name, {Element::byte, {static_cast<std::int64_t>(bytes.size())}}).write(bytes);
}

void NewFile::set_attribute(const std::string& name, const std::string& text) {
  writing_to(id_.id(), [&] { write_text_attribute(id_.id(), name, text, path_.string()); });
}

void NewFile::set_attribute(const std::string& name, std::int64_t count) {
  writing_to(id_.id(), [&] {
    write_attribute(id_.id(), name, {H5T_STD_I64LE, H5T_NATIVE_INT64}, &count, path_.string());
  });
}

void NewFile::set_number_attribute(const std::string& name, double number) {
  writing_to(id_.id(), [&] {
    write_attribute(id_.id(), name, {H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE}, &number, path_.string());
  });
}

void NewFile::commit() {
  writing_to(id_.id(), [&] {
    if (H5Fflush(id_.id(), H5F_SCOPE_LOCAL) < 0) {
      fail("write");
    }
  });
  if (id_.release() < 0) {
    fail("write");
  }
  staged_.replace();
}

}  // namespace bankfull::hdf5
