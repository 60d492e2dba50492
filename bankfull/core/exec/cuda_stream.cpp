#include "bankfull/core/base/cuda_check.hpp"
#include "bankfull/core/exec/stream.hpp"

#include <algorithm>
#include <cuda_runtime_api.h>

namespace bankfull {
namespace {

cudaStream_t new_stream(Device gpu, StreamPriority priority) {
  select(gpu);
  int lowest = 0;
  int highest = 0;
  cuda_check(cudaDeviceGetStreamPriorityRange(&lowest, &highest), "reading stream priorities");
  // Smaller numbers go first.
  const int normal = std::max(highest, lowest - 1);
  const int number = priority == StreamPriority::high  ? highest
                     : priority == StreamPriority::low ? lowest
                                                       : normal;
  cudaStream_t stream = nullptr;
  cuda_check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, number),
             "creating a stream");
  return stream;
}

cudaEvent_t new_event() {
  cudaEvent_t event = nullptr;
  cuda_check(cudaEventCreate(&event), "creating an event");
  return event;
}

}  // namespace

void select(Device device) {
  if (device.is_cuda()) {
    cuda_check(cudaSetDevice(device.index), "selecting the GPU");
  }
}

Stream::Stream(Device gpu, StreamPriority priority)
    : device_(gpu), handle_(new_stream(gpu, priority)) {}

void Stream::synchronize() const {
  cuda_check(cudaStreamSynchronize(handle()), "running queued work");
}

void Stream::wait_for(const Event& event) const {
  cuda_check(cudaStreamWaitEvent(handle(), event.handle(), 0), "ordering streams");
}

void Stream::Release::operator()(CUstream_st* stream) const noexcept {
  static_cast<void>(cudaStreamDestroy(stream));
}

Event::Event() : handle_(new_event()) {}

void Event::record(const Stream& stream) {
  cuda_check(cudaEventRecord(handle_.get(), stream.handle()), "recording an event");
}

void Event::synchronize() const {
  cuda_check(cudaEventSynchronize(handle_.get()), "running queued work");
}

double Event::seconds_between(const Event& earlier, const Event& later) {
  cuda_check(cudaEventSynchronize(later.handle_.get()), "waiting for an event");
  float milliseconds = 0.0F;
  cuda_check(cudaEventElapsedTime(&milliseconds, earlier.handle_.get(), later.handle_.get()),
             "reading the time between events");
  return static_cast<double>(milliseconds) * 1e-3;
}

void Event::Release::operator()(CUevent_st* event) const noexcept {
  static_cast<void>(cudaEventDestroy(event));
}

void copy_bytes(void* destination, const void* source, std::size_t bytes, const Stream& stream) {
  cuda_check(cudaMemcpyAsync(destination, source, bytes, cudaMemcpyDefault, stream.handle()),
             "queueing a copy");
}

void fill_bytes(void* destination, unsigned char value, std::size_t bytes, const Stream& stream) {
  cuda_check(cudaMemsetAsync(destination, value, bytes, stream.handle()), "queueing a fill");
}

}  // namespace bankfull
