#include "bankfull/build_config.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/core/comm/halo_exchange.hpp"
#include "bankfull/core/comm/halo_packing.hpp"
#include "bankfull/core/memory/buffer.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace bankfull {
namespace {

/// Copies the rows `rows` of a region, each by `copy(field row, message row)`.
template <class Field, class Packed, class Copy>
void for_each_row(const PackedRegion& region, const Layout& layout, const Range& rows, Field* field,
                  Packed* message, const Copy& copy) {
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    const std::int64_t offset = layout.offset(row / region.nj, row % region.nj, 0);
    copy(field + region.first + offset, message + region.begin + row * region.pitch);
  }
}

template <class T>
class CpuHaloExchange final : public HaloExchange<T> {
 public:
  CpuHaloExchange(const HaloSetup& setup, const Team& team)
      : team_(team), layout_(setup.layout), field_count_(setup.fields) {
    const auto regions =
        halo_messages(setup.decomposition, setup.ranks.rank(), setup.shape, setup.wanted);
    messages_ = pack(regions, layout_, sizeof(T));
    sent_bytes_ = detail::leaving_bytes(regions, setup.ranks.rank(), setup.fields, sizeof(T));
    make_buffers(setup.ranks);
  }

  void start(std::span<T* const> fields) override {
    detail::require_fields(fields.size(), field_count_);
    fields_.assign(fields.begin(), fields.end());
    copy(&PackedMessage::sent, outgoing_,
         [](const T* field, T* packed, int count) { std::copy_n(field, count, packed); });
    exchange_->start();
  }

  void finish() override {
    exchange_->finish();
    copy(&PackedMessage::received, incoming_,
         [](T* field, const T* packed, int count) { std::copy_n(packed, count, field); });
  }

  [[nodiscard]] Transport transport() const override {
    return sent_bytes_ > 0 ? Transport::mpi : Transport::local;
  }
  [[nodiscard]] std::int64_t sent_bytes() const override { return sent_bytes_; }

 private:
  void make_buffers(const Communicator& ranks) {
    std::int64_t total = 0;
    for (const PackedMessage& message : messages_) {
      total += message.field_size * field_count_;
    }
    sent_ = Buffer<T>(MemorySpace::host, static_cast<std::size_t>(total));
    received_ = Buffer<T>(MemorySpace::host, static_cast<std::size_t>(total));
    // Rows are padded: messages must not contain uninitialised memory.
    std::fill_n(sent_.data(), total, T(0));
    std::vector<Message> sends;
    std::vector<Message> receives;
    std::int64_t begin = 0;
    for (const PackedMessage& message : messages_) {
      const bool own = message.rank == ranks.rank();
      const std::int64_t size = message.field_size * field_count_;
      outgoing_.push_back((own ? received_ : sent_).data() + begin);
      incoming_.push_back(received_.data() + begin);
      if (!own) {
        const auto bytes = static_cast<std::size_t>(size) * sizeof(T);
        sends.push_back({message.rank, outgoing_.back(), bytes});
        receives.push_back({message.rank, incoming_.back(), bytes});
      }
      begin += size;
    }
    exchange_ = ranks.prepare(sends, receives);
  }

  /// Every row of every region of all fields, by the team.
  template <class Copy>
  void copy(std::vector<PackedRegion> PackedMessage::*regions, const std::vector<T*>& packed,
            const Copy& copy_row) const {
    const auto bytes = static_cast<std::int64_t>(received_.bytes());
    const int members = bytes < min_team_bytes ? 1 : team_.threads();
#pragma omp parallel for num_threads(members) schedule(static) if (members > 1)
    for (int member = 0; member < members; ++member) {
      copy_share(regions, packed, member, members, copy_row);
    }
  }

  template <class Copy>
  void copy_share(std::vector<PackedRegion> PackedMessage::*regions, const std::vector<T*>& packed,
                  int member, int members, const Copy& copy_row) const {
    for (std::size_t n = 0; n < messages_.size(); ++n) {
      const PackedMessage& message = messages_[n];
      for (std::size_t f = 0; f < fields_.size(); ++f) {
        T* const part = packed[n] + static_cast<std::int64_t>(f) * message.field_size;
        for (const PackedRegion& region : message.*regions) {
          for_each_row(region, layout_, share(region.rows(), member, members), fields_[f], part,
                       [&](T* field, T* row) { copy_row(field, row, region.nk); });
        }
      }
    }
  }

  Team team_;
  Layout layout_;
  int field_count_;
  std::vector<PackedMessage> messages_;
  std::int64_t sent_bytes_ = 0;
  Buffer<T> sent_;
  Buffer<T> received_;
  std::vector<T*> outgoing_;  ///< of each message
  std::vector<T*> incoming_;
  std::unique_ptr<MessageExchange> exchange_;
  std::vector<T*> fields_;  ///< in flight
};

void require_host_transport(Transport transport) {
  const bool possible = transport == Transport::automatic || transport == Transport::mpi;
  if (!possible) {
    throw UsageError("--transport " + to_string(transport) + " moves fields between GPUs",
                     "use --transport mpi with --device cpu");
  }
}

std::string sides_of(const Extents& n) { return fmt::format("{}x{}x{}", n.ni, n.nj, n.nk); }

void require_layout_of_block(const HaloSetup& setup) {
  const Extents block = setup.decomposition.block(setup.ranks.rank()).extents();
  if (setup.in_window) {
    require(contains(box_of(setup.layout.interior()), box_of(block)),
            fmt::format("a window of {} cells is smaller than the rank's block, which has {}",
                        sides_of(setup.layout.interior()), sides_of(block)),
            "make it hold the block and the halo around it");
    return;
  }
  require(setup.layout.interior() == block,
          fmt::format("a layout of {} cells is not that of the rank's block, which has {}",
                      sides_of(setup.layout.interior()), sides_of(block)),
          "make it from decomposition.block(ranks.rank()).extents()");
  require(setup.layout.ghosts() >= setup.shape.width,
          fmt::format("a layout with ghosts of width {} has no room for a halo of width {}",
                      setup.layout.ghosts(), setup.shape.width),
          fmt::format("give it at least {}", setup.shape.width));
}

/// What must hold on this rank.
void require_fit_here(const HaloSetup& setup) {
  require(setup.decomposition.ranks() == setup.ranks.size(),
          fmt::format("a decomposition into {} ranks cannot serve a communicator of size {}",
                      to_string(setup.decomposition.grid()), setup.ranks.size()),
          "cut the cells for as many ranks as there are");
  require(setup.fields >= 1, fmt::format("an exchange of {} fields at once", setup.fields),
          "use at least 1");
  require(setup.shape.width >= 1, fmt::format("a halo of width {} has no cells", setup.shape.width),
          "use at least 1");
  require(setup.wanted != nullptr, "there is no function that says which neighbours are wanted",
          "leave HaloSetup::wanted as it is to have all");
  // Refuses blocks that are too thin.
  const auto messages =
      halo_messages(setup.decomposition, setup.ranks.rank(), setup.shape, setup.wanted);
  if (!messages.empty()) {
    require_layout_of_block(setup);
  }
}

/// What must be the same on all ranks, or messages are longer than the memory where they arrive.
std::array<std::int64_t, 12> what_ranks_share(const HaloSetup& setup) {
  const Extents& cells = setup.decomposition.cells();
  const RankGrid& grid = setup.decomposition.grid();
  const Periodicity& periodic = setup.decomposition.periodic();
  return {cells.ni,   cells.nj,     cells.nk,          grid.i,
          grid.j,     grid.k,       periodic.i,        periodic.j,
          periodic.k, setup.fields, setup.shape.width, static_cast<int>(setup.shape.reach)};
}

}  // namespace

void detail::require_fit(const HaloSetup& setup, const std::function<void()>& require_more) {
  setup.ranks.agree([&] {
    require_more();
    require_fit_here(setup);
  });
  const auto all = setup.ranks.all_gather(what_ranks_share(setup));
  require(std::ranges::all_of(all, [&](const auto& other) { return other == all.front(); }),
          "ranks set up halo exchanges that differ",
          "give all of them the same decomposition, shape and number of fields");
}

void detail::require_fields(std::size_t given, int set_up) {
  if (given != static_cast<std::size_t>(set_up)) {
    throw UsageError(
        fmt::format("an exchange that was set up for {} fields is given {}", set_up, given),
        fmt::format("give it {}, or set it up for {}", set_up, given));
  }
}

std::int64_t detail::leaving_bytes(const std::vector<HaloMessage>& messages, int own_rank,
                                   int fields, std::size_t element_bytes) {
  std::int64_t cells = 0;
  for (const HaloMessage& message : messages) {
    cells += message.rank == own_rank ? 0 : message.cells();
  }
  return cells * fields * static_cast<std::int64_t>(element_bytes);
}

void require_transport(Transport transport, const Communicator& ranks, Device device) {
  if (!device.is_cuda()) {
    require_host_transport(transport);
    return;
  }
  if constexpr (build::cuda) {
    detail::require_gpu_transport(transport, ranks, device);
  }
}

template <class T>
std::unique_ptr<HaloExchange<T>> make_halo_exchange(const HaloSetup& setup, const Team& team) {
  detail::require_fit(setup, [&] { require_host_transport(setup.transport); });
  return std::make_unique<CpuHaloExchange<T>>(setup, team);
}

template std::unique_ptr<HaloExchange<float>> make_halo_exchange(const HaloSetup&, const Team&);
template std::unique_ptr<HaloExchange<double>> make_halo_exchange(const HaloSetup&, const Team&);

}  // namespace bankfull
