#include "bankfull/core/io/shared_array.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/io/crc32.hpp"
#include "bankfull/core/io/staged_path.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <fcntl.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <utility>

namespace bankfull {
namespace {

/// The name that the file is going to have.
[[noreturn]] void fail_to_write_array(const SharedArray& array, int error) {
  fail_to_write(array.path.substr(0, array.path.rfind(temporary_mark)), error);
}

}  // namespace

static_assert(std::endian::native == std::endian::little, "as files are");

std::uint32_t crc_of(std::vector<CheckedPiece> pieces) {
  std::ranges::sort(pieces, {}, &CheckedPiece::begin);
  Crc32 all;
  std::int64_t end = 0;
  for (const CheckedPiece& piece : pieces) {
    if (piece.begin != end) {
      throw RuntimeFailure("the parts of an array that was written overlap or leave a gap");
    }
    all.append(piece.crc, piece.bytes);
    end += piece.bytes;
  }
  return all.value();
}

SharedArrayWriter::SharedArrayWriter(SharedArray array, int threads)
    : array_(std::move(array)),
      threads_(threads),
      descriptor_(open(array_.path.c_str(), O_WRONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) {
    fail_to_write_array(array_, errno);
  }
}

SharedArrayWriter::~SharedArrayWriter() { close(descriptor_); }

bool SharedArrayWriter::nodes_may_share() const {
  // As statfs(2) and these file systems' sources name them; Linux's own headers lack them.
  constexpr std::array<std::uint32_t, 5> parallel{0x0bd00bd0,   // Lustre
                                                  0x47504653,   // GPFS
                                                  0x19830326,   // BeeGFS
                                                  0x00c36400,   // CephFS
                                                  0xaad7aaea};  // PanFS
  struct statfs status {};
  return fstatfs(descriptor_, &status) == 0 &&
         std::ranges::count(parallel, static_cast<std::uint32_t>(status.f_type)) > 0;
}

void SharedArrayWriter::write(const Box& part, const double* values) {
  const Extents& all = array_.extents;
  expects(part.k0 == 0 && part.k1 == all.nk, "a part has whole rows");
  const Extents n = part.extents();
  const bool has_whole_planes = n.nj == all.nj;
  const std::int64_t runs = has_whole_planes ? 1 : n.ni;
  const std::int64_t count = has_whole_planes ? n.count() : n.nj * n.nk;
  for (std::int64_t run = 0; run < runs && count > 0; ++run) {
    write_run(((part.i0 + run) * all.nj + part.j0) * all.nk, values + run * count, count);
  }
}

void SharedArrayWriter::flush() {
  if (fdatasync(descriptor_) != 0) {
    fail_to_write_array(array_, errno);
  }
}

void SharedArrayWriter::write_run(std::int64_t begin, const double* values, std::int64_t count) {
  const auto of_value = static_cast<std::int64_t>(bytes_of(array_.precision));
  const void* bytes = values;
  if (array_.precision == Precision::fp32) {
    singles_.resize(static_cast<std::size_t>(count));
#pragma omp parallel num_threads(threads_)
    {
      const Range mine = my_share(count);
      for (std::int64_t n = mine.begin; n < mine.end; ++n) {
        singles_[static_cast<std::size_t>(n)] = static_cast<float>(values[n]);
      }
    }
    bytes = singles_.data();
  }
  note(begin * of_value, bytes, count * of_value);
  const auto* next = static_cast<const std::byte*>(bytes);
  std::int64_t at = array_.offset + begin * of_value;
  std::int64_t left = count * of_value;
  while (left > 0) {
    const ssize_t written =
        pwrite(descriptor_, next, static_cast<std::size_t>(left), static_cast<off_t>(at));
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      fail_to_write_array(array_, written < 0 ? errno : EIO);
    }
    next += written;
    at += written;
    left -= written;
  }
}

void SharedArrayWriter::note(std::int64_t begin, const void* bytes, std::int64_t count) {
  if (pieces_.empty() || pieces_.back().begin + pieces_.back().bytes != begin) {
    pieces_.push_back({.begin = begin});
  }
  CheckedPiece& piece = pieces_.back();
  Crc32 crc(piece.crc);
  crc.add(bytes, static_cast<std::size_t>(count), threads_);
  piece.crc = crc.value();
  piece.bytes += count;
}

}  // namespace bankfull
