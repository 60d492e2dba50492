#pragma once

#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/core/measure/traffic.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

// What kernels read and write, found out by what changes: a GPU has no value type that counts.
namespace bankfull::gpu_traffic {

/// An array in GPU memory, filled with numbers that differ, whose elements a pass may read and
/// write. Elements that are not listed, such as padding, do not count.
class Array {
 public:
  template <class T>
  Array(const T* data, std::int64_t size, std::vector<std::int64_t> listed)
      : data_(const_cast<T*>(data)),
        bytes_(static_cast<std::size_t>(size) * sizeof(T)),
        element_bytes_(sizeof(T)),
        listed_(std::move(listed)) {}

  /// All of whose elements count.
  template <class T>
  Array(const T* data, std::int64_t size) : Array(data, size, {}) {
    for (std::int64_t n = 0; n < size; ++n) {
      listed_.push_back(n);
    }
  }

  [[nodiscard]] const std::vector<std::int64_t>& listed() const { return listed_; }
  [[nodiscard]] std::size_t element_bytes() const { return element_bytes_; }
  [[nodiscard]] std::size_t place(std::int64_t element) const {
    return static_cast<std::size_t>(element) * element_bytes_;
  }

  [[nodiscard]] std::vector<std::byte> download(const CudaExecutor& gpu) const {
    return gpu.to_host(static_cast<const std::byte*>(data_), static_cast<std::int64_t>(bytes_));
  }
  void upload(const CudaExecutor& gpu, const std::vector<std::byte>& values) const {
    gpu.from_host(values, static_cast<std::byte*>(data_));
  }

 private:
  void* data_;
  std::size_t bytes_;
  std::size_t element_bytes_;
  std::vector<std::int64_t> listed_;
};

using Contents = std::vector<std::vector<std::byte>>;  // of several arrays

/// Runs a pass again and again on the same contents.
class Watch {
 public:
  Watch(const CudaExecutor& gpu, std::vector<Array> arrays)
      : gpu_(gpu), arrays_(std::move(arrays)) {
    for (const Array& array : arrays_) {
      before_.push_back(array.download(gpu));
    }
  }

  /// Bytes that a pass reads and writes. An element is written if it changes. It is read if what
  /// the pass writes, to it or elsewhere, is different where it is made no number. Of each array
  /// one in `apart` elements is tried, and stands for as many.
  template <class Pass>
  [[nodiscard]] Traffic traffic_of(const Pass& pass, std::int64_t apart = 1) const {
    const Contents after = contents_after(before_, pass);
    Traffic found;
    for (std::size_t a = 0; a < arrays_.size(); ++a) {
      const std::vector<std::int64_t>& listed = arrays_[a].listed();
      const auto bytes = static_cast<double>(arrays_[a].element_bytes());
      found.bytes_written += bytes * static_cast<double>(std::ranges::count_if(listed, [&](auto n) {
                               return differs(a, n, before_, after);
                             }));
      std::int64_t tried = 0;
      std::int64_t read = 0;
      for (std::size_t n = 0; n < listed.size(); n += static_cast<std::size_t>(apart), ++tried) {
        read += reaches_others(a, listed[n], after, pass) ? 1 : 0;
      }
      found.bytes_read += bytes * static_cast<double>(listed.size()) * static_cast<double>(read) /
                          static_cast<double>(std::max<std::int64_t>(tried, 1));
    }
    return found;
  }

 private:
  template <class Pass>
  [[nodiscard]] Contents contents_after(const Contents& start, const Pass& pass) const {
    Contents end;
    for (std::size_t a = 0; a < arrays_.size(); ++a) {
      arrays_[a].upload(gpu_, start[a]);
    }
    pass();
    for (const Array& array : arrays_) {
      end.push_back(array.download(gpu_));
    }
    return end;
  }

  [[nodiscard]] bool differs(std::size_t a, std::int64_t element, const Contents& one,
                             const Contents& other) const {
    const std::size_t at = arrays_[a].place(element);
    return std::memcmp(one[a].data() + at, other[a].data() + at, arrays_[a].element_bytes()) != 0;
  }

  template <class Pass>
  [[nodiscard]] bool reaches_others(std::size_t a, std::int64_t element, const Contents& after,
                                    const Pass& pass) const {
    const std::size_t at = arrays_[a].place(element);
    Contents start = before_;
    std::memset(start[a].data() + at, 0xff, arrays_[a].element_bytes());
    Contents end = contents_after(start, pass);
    if (!differs(a, element, before_, after)) {  // it keeps what it was made
      std::memcpy(end[a].data() + at, after[a].data() + at, arrays_[a].element_bytes());
    }
    return end != after;
  }

  const CudaExecutor& gpu_;
  std::vector<Array> arrays_;
  Contents before_;
};

/// Bytes alone: flops are those that CPUs count.
inline void expect_equal_bytes(const Traffic& declared, const Traffic& found) {
  EXPECT_EQ(declared.bytes_read, found.bytes_read);
  EXPECT_EQ(declared.bytes_written, found.bytes_written);
}

}  // namespace bankfull::gpu_traffic
