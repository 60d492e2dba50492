#pragma once

#include "bankfull/core/machine/device.hpp"

#include <cstddef>
#include <memory>

// CUDA's handles, declared so that headers need no toolkit.
struct CUstream_st;
struct CUevent_st;

namespace bankfull {

/// Makes the GPU the current one of the calling thread. No effect for the CPU.
void select(Device device);

class Event;

/// Priority of a stream's blocks where several streams of a GPU have some to run.
enum class StreamPriority { low, normal, high };

/// A queue of work on one GPU. Work of one stream runs in order; the host does not wait for it.
/// Exists in builds with CUDA only.
class Stream {
 public:
  /// Selects the GPU, too. Its work is not ordered with that of CUDA's default stream. Throws
  /// RuntimeFailure where CUDA refuses.
  explicit Stream(Device gpu, StreamPriority priority = StreamPriority::normal);

  /// A cudaStream_t, owned by this.
  [[nodiscard]] CUstream_st* handle() const { return handle_.get(); }
  /// The GPU that does its work.
  [[nodiscard]] Device device() const { return device_; }

  /// Waits until all work queued so far is done, and reports what failed in it.
  void synchronize() const;

  /// Work queued from now on waits until the event is passed; the host does not.
  void wait_for(const Event& event) const;

 private:
  struct Release {
    void operator()(CUstream_st* stream) const noexcept;
  };

  Device device_;
  std::unique_ptr<CUstream_st, Release> handle_;
};

/// A point in a stream's work, with the device's time of passing it.
class Event {
 public:
  Event();

  /// Puts the event behind the work queued so far, in place of any point recorded before. The
  /// stream must be of the GPU that was selected when the event was made.
  void record(const Stream& stream);

  /// A cudaEvent_t, owned by this.
  [[nodiscard]] CUevent_st* handle() const { return handle_.get(); }

  /// Waits until the event is passed, and reports what failed in the work before it.
  void synchronize() const;

  /// Seconds on the device between two recorded events; waits for `later`.
  static double seconds_between(const Event& earlier, const Event& later);

 private:
  struct Release {
    void operator()(CUevent_st* event) const noexcept;
  };

  std::unique_ptr<CUevent_st, Release> handle_;
};

/// Queues a copy of `bytes` bytes, host or device on either side. Returns at once for pinned and
/// device memory; with pageable memory it may wait for the copy.
void copy_bytes(void* destination, const void* source, std::size_t bytes, const Stream& stream);

/// Queues setting `bytes` bytes to `value`.
void fill_bytes(void* destination, unsigned char value, std::size_t bytes, const Stream& stream);

}  // namespace bankfull
