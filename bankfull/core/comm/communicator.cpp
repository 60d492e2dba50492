#include "bankfull/core/comm/communicator.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/nan.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <numeric>
#include <utility>

namespace bankfull {
namespace {

class NoMessages final : public MessageExchange {
 public:
  void start() override {}
  void finish() override {}
};

void require_ranks(bool are_there) {
  if (!are_there) {
    throw UsageError("there is no other rank to exchange with", "start more of them");
  }
}

class SelfCommunicator final : public Communicator {
 public:
  SelfCommunicator() : Communicator(0, 1, 0, 1, 0) {}

  void barrier() const override {}
  void patient_barrier() const override {}
  void broadcast(void* /*data*/, std::size_t /*bytes*/, int root) const override {
    require_ranks(root == 0);
  }

  [[nodiscard]] std::vector<std::vector<std::byte>> all_gather_bytes(
      std::span<const std::byte> mine) const override {
    return {{mine.begin(), mine.end()}};
  }

  [[nodiscard]] std::unique_ptr<MessageExchange> prepare(
      std::span<const Message> sends, std::span<const Message> receives) const override {
    require_ranks(sends.empty() && receives.empty());
    return std::make_unique<NoMessages>();
  }

  [[nodiscard]] std::unique_ptr<Communicator> first(int count) const override {
    return count > 0 ? make_self_communicator() : nullptr;
  }
  [[nodiscard]] std::unique_ptr<Communicator> split(int colour) const override {
    return colour >= 0 ? make_self_communicator() : nullptr;
  }

 protected:
  void all_gather_equal(const void* mine, void* all, std::size_t bytes) const override {
    std::memcpy(all, mine, bytes);
  }
};

/// Blocks one after the other, for all ranks.
std::vector<Message> blocks_of(std::byte* data, std::span<const std::size_t> bytes) {
  std::vector<Message> blocks;
  for (std::size_t rank = 0; rank < bytes.size(); ++rank) {
    blocks.push_back({static_cast<int>(rank), data, bytes[rank]});
    data += bytes[rank];
  }
  return blocks;
}

/// The messages to or from all other ranks, beginning with the next one, so that not all ranks
/// begin with the same.
std::vector<Message> others(std::span<const Message> all, int own) {
  std::vector<Message> messages(all.begin(), all.end());
  std::rotate(messages.begin(), messages.begin() + own, messages.end());
  messages.erase(messages.begin());
  return messages;
}

/// Copies this rank's message to itself alongside an exchange with the others.
class ExchangeWithAll final : public MessageExchange {
 public:
  ExchangeWithAll(const Message& sent, const Message& received,
                  std::unique_ptr<MessageExchange> with_others)
      : sent_(sent), received_(received), with_others_(std::move(with_others)) {}

  void start() override {
    with_others_->start();
    if (sent_.bytes > 0) {
      std::memcpy(received_.data, sent_.data, sent_.bytes);
    }
  }
  void finish() override { with_others_->finish(); }

 private:
  Message sent_;
  Message received_;
  std::unique_ptr<MessageExchange> with_others_;
};

template <class T>
T largest(const std::vector<T>& values) {
  return *std::max_element(values.begin(), values.end());
}

}  // namespace

std::unique_ptr<MessageExchange> Communicator::prepare_all_to_all(
    std::span<const Message> sends, std::span<const Message> receives) const {
  const auto own = static_cast<std::size_t>(rank_);
  const auto all = static_cast<std::size_t>(size_);
  require(sends.size() == all && receives.size() == all && sends[own].bytes == receives[own].bytes,
          "an exchange of all ranks has not a message for each, the own one as large on both sides",
          "give one for each rank, if need be of no bytes");
  return std::make_unique<ExchangeWithAll>(sends[own], receives[own],
                                           prepare(others(sends, rank_), others(receives, rank_)));
}

void Communicator::all_to_all(const void* sent, std::span<const std::size_t> sent_bytes,
                              void* received, std::span<const std::size_t> received_bytes) const {
  const std::vector<Message> receives =
      blocks_of(static_cast<std::byte*>(received), received_bytes);
  // Messages name their memory without const, for those that are received; these are only read.
  const std::vector<Message> sends =
      blocks_of(static_cast<std::byte*>(const_cast<void*>(sent)), sent_bytes);
  prepare_all_to_all(sends, receives)->exchange();
}

double Communicator::sum(double mine) const {
  const std::vector<double> values = all_gather(mine);
  return std::accumulate(values.begin() + 1, values.end(), values.front());
}

std::int64_t Communicator::sum(std::int64_t mine) const {
  const std::vector<std::int64_t> values = all_gather(mine);
  return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

double Communicator::max(double mine) const {
  const std::vector<double> values = all_gather(mine);
  return std::accumulate(values.begin() + 1, values.end(), values.front(), larger_or_nan);
}

std::int64_t Communicator::max(std::int64_t mine) const { return largest(all_gather(mine)); }

std::int64_t Communicator::min(std::int64_t mine) const {
  const std::vector<std::int64_t> values = all_gather(mine);
  return *std::min_element(values.begin(), values.end());
}

bool Communicator::all(bool mine) const { return min(std::int64_t{mine ? 1 : 0}) == 1; }

void Communicator::copy_block(void* to, std::span<const std::byte> block) {
  // The list of an empty block has no address that memcpy may take.
  if (!block.empty()) {
    std::memcpy(to, block.data(), block.size());
  }
}

Communicator::Failure Communicator::describe_current_exception() {
  using Kind = Failure::Kind;
  try {
    throw;
  } catch (const UsageError& error) {
    return {Kind::usage, error.what()};
  } catch (const std::bad_alloc&) {
    return {Kind::runtime, "out of memory"};
  } catch (const std::exception& error) {
    return {Kind::runtime, error.what()};
  } catch (...) {
    return {Kind::runtime, "an unknown failure"};
  }
}

void Communicator::throw_if_any_failed(const Failure& mine, NamesRank names_rank) const {
  const std::vector<Failure::Kind> kinds = all_gather(mine.kind);
  const auto failed = std::find_if(kinds.begin(), kinds.end(),
                                   [](Failure::Kind kind) { return kind != Failure::Kind::none; });
  if (failed == kinds.end()) {
    return;
  }
  const auto rank = failed - kinds.begin();
  const auto messages = all_gather(std::vector<char>(mine.message.begin(), mine.message.end()));
  const std::vector<char>& first = messages[static_cast<std::size_t>(rank)];
  const auto alike = std::count(messages.begin(), messages.end(), first);
  std::string message(first.begin(), first.end());
  if (names_rank == NamesRank::yes && alike != size()) {
    message.insert(0, "rank " + std::to_string(rank) + ": ");
  }
  if (*failed == Failure::Kind::usage) {
    throw UsageError(message);
  }
  throw RuntimeFailure(message);
}

std::unique_ptr<Communicator> make_self_communicator() {
  return std::make_unique<SelfCommunicator>();
}

}  // namespace bankfull
