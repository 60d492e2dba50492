#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/exec/graph.hpp"
#include "bankfull/core/exec/stream.hpp"
#include "bankfull/core/measure/timer.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/probe/link.hpp"

#include <optional>
#include <span>

namespace bankfull::probe {
namespace {

/// Exchanges of one graph: so many that launching it takes less time than running it.
constexpr int recorded_exchanges = 20;

class CudaLinkTimer final : public LinkTimer {
 public:
  CudaLinkTimer(const LinkSetup& setup, Device gpu)
      : grid_(setup),
        stream_(gpu),
        field_(MemorySpace::device, static_cast<std::size_t>(grid_.layout.size())),
        origin_(field_.data() + grid_.layout.origin()),
        exchange_(make_halo_exchange<float>(grid_.halo(setup), stream_)) {
    fill_bytes(field_.data(), 0, field_.bytes(), stream_);
    // Connections and kernels that are loaded at their first use cannot be recorded.
    exchange();
    stream_.synchronize();
    if (exchange_->recordable()) {
      graph_.emplace(stream_, [this] {
        for (int n = 0; n < recorded_exchanges; ++n) {
          exchange();
        }
      });
    }
  }

  [[nodiscard]] int exchanges_per_batch() const override { return graph_ ? recorded_exchanges : 1; }

  double seconds(int batches) override {
    select(stream_.device());
    return graph_ ? device_seconds(batches) : host_seconds(batches);
  }

  std::vector<float> exchanged(const std::vector<float>& cells) override {
    expects(cells.size() == field_.size(), "every element of the field has a value");
    select(stream_.device());
    copy_bytes(field_.data(), cells.data(), field_.bytes(), stream_);
    queue_batch();
    std::vector<float> values(cells.size());
    copy_bytes(values.data(), field_.data(), field_.bytes(), stream_);
    stream_.synchronize();
    return values;
  }

 private:
  void exchange() {
    exchange_->start(std::span<float* const>(&origin_, 1));
    exchange_->finish();
  }

  void queue_batch() {
    if (graph_) {
      graph_->launch(stream_);
    } else {
      exchange();
    }
  }

  double device_seconds(int batches) {
    before_.record(stream_);
    for (int n = 0; n < batches; ++n) {
      queue_batch();
    }
    after_.record(stream_);
    return Event::seconds_between(before_, after_);
  }

  /// The host takes part in every exchange, so its clock counts.
  double host_seconds(int batches) {
    const Stopwatch watch;
    for (int n = 0; n < batches; ++n) {
      queue_batch();
    }
    stream_.synchronize();
    return watch.seconds();
  }

  LinkGrid grid_;
  Stream stream_;
  Event before_;
  Event after_;
  Buffer<float> field_;
  float* origin_;
  std::unique_ptr<HaloExchange<float>> exchange_;
  std::optional<Graph> graph_;
};

}  // namespace

std::unique_ptr<LinkTimer> detail::make_cuda_link_timer(const LinkSetup& setup, Device gpu) {
  select(gpu);
  return std::make_unique<CudaLinkTimer>(setup, gpu);
}

}  // namespace bankfull::probe
