#include "bankfull/core/comm/halo_packing.hpp"

#include "bankfull/core/base/expects.hpp"

#include <algorithm>
#include <limits>

namespace bankfull {
namespace {

std::int64_t whole(std::int64_t size, int group) { return (size + group - 1) / group * group; }

PackedRegion packed(const Box& box, const Layout& layout, int group, std::int64_t begin) {
  const Extents n = box.extents();
  expects(std::max({n.ni, n.nj, n.nk}) < std::numeric_limits<int>::max() - group,
          "an axis of a block is counted with an int");
  return {.first = layout.offset(box.i0, box.j0, box.k0),
          .ni = static_cast<int>(n.ni),
          .nj = static_cast<int>(n.nj),
          .nk = static_cast<int>(n.nk),
          .pitch = static_cast<int>(n.nk < group ? n.nk : whole(n.nk, group)),
          .begin = begin};
}

/// Regions one after another.
class Places {
 public:
  Places(const Layout& layout, int group) : layout_(layout), group_(group) {}

  void add(const Box& box) {
    regions_.push_back(packed(box, layout_, group_, size_));
    size_ += whole(regions_.back().rows() * regions_.back().pitch, group_);
  }

  [[nodiscard]] const std::vector<PackedRegion>& regions() const { return regions_; }
  [[nodiscard]] std::int64_t size() const { return size_; }

 private:
  const Layout& layout_;
  int group_;
  std::vector<PackedRegion> regions_;
  std::int64_t size_ = 0;
};

}  // namespace

std::vector<PackedMessage> pack(const std::vector<HaloMessage>& messages, const Layout& layout,
                                std::size_t element_bytes) {
  const int group = 16 / static_cast<int>(element_bytes);
  std::vector<PackedMessage> all;
  all.reserve(messages.size());
  for (const HaloMessage& message : messages) {
    Places sent(layout, group);
    Places received(layout, group);
    for (const HaloRegion& region : message.sent) {
      sent.add(region.interior);
    }
    for (const HaloRegion& region : message.received) {
      received.add(region.ghosts);
    }
    all.push_back({.rank = message.rank,
                   .sent = sent.regions(),
                   .received = received.regions(),
                   .field_size = sent.size()});
  }
  return all;
}

}  // namespace bankfull
