#pragma once

#include "bankfull/core/base/dynamic_library.hpp"
#include "tests/core/machine/fake_nvml.hpp"

#include <string>

namespace bankfull {

/// One of the fake libraries of NVML, which reports what `reported` says: its defaults at first.
class FakeDriver {
 public:
  explicit FakeDriver(const std::string& file)
      : library_(file), reported(*DynamicFunction<FakeNvmlAccess>(library_, "fake_nvml")()) {
    reported = {};
  }

 private:
  DynamicLibrary library_;

 public:
  FakeNvml& reported;
};

}  // namespace bankfull
