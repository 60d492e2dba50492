#include "bankfull/build_config.hpp"
#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/measure/timer.hpp"
#include "bankfull/core/memory/buffer.hpp"
#include "bankfull/workloads/probe/link.hpp"

#include <algorithm>
#include <span>

namespace bankfull::probe {
namespace {

class CpuLinkTimer final : public LinkTimer {
 public:
  CpuLinkTimer(const LinkSetup& setup, int threads)
      : grid_(setup),
        field_(MemorySpace::host, static_cast<std::size_t>(grid_.layout.size())),
        origin_(field_.data() + grid_.layout.origin()),
        exchange_(make_halo_exchange<float>(grid_.halo(setup), Team(threads))) {
    // Untouched pages would all map to the same page of zeros.
    const Extents own = grid_.layout.interior();
    for (std::int64_t i = -1; i <= own.ni; ++i) {
      std::fill_n(origin_ + grid_.layout.offset(i, 0, 0), own.nk, 0.0F);
    }
  }

  [[nodiscard]] int exchanges_per_batch() const override { return 1; }

  double seconds(int batches) override {
    const Stopwatch watch;
    for (int n = 0; n < batches; ++n) {
      exchange();
    }
    return watch.seconds();
  }

  std::vector<float> exchanged(const std::vector<float>& cells) override {
    expects(cells.size() == field_.size(), "every element of the field has a value");
    std::copy(cells.begin(), cells.end(), field_.data());
    exchange();
    return {field_.data(), field_.data() + field_.size()};
  }

 private:
  void exchange() { exchange_->exchange(std::span<float* const>(&origin_, 1)); }

  LinkGrid grid_;
  Buffer<float> field_;
  float* origin_;
  std::unique_ptr<HaloExchange<float>> exchange_;
};

}  // namespace

std::unique_ptr<LinkTimer> make_link_timer(const LinkSetup& setup, Device device, int threads) {
  if constexpr (build::cuda) {
    if (device.is_cuda()) {
      return detail::make_cuda_link_timer(setup, device);
    }
  }
  return std::make_unique<CpuLinkTimer>(setup, threads);
}

}  // namespace bankfull::probe
