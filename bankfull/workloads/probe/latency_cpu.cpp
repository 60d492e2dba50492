#include "bankfull/build_config.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/measure/timer.hpp"
#include "bankfull/core/memory/memory.hpp"
#include "bankfull/workloads/probe/latency.hpp"

#include <cstddef>
#include <utility>

namespace bankfull::probe {
namespace {

/// A node holds the address of the next one.
struct Node {
  const Node* next;
};

class CpuChase final : public PointerChase {
 public:
  explicit CpuChase(Memory memory) : memory_(std::move(memory)) {}

  void build(const ChainLayout& layout, const std::vector<std::uint32_t>& next) override {
    expects(layout.footprint() <= static_cast<std::int64_t>(memory_.bytes()), "the chain fits");
    expects(static_cast<std::int64_t>(next.size()) == layout.nodes, "every node has a next one");
    for (std::size_t n = 0; n < next.size(); ++n) {
      node(layout.offset(static_cast<std::int64_t>(n)))->next = node(layout.offset(next[n]));
    }
    start_ = node(layout.offset(0));
    at_ = start_;
  }

  std::int64_t cycle_length(std::int64_t most) override {
    const Node* at = start_;
    std::int64_t loads = 0;
    do {
      at = at->next;
      ++loads;
    } while (at != start_ && loads <= most);
    at_ = start_;
    return loads;
  }

  double seconds(std::int64_t loads) override {
    const Node* at = at_;
    const Stopwatch watch;
    for (std::int64_t n = 0; n < loads; ++n) {
      at = at->next;
    }
    // The last address must be known before the clock is read again.
    *const_cast<const Node* volatile*>(&at_) = at;
    return watch.seconds();
  }

  [[nodiscard]] double share_in_huge_pages() const override {
    return bankfull::share_in_huge_pages(memory_);
  }

 private:
  [[nodiscard]] Node* node(std::int64_t offset) const {
    return reinterpret_cast<Node*>(static_cast<std::byte*>(memory_.data()) + offset);
  }

  Memory memory_;
  const Node* start_ = nullptr;
  const Node* at_ = nullptr;
};

}  // namespace

std::unique_ptr<PointerChase> make_chase(Device device, std::int64_t bytes, HostPages pages) {
  if (!device.is_cuda()) {
    Memory memory(MemorySpace::host, static_cast<std::size_t>(bytes));
    ask_for_pages(memory, pages);
    return make_chase_in(std::move(memory));
  }
  return make_remote_chase(device, device, bytes);
}

std::unique_ptr<PointerChase> make_chase_in(Memory memory) {
  return std::make_unique<CpuChase>(std::move(memory));
}

std::unique_ptr<PointerChase> make_remote_chase(Device gpu, Device owner, std::int64_t bytes) {
  if constexpr (build::cuda) {
    return detail::make_cuda_chase(gpu, owner, bytes);
  }
  throw RuntimeFailure("this program has no CUDA backend");
}

}  // namespace bankfull::probe
