#include "bankfull/core/exec/graph.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "tests/core/comm/gpu_transports.hpp"
#include "tests/core/comm/halo_exchange.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <optional>

namespace bankfull {
namespace {

/// Fields of one rank in GPU memory.
template <class T>
class GpuFields {
 public:
  GpuFields(const HaloCase& c, const Decomposition& decomposition, const Stream& stream)
      : case_(c),
        block_(decomposition.block(test_ranks().rank())),
        layout_(block_.extents(), c.ghosts, sizeof(T)),
        stream_(stream) {
    for (int f = 0; f < c.fields; ++f) {
      buffers_.emplace_back(MemorySpace::device, static_cast<std::size_t>(layout_.size()));
      origins_.push_back(buffers_.back().data() + layout_.origin());
    }
  }

  void fill(int round) {
    for (std::size_t f = 0; f < buffers_.size(); ++f) {
      const auto values = filled<T>(case_, layout_, block_, static_cast<int>(f), round);
      copy_bytes(buffers_[f].data(), values.data(), buffers_[f].bytes(), stream_);
      stream_.synchronize();
    }
  }

  void check(int round) const {
    for (std::size_t f = 0; f < buffers_.size(); ++f) {
      std::vector<T> values(buffers_[f].size());
      copy_bytes(values.data(), buffers_[f].data(), buffers_[f].bytes(), stream_);
      stream_.synchronize();
      expect_exchanged(case_, layout_, block_, static_cast<int>(f), round, values);
    }
  }

  [[nodiscard]] const Layout& layout() const { return layout_; }
  [[nodiscard]] std::span<T* const> origins() const { return origins_; }

 private:
  HaloCase case_;
  Box block_;
  Layout layout_;
  const Stream& stream_;
  std::vector<Buffer<T>> buffers_;
  std::vector<T*> origins_;
};

class GpuHaloExchange : public GpuTransportTest {
 protected:
  template <class T>
  static void check_case(const HaloCase& c, const RankGrid& grid, bool alone) {
    const Stream stream(own_gpu());
    const Decomposition decomposition(c.cells, grid, c.periodic);
    GpuFields<T> fields(c, decomposition, stream);
    const auto exchange = make_halo_exchange<T>(HaloSetup{.ranks = test_ranks(),
                                                          .decomposition = decomposition,
                                                          .layout = fields.layout(),
                                                          .shape = c.shape,
                                                          .fields = c.fields,
                                                          .transport = GetParam(),
                                                          .alone = alone},
                                                stream);
    for (int round = 0; round < 4; ++round) {
      fields.fill(round);
      exchange->start(fields.origins());
      exchange->finish();
      fields.check(round);
    }
  }
};

TEST_P(GpuHaloExchange, FillsTheGhostsWithinReachAndNoOthers) {
  for (const HaloCase& c : halo_cases()) {
    for (const RankGrid& grid : rank_grids(test_ranks().size(), c)) {
      SCOPED_TRACE(to_string(grid));
      check_case<float>(c, grid, false);
      check_case<double>(c, grid, true);
    }
  }
}

TEST_P(GpuHaloExchange, CanBeRecordedWhereItSaysSo) {
  const HaloCase c{{32, 40, 50}, {true, true, false}, {1, HaloShape::Reach::edges}, 2, 1};
  const Stream stream(own_gpu());
  const Decomposition decomposition =
      choose_decomposition(c.cells, test_ranks().size(), {.periodic = c.periodic});
  GpuFields<float> fields(c, decomposition, stream);
  const auto exchange = make_halo_exchange<float>(HaloSetup{.ranks = test_ranks(),
                                                            .decomposition = decomposition,
                                                            .layout = fields.layout(),
                                                            .shape = c.shape,
                                                            .fields = c.fields,
                                                            .transport = GetParam()},
                                                  stream);
  if (!exchange->recordable()) {
    GTEST_SKIP() << to_string(exchange->transport()) << " needs the host";
  }
  const Graph graph(stream, [&] {
    for (int n = 0; n < 3; ++n) {  // an odd number: the slots alternate between launches too
      exchange->start(fields.origins());
      exchange->finish();
    }
  });
  for (int round = 0; round < 5; ++round) {
    fields.fill(round);
    graph.launch(stream);
    fields.check(round);
  }
}

TEST_P(GpuHaloExchange, ManyInARowKeepOrder) {
  // Each exchange sends what the previous one received: a value travels around the ring.
  const Communicator& ranks = test_ranks();
  const HaloCase c{{2 * ranks.size(), 3, 70}, {true, false, false}, {1, {}}, 1, 1};
  const Stream stream(own_gpu());
  const Decomposition decomposition(c.cells, {ranks.size(), 1, 1}, c.periodic);
  const Layout layout(decomposition.block(ranks.rank()).extents(), 1, sizeof(double));
  const Buffer<double> field(MemorySpace::device, static_cast<std::size_t>(layout.size()));
  double* const origin = field.data() + layout.origin();
  const auto exchange =
      make_halo_exchange<double>(HaloSetup{.ranks = ranks,
                                           .decomposition = decomposition,
                                           .layout = layout,
                                           .shape = {.width = 1, .reach = HaloShape::Reach::faces},
                                           .transport = GetParam()},
                                 stream);
  std::vector<double> host(field.size(), static_cast<double>(ranks.rank()));
  copy_bytes(field.data(), host.data(), field.bytes(), stream);
  const auto plane = static_cast<std::size_t>(layout.plane_pitch()) * sizeof(double);
  const int rounds = 50 * ranks.size() + 1;
  for (int n = 0; n < rounds; ++n) {
    exchange->start(std::span<double* const>(&origin, 1));
    exchange->finish();
    for (const std::int64_t own : {0, 1}) {  // the ghosts below become the own planes
      copy_bytes(origin + layout.offset(own, 0, 0), origin + layout.offset(-1, 0, 0),
                 plane - 64 * sizeof(double), stream);
    }
  }
  copy_bytes(host.data(), field.data(), field.bytes(), stream);
  stream.synchronize();
  // Each round moves every value on by one rank.
  const int from = (ranks.rank() + ranks.size() - 1) % ranks.size();
  for (std::int64_t j = 0; j < 3; ++j) {
    for (std::int64_t k = 0; k < 64; ++k) {
      EXPECT_EQ(host[static_cast<std::size_t>(layout.origin() + layout.offset(1, j, k))],
                static_cast<double>(from));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Transports, GpuHaloExchange, gpu_transports(), plain_name);

}  // namespace
}  // namespace bankfull
