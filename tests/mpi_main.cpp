#include "tests/mpi_main.hpp"

#include "bankfull/core/comm/parallel_run.hpp"

#include <cstdint>
#include <cstdio>
#include <exception>
#include <gtest/gtest.h>
#include <string>

namespace {

using bankfull::Communicator;

const Communicator*& world() {
  static const Communicator* ranks = nullptr;
  return ranks;
}

/// Tells what failed on a rank that is not the root: its name first.
class FailuresOfRank final : public testing::EmptyTestEventListener {
 public:
  explicit FailuresOfRank(int rank) : rank_(rank) {}

  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (result.failed()) {
      const char* const file = result.file_name();
      std::fprintf(stderr, "[rank %d] %s:%d: %s\n", rank_, file == nullptr ? "?" : file,
                   result.line_number(), result.message());
    }
  }

 private:
  int rank_;
};

int run_tests(const Communicator& ranks) {
  world() = &ranks;
  // An exception ends the run, all ranks of it: others wait for what this rank would have sent.
  GTEST_FLAG_SET(catch_exceptions, false);
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  if (!ranks.is_root()) {
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailuresOfRank(ranks.rank()));  // gtest deletes it
  }
  const int own = RUN_ALL_TESTS();
  return static_cast<int>(ranks.max(std::int64_t{own}));
}

}  // namespace

const Communicator& bankfull::test_ranks() { return *world(); }

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  bankfull::ParallelRun parallel;
  try {
    return run_tests(parallel.world());
  } catch (const std::exception& error) {
    return parallel.fail(
        bankfull::ExitCode::runtime_failure, error.what(),
        [](const std::string& message) { std::fprintf(stderr, "%s\n", message.c_str()); });
  }
}
