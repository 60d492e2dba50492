#include "bankfull/workloads/npb/is/is.hpp"

#include <vector>

namespace bankfull::npb::is {
namespace {

class Reference final : public Benchmark {
 public:
  explicit Reference(Class size)
      : Benchmark(Kernel::is, size),
        keys_(std::size_t{1} << is_parameters(size).log2_keys),
        smaller_(std::size_t{1} << is_parameters(size).log2_values) {
    rewind();
  }

  void rewind() override {
    generate(size(), 0, keys_);
    verdict_ = {};
  }

  void warm_up() override { rank(1); }

  void run() override {
    in_units(pauses(), is_iterations, [&](std::int64_t n) { rank(static_cast<int>(n) + 1); });
  }

  std::vector<Check> checks() override {
    verdict_.sorted = ascend_where_placed(keys_, smaller_);
    return checks_of(verdict_, size());
  }

  [[nodiscard]] Work work() const override {
    const auto key_bytes = static_cast<double>(keys_.size() * sizeof(Key));
    return {.traffic = {.bytes_read = is_iterations * key_bytes},
            .model = "every key once a ranking",
            .working_set_bytes = key_bytes};
  }

 private:
  void rank(int iteration) {
    for (const Change& change : changes_of(size(), iteration)) {
      keys_[static_cast<std::size_t>(change.position)] = change.key;
    }
    std::vector<std::int64_t> counts(smaller_.size(), 0);
    for (const Key key : keys_) {
      ++counts[key];
    }
    std::int64_t sum = 0;
    for (std::size_t value = 0; value < counts.size(); ++value) {
      smaller_[value] = sum;
      sum += counts[value];
    }
    for (int test = 0; test < is_tests; ++test) {
      const std::int64_t position = is_parameters(size()).positions[static_cast<std::size_t>(test)];
      const Key key = keys_[static_cast<std::size_t>(position)];
      verdict_.right_ranks += smaller_[key] == expected_rank(size(), test, iteration) ? 1 : 0;
    }
  }

  std::vector<Key> keys_;
  std::vector<std::int64_t> smaller_;  ///< numbers of keys below each value
  Verdict verdict_;
};

}  // namespace

std::unique_ptr<Benchmark> make_reference(Class size) { return std::make_unique<Reference>(size); }

}  // namespace bankfull::npb::is
