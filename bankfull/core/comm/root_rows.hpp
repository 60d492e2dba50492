#pragma once

#include "bankfull/core/comm/communicator.hpp"
#include "bankfull/core/field/box.hpp"
#include "bankfull/core/memory/buffer.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace bankfull {

/// Gathers parts of a grid, of which each rank has one in host memory, on the root, and scatters
/// them back: whole rows along k. Parts may overlap.
///
/// Construction is not collective, but all ranks must construct theirs in the same order relative
/// to exchanges.
template <class T>
class RootRows {
 public:
  /// `parts`: planes and rows of each rank, in any numbering that root and rank agree on.
  RootRows(const Communicator& ranks, std::vector<Box> parts, std::int64_t row_length)
      : root_(ranks.is_root()), parts_(std::move(parts)), length_(row_length) {
    own_ = static_cast<std::size_t>(ranks.rank());
    std::vector<Message> messages;
    std::int64_t total = 0;
    for (std::size_t n = 0; n < parts_.size(); ++n) {
      begins_.push_back(total);
      total += travels(n) ? elements_of(n) : 0;
    }
    buffer_ =
        Buffer<T>(MemorySpace::host, static_cast<std::size_t>(std::max<std::int64_t>(1, total)));
    for (std::size_t n = 0; n < parts_.size(); ++n) {
      if (travels(n) && elements_of(n) > 0) {
        messages.push_back({root_ ? static_cast<int>(n) : 0, buffer_.data() + begins_[n],
                            static_cast<std::size_t>(elements_of(n)) * sizeof(T)});
      }
    }
    const std::vector<Message> none;
    to_root_ = ranks.prepare(root_ ? none : messages, root_ ? messages : none);
    from_root_ = ranks.prepare(root_ ? messages : none, root_ ? none : messages);
  }

  /// Collective. `mine(i, j)` is a row of this rank's part, and `whole(i, j)` where the root stores
  /// a row of any part: it is called on the root only.
  template <class Mine, class Whole>
  void gather(const Mine& mine, const Whole& whole) {
    if (!root_) {
      each_row(own_, [&](std::int64_t i, std::int64_t j, T* row) {
        std::copy_n(mine(i, j), length_, row);
      });
    }
    to_root_->exchange();
    if (root_) {
      for (std::size_t n = 0; n < parts_.size(); ++n) {
        each_row(n, [&](std::int64_t i, std::int64_t j, const T* row) {
          std::copy_n(n == own_ ? mine(i, j) : row, length_, whole(i, j));
        });
      }
    }
  }

  /// Collective: the reverse.
  template <class Whole, class Mine>
  void scatter(const Whole& whole, const Mine& mine) {
    if (root_) {
      for (std::size_t n = 0; n < parts_.size(); ++n) {
        each_row(n, [&](std::int64_t i, std::int64_t j, T* row) {
          std::copy_n(whole(i, j), length_, n == own_ ? mine(i, j) : row);
        });
      }
    }
    from_root_->exchange();
    if (!root_) {
      each_row(own_, [&](std::int64_t i, std::int64_t j, const T* row) {
        std::copy_n(row, length_, mine(i, j));
      });
    }
  }

 private:
  /// Whether the buffer has room for part n: on the root for all but its own.
  [[nodiscard]] bool travels(std::size_t n) const { return (n == own_) != root_; }

  [[nodiscard]] std::int64_t elements_of(std::size_t n) const {
    const Box& part = parts_[n];
    return (part.i1 - part.i0) * (part.j1 - part.j0) * length_;
  }

  /// body(i, j, row in the buffer, if it has room for it)
  template <class Body>
  void each_row(std::size_t n, const Body& body) {
    T* row = buffer_.data() + begins_[n];
    for (std::int64_t i = parts_[n].i0; i < parts_[n].i1; ++i) {
      for (std::int64_t j = parts_[n].j0; j < parts_[n].j1; ++j) {
        body(i, j, row);
        row += travels(n) ? length_ : 0;
      }
    }
  }

  bool root_;
  std::size_t own_ = 0;
  std::vector<Box> parts_;
  std::int64_t length_;
  std::vector<std::int64_t> begins_;  ///< of parts, in the buffer
  Buffer<T> buffer_;
  std::unique_ptr<MessageExchange> to_root_;
  std::unique_ptr<MessageExchange> from_root_;
};

}  // namespace bankfull
