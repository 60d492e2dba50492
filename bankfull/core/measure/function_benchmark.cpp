#include "bankfull/core/measure/function_benchmark.hpp"

#include "bankfull/core/base/error.hpp"

namespace bankfull {

FunctionBenchmark::FunctionBenchmark(std::string name, Work work, BenchmarkFunctions functions)
    : name_(std::move(name)), work_(std::move(work)), functions_(std::move(functions)) {
  require(functions_.run != nullptr, "the benchmark " + name_ + " has nothing to run",
          "give it a function");
}

void FunctionBenchmark::rewind() {
  if (functions_.rewind) {
    functions_.rewind();
  }
}

std::vector<Check> FunctionBenchmark::checks() {
  return functions_.checks ? functions_.checks() : std::vector<Check>{};
}

}  // namespace bankfull
