#pragma once

#include "bankfull/core/base/cache_line.hpp"
#include "bankfull/core/base/host_device.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace bankfull::poisson {

/// Asks the second-level cache for rows of a few fields that the thread reads next: with each call
/// for some more of their lines, in between other work. A core keeps too few loads under way to
/// draw its part of the memory's rate in the time that its loads alone take.
template <class Real>
class RowRequests {
 public:
  static constexpr std::size_t max_fields = 3;
  /// Where the rows of a field begin, or null.
  using Fields = std::array<const Real*, max_fields>;

  /// None.
  RowRequests() = default;
  /// `rows` of each field, `row_pitch` apart, `cells` of each row.
  RowRequests(const Fields& fields, std::int64_t row_pitch, std::int64_t rows, std::int64_t cells)
      : fields_(fields), to_next_row_(row_pitch - cells), left_(rows), cells_(cells) {}

  BANKFULL_ALWAYS_INLINE void operator()() {
    next([](const Real* place) [[gnu::always_inline]] { __builtin_prefetch(place, 0, 2); });
  }

  /// ask(where a line begins) for the lines of one call.
  template <class Ask>
  BANKFULL_ALWAYS_INLINE void next(const Ask& ask) {
    for (int n = 0; n < lines_at_once && left_ > 0; ++n) {
      for (const Real* const field : fields_) {
        if (field != nullptr) {
          ask(field + at_);
        }
      }
      pass_line();
    }
  }

  [[nodiscard]] bool are_done() const { return left_ <= 0; }

 private:
  /// Of each field. A transform of a block of rows calls about as often as a third of their lines.
  static constexpr int lines_at_once = 3;
  static constexpr std::int64_t line = cache_line_bytes / static_cast<std::int64_t>(sizeof(Real));

  BANKFULL_ALWAYS_INLINE void pass_line() {
    at_ += line;
    in_row_ += line;
    if (in_row_ >= cells_) {
      at_ += cells_ - in_row_ + to_next_row_;
      in_row_ = 0;
      --left_;
    }
  }

  Fields fields_{};
  std::int64_t to_next_row_ = 0;
  std::int64_t left_ = 0;  ///< rows
  std::int64_t cells_ = 0;
  std::int64_t at_ = 0;
  std::int64_t in_row_ = 0;
};

}  // namespace bankfull::poisson
