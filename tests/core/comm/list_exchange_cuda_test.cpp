#include "bankfull/core/exec/graph.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "tests/core/comm/gpu_transports.hpp"
#include "tests/core/comm/list_exchange.hpp"

#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace bankfull {
namespace {

/// The vector of one rank in GPU memory.
template <class T>
class GpuVector {
 public:
  GpuVector(const ListCase& c, const Stream& stream)
      : part_(c, test_ranks()),
        stream_(stream),
        buffer_(MemorySpace::device, part_.template filled<T>(0).size()) {}

  void fill(int round) {
    const auto values = part_.template filled<T>(round);
    copy_bytes(buffer_.data(), values.data(), buffer_.bytes(), stream_);
    stream_.synchronize();
  }

  void check(int round) const {
    std::vector<T> values(buffer_.size());
    copy_bytes(values.data(), buffer_.data(), buffer_.bytes(), stream_);
    stream_.synchronize();
    expect_same(values, part_.template exchanged<T>(round));
  }

  [[nodiscard]] const ListPart& part() const { return part_; }
  [[nodiscard]] T* data() const { return buffer_.data(); }

 private:
  ListPart part_;
  const Stream& stream_;
  Buffer<T> buffer_;
};

class GpuListExchange : public GpuTransportTest {
 protected:
  template <class T>
  static std::unique_ptr<ListExchange<T>> exchange_of(const std::vector<ListNeighbour>& neighbours,
                                                      const Stream& stream) {
    return make_list_exchange<T>(
        ListSetup{.ranks = test_ranks(), .neighbours = neighbours, .transport = GetParam()},
        stream);
  }

  template <class T>
  static void check_case(const ListCase& c) {
    const Stream stream(own_gpu());
    GpuVector<T> vector(c, stream);
    const auto exchange = exchange_of<T>(vector.part().neighbours(), stream);
    EXPECT_EQ(exchange->sent_bytes(), vector.part().sent() * static_cast<std::int64_t>(sizeof(T)));
    for (int round = 0; round < 5; ++round) {
      vector.fill(round);
      if (round % 2 == 0) {
        exchange->start(vector.data());
        exchange->finish();
      } else {
        exchange->exchange(vector.data());
      }
      vector.check(round);
    }
  }
};

TEST_P(GpuListExchange, BringsWhatIsListedAndNothingElse) {
  for (const ListCase& c : list_cases()) {
    SCOPED_TRACE(c.seed);
    check_case<float>(c);
    check_case<double>(c);
  }
}

TEST_P(GpuListExchange, NobodyNeedsNeighbours) {
  const Stream stream(own_gpu());
  const auto exchange = exchange_of<double>({}, stream);
  exchange->start(nullptr);
  exchange->finish();
  EXPECT_EQ(exchange->transport(), Transport::local);
  EXPECT_EQ(exchange->sent_bytes(), 0);
  EXPECT_TRUE(exchange->recordable());
}

TEST_P(GpuListExchange, VectorsMayChange) {
  const Stream stream(own_gpu());
  const ListCase c{.seed = 30, .own = 2000, .max_sent = 1500, .symmetric = true};
  std::vector<GpuVector<double>> vectors;
  for (int n = 0; n < 3; ++n) {
    vectors.emplace_back(c, stream);
    vectors.back().fill(n);
  }
  const auto exchange = exchange_of<double>(vectors.front().part().neighbours(), stream);
  for (const GpuVector<double>& vector : vectors) {
    exchange->start(vector.data());
    exchange->finish();
  }
  for (int n = 0; n < 3; ++n) {
    vectors[static_cast<std::size_t>(n)].check(n);
  }
}

TEST_P(GpuListExchange, CanBeRecordedWhereItSaysSo) {
  const ListCase small{.seed = 31, .own = 700, .max_sent = 500};
  const ListCase large{.seed = 32, .own = 60000, .max_sent = 50000, .symmetric = true};
  const Stream stream(own_gpu());
  GpuVector<float> fine(large, stream);
  GpuVector<double> coarse(small, stream);
  const auto fine_exchange = exchange_of<float>(fine.part().neighbours(), stream);
  const auto coarse_exchange = exchange_of<double>(coarse.part().neighbours(), stream);
  if (!fine_exchange->recordable() || !coarse_exchange->recordable()) {
    GTEST_SKIP() << to_string(fine_exchange->transport()) << " needs the host";
  }
  const Graph graph(stream, [&] {
    for (int n = 0; n < 3; ++n) {  // an odd number: the slots alternate between launches too
      fine_exchange->start(fine.data());
      fine_exchange->finish();
      coarse_exchange->exchange(coarse.data());
    }
  });
  for (int round = 0; round < 9; ++round) {
    fine.fill(round);
    coarse.fill(round);
    graph.launch(stream);
    if (round % 3 == 2) {  // replayed and plain ones may follow each other
      fine_exchange->start(fine.data());
      fine_exchange->finish();
    }
    fine.check(round);
    coarse.check(round);
  }
}

TEST_P(GpuListExchange, ManyInARowKeepOrder) {
  // Each exchange sends what the previous one received: a value travels around the ring.
  const Communicator& ranks = test_ranks();
  constexpr std::size_t count = 2500;
  const Stream stream(own_gpu());
  const auto exchange = exchange_of<double>(ring_neighbours(ranks, count), stream);
  std::vector<double> host(2 * count, static_cast<double>(ranks.rank()));
  const Buffer<double> vector(MemorySpace::device, host.size());
  copy_bytes(vector.data(), host.data(), vector.bytes(), stream);
  const int rounds = 50 * ranks.size() + 1;
  for (int n = 0; n < rounds; ++n) {
    if (n % 3 == 0) {
      exchange->start(vector.data());
      exchange->finish();
    } else {
      exchange->exchange(vector.data());
    }
    copy_bytes(vector.data(), vector.data() + count, count * sizeof(double), stream);
  }
  copy_bytes(host.data(), vector.data(), vector.bytes(), stream);
  stream.synchronize();
  // Each round moves every value on by one rank.
  const auto from = static_cast<double>((ranks.rank() + ranks.size() - 1) % ranks.size());
  expect_same(host, std::vector<double>(2 * count, from));
}

TEST_P(GpuListExchange, ManyReplaysInARowKeepOrder) {
  const Communicator& ranks = test_ranks();
  constexpr std::size_t count = 600;
  const Stream stream(own_gpu());
  const auto exchange = exchange_of<float>(ring_neighbours(ranks, count), stream);
  if (!exchange->recordable()) {
    GTEST_SKIP() << to_string(exchange->transport()) << " needs the host";
  }
  std::vector<float> host(2 * count, static_cast<float>(ranks.rank()));
  const Buffer<float> vector(MemorySpace::device, host.size());
  copy_bytes(vector.data(), host.data(), vector.bytes(), stream);
  const Graph graph(stream, [&] {
    exchange->start(vector.data());
    exchange->finish();
    copy_bytes(vector.data(), vector.data() + count, count * sizeof(float), stream);
  });
  const int rounds = 50 * ranks.size() + 1;
  for (int n = 0; n < rounds; ++n) {
    graph.launch(stream);
  }
  copy_bytes(host.data(), vector.data(), vector.bytes(), stream);
  stream.synchronize();
  const auto from = static_cast<float>((ranks.rank() + ranks.size() - 1) % ranks.size());
  expect_same(host, std::vector<float>(2 * count, from));
}

INSTANTIATE_TEST_SUITE_P(Transports, GpuListExchange, gpu_transports(), plain_name);

}  // namespace
}  // namespace bankfull
