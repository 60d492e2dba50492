#pragma once

#include "bankfull/core/comm/gpu_transport.hpp"
#include "bankfull/core/exec/stream.hpp"
#include "bankfull/core/machine/gpu.hpp"
#include "tests/mpi_main.hpp"

#include <gtest/gtest.h>
#include <string>

namespace bankfull {

/// Ranks beyond the number of GPUs share them: slow, but just as correct.
inline Device own_gpu() {
  return Device::cuda(test_ranks().local_rank() % static_cast<int>(survey_gpus().gpus.size()));
}

/// A test on the GPUs of all ranks, skipped where there is none. `Base`: a class of GoogleTest.
template <class Base = ::testing::Test>
class OnOwnGpu : public Base {
 protected:
  void SetUp() override {
    if (survey_gpus().gpus.empty()) {
      GTEST_SKIP() << survey_gpus().none_because;
    }
    select(own_gpu());
  }
};

/// A test of every transport between GPUs; those that cannot be used here are skipped.
class GpuTransportTest : public ::testing::TestWithParam<Transport> {
 protected:
  void SetUp() override {
    if (survey_gpus().gpus.empty()) {
      GTEST_SKIP() << survey_gpus().none_because;
    }
    select(own_gpu());
    const std::string obstacle = gpu_transport_obstacle(GetParam(), test_ranks(), own_gpu());
    if (!obstacle.empty()) {
      GTEST_SKIP() << to_string(GetParam()) << ": " << obstacle;
    }
  }
};

inline auto gpu_transports() {
  return ::testing::Values(Transport::automatic, Transport::peer, Transport::nccl,
                           Transport::mpi_device, Transport::mpi);
}

/// For the name of a test.
inline std::string plain_name(const ::testing::TestParamInfo<Transport>& parameter) {
  std::string name = to_string(parameter.param);
  std::erase(name, '-');
  return name;
}

}  // namespace bankfull
