#include "bankfull/core/base/expects.hpp"
#include "bankfull/core/comm/halo_exchange.hpp"
#include "bankfull/core/comm/list_exchange.hpp"
#include "bankfull/core/memory/buffer.hpp"

#include <algorithm>
#include <vector>

namespace bankfull {
namespace {

template <class T>
class CpuListExchange final : public ListExchange<T> {
 public:
  CpuListExchange(const ListSetup& setup, const Team& team)
      : team_(team), neighbours_(detail::partners(setup)) {
    const bool any = setup.ranks.max(std::int64_t{neighbours_.empty() ? 0 : 1}) > 0;
    transport_ = any ? Transport::mpi : Transport::local;
    make_buffers(setup.ranks);
  }

  void start(T* vector) override {
    vector_ = vector;
    by_team(sent_.bytes(), [this](int member, int members) { pack(member, members); });
    exchange_->start();
  }

  void finish() override {
    exchange_->finish();
    by_team(received_.bytes(), [this](int member, int members) { unpack(member, members); });
  }

  [[nodiscard]] Transport transport() const override { return transport_; }
  [[nodiscard]] std::int64_t sent_bytes() const override {
    return static_cast<std::int64_t>(sent_.bytes());
  }

 private:
  void make_buffers(const Communicator& ranks) {
    std::size_t received = 0;
    for (const ListNeighbour& neighbour : neighbours_) {
      sent_list_.insert(sent_list_.end(), neighbour.sent.begin(), neighbour.sent.end());
      received += static_cast<std::size_t>(neighbour.received);
    }
    sent_ = Buffer<T>(MemorySpace::host, sent_list_.size());
    received_ = Buffer<T>(MemorySpace::host, received);
    std::vector<Message> sends;
    std::vector<Message> receives;
    T* outgoing = sent_.data();
    T* incoming = received_.data();
    for (const ListNeighbour& neighbour : neighbours_) {
      const auto count = static_cast<std::size_t>(neighbour.received);
      sends.push_back({neighbour.rank, outgoing, neighbour.sent.size() * sizeof(T)});
      receives.push_back({neighbour.rank, incoming, count * sizeof(T)});
      outgoing += neighbour.sent.size();
      incoming += count;
    }
    exchange_ = ranks.prepare(sends, receives);
  }

  /// Calls body(member, members) for all members of the team, or of a team of one.
  template <class Body>
  void by_team(std::size_t bytes, const Body& body) const {
    const bool worth_it = static_cast<std::int64_t>(bytes) >= min_team_bytes;
    const int members = worth_it ? team_.threads() : 1;
#pragma omp parallel for num_threads(members) schedule(static) if (members > 1)
    for (int member = 0; member < members; ++member) {
      body(member, members);
    }
  }

  void pack(int member, int members) const {
    const Range part = share(static_cast<std::int64_t>(sent_list_.size()), member, members);
    const std::int32_t* const list = sent_list_.data();
    T* const outgoing = sent_.data();
    for (std::int64_t n = part.begin; n < part.end; ++n) {
      outgoing[n] = vector_[list[n]];
    }
  }

  void unpack(int member, int members) const {
    const T* incoming = received_.data();
    for (const ListNeighbour& neighbour : neighbours_) {
      const Range part = share(neighbour.received, member, members);
      std::copy_n(incoming + part.begin, part.size(),
                  vector_ + neighbour.received_begin + part.begin);
      incoming += neighbour.received;
    }
  }

  Team team_;
  std::vector<ListNeighbour> neighbours_;
  Transport transport_ = Transport::local;
  std::vector<std::int32_t> sent_list_;  ///< of all neighbours
  Buffer<T> sent_;
  Buffer<T> received_;
  std::unique_ptr<MessageExchange> exchange_;
  T* vector_ = nullptr;  ///< in flight
};

}  // namespace

std::vector<ListNeighbour> detail::partners(const ListSetup& setup) {
  std::vector<ListNeighbour> partners;
  for (const ListNeighbour& neighbour : setup.neighbours) {
    const bool other = neighbour.rank >= 0 && neighbour.rank < setup.ranks.size() &&
                       neighbour.rank != setup.ranks.rank();
    expects(other, "a neighbour is another rank");
    expects(neighbour.received >= 0 && neighbour.received_begin >= 0, "elements are in the vector");
    if (!neighbour.sent.empty() || neighbour.received > 0) {
      partners.push_back(neighbour);
    }
  }
  const auto rank_before = [](const ListNeighbour& a, const ListNeighbour& b) {
    return a.rank < b.rank;
  };
  std::sort(partners.begin(), partners.end(), rank_before);
  const auto same_rank = [](const ListNeighbour& a, const ListNeighbour& b) {
    return a.rank == b.rank;
  };
  const bool twice =
      std::adjacent_find(partners.begin(), partners.end(), same_rank) != partners.end();
  expects(!twice, "no rank is a neighbour twice");
  return partners;
}

std::int64_t detail::leaving_bytes(const std::vector<ListNeighbour>& neighbours,
                                   std::size_t element_bytes) {
  std::size_t elements = 0;
  for (const ListNeighbour& neighbour : neighbours) {
    elements += neighbour.sent.size();
  }
  return static_cast<std::int64_t>(elements * element_bytes);
}

template <class T>
std::unique_ptr<ListExchange<T>> make_list_exchange(const ListSetup& setup, const Team& team) {
  require_transport(setup.transport, setup.ranks, Device::cpu());
  return std::make_unique<CpuListExchange<T>>(setup, team);
}

template std::unique_ptr<ListExchange<float>> make_list_exchange(const ListSetup&, const Team&);
template std::unique_ptr<ListExchange<double>> make_list_exchange(const ListSetup&, const Team&);

}  // namespace bankfull
