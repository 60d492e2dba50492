#pragma once

#include "bankfull/core/base/pack.hpp"
#include "bankfull/core/measure/traffic.hpp"
#include "bankfull/core/memory/buffer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

// Counts what code does: run a pass on arrays of counted values, and its ledger knows the flops and
// the distinct elements that it read and wrote. Models of traffic are compared with that.
namespace bankfull::counting {

/// Which elements of arrays were touched, and the operations of counted values, of this thread. An
/// element that is written before it is read counts as written only: it comes from a cache.
class Ledger {
 public:
  struct Elements {
    std::uintptr_t begin = 0;
    std::size_t element_bytes = 1;
    std::vector<bool> read;
    std::vector<bool> written;
    std::vector<bool> left_out;  ///< of sums: what a model does not speak of
  };

  /// The operators of counted values have nothing else by which they could find it.
  static Ledger& mine() {
    static thread_local Ledger ledger;
    return ledger;
  }

  void add(Elements* elements) {
    const auto place = std::upper_bound(
        arrays_.begin(), arrays_.end(), elements->begin,
        [](std::uintptr_t at, const Elements* other) { return at < other->begin; });
    arrays_.insert(place, elements);
  }
  void remove(const Elements* elements) { std::erase(arrays_, elements); }

  void reads(const void* address) {
    if (const auto [elements, n] = find(address); elements != nullptr && !elements->written[n]) {
      elements->read[n] = true;
    }
  }
  void writes(const void* address) {
    if (const auto [elements, n] = find(address); elements != nullptr) {
      elements->written[n] = true;
    }
  }
  void computes(int flops) { flops_ += flops; }

  /// What is read and written of an element does not count.
  void leave_out(const void* address) {
    if (const auto [elements, n] = find(address); elements != nullptr) {
      elements->left_out[n] = true;
    }
  }

  /// Forgets everything.
  void restart() {
    flops_ = 0;
    for (Elements* elements : arrays_) {
      elements->read.assign(elements->read.size(), false);
      elements->written.assign(elements->written.size(), false);
    }
  }

  /// The traffic of all arrays since the last restart.
  [[nodiscard]] Traffic traffic() const {
    Traffic all{.flops = static_cast<double>(flops_)};
    for (const Elements* elements : arrays_) {
      for (std::size_t n = 0; n < elements->read.size(); ++n) {
        const auto bytes = static_cast<double>(elements->element_bytes);
        const bool counts = !elements->left_out[n];
        all.bytes_read += counts && elements->read[n] ? bytes : 0.0;
        all.bytes_written += counts && elements->written[n] ? bytes : 0.0;
      }
    }
    return all;
  }

 private:
  [[nodiscard]] std::pair<Elements*, std::size_t> find(const void* address) const {
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    const auto after = std::upper_bound(
        arrays_.begin(), arrays_.end(), at,
        [](std::uintptr_t wanted, const Elements* other) { return wanted < other->begin; });
    if (after != arrays_.begin()) {
      Elements* const elements = *(after - 1);
      const std::size_t n = (at - elements->begin) / elements->element_bytes;
      if (n < elements->read.size()) {
        return {elements, n};
      }
    }
    return {nullptr, 0};
  }

  std::vector<Elements*> arrays_;  ///< by their addresses
  std::int64_t flops_ = 0;
};

/// A number that notes in the ledger when it is read, written and computed with. A fused
/// multiply-add is two operations; a sign is none. As large as a T, so that it can lie in arrays
/// and be reached by plain pointers. Packs of it have `Lanes` lanes.
template <class T, int Lanes = 1>
class Counted {
 public:
  Counted() = default;
  template <class X, class = std::enable_if_t<std::is_arithmetic_v<X>>>
  constexpr Counted(X value)
      : value_(static_cast<T>(value)) {}  // NOLINT: numbers stand for counted ones
  template <class U, int Other>
  explicit Counted(const Counted<U, Other>& other) : value_(static_cast<T>(other)) {}
  Counted(const Counted& other) : value_(other.seen()) {}
  Counted& operator=(const Counted& other) {
    value_ = other.seen();
    Ledger::mine().writes(this);
    return *this;
  }
  ~Counted() = default;

  template <class X, class = std::enable_if_t<std::is_arithmetic_v<X>>>
  explicit operator X() const {
    return static_cast<X>(seen());
  }

  Counted& operator+=(const Counted& x) { return *this = *this + x; }
  Counted& operator-=(const Counted& x) { return *this = *this - x; }
  Counted& operator*=(const Counted& x) { return *this = *this * x; }

  friend Counted operator-(const Counted& x) { return Counted(-x.seen()); }
  friend Counted operator+(const Counted& x, const Counted& y) {
    return computed(1, x.seen() + y.seen());
  }
  friend Counted operator-(const Counted& x, const Counted& y) {
    return computed(1, x.seen() - y.seen());
  }
  friend Counted operator*(const Counted& x, const Counted& y) {
    return computed(1, x.seen() * y.seen());
  }
  friend Counted operator/(const Counted& x, const Counted& y) {
    return computed(1, x.seen() / y.seen());
  }
  friend Counted fma(const Counted& x, const Counted& y, const Counted& z) {
    return computed(2, std::fma(x.seen(), y.seen(), z.seen()));
  }
  friend Counted sqrt(const Counted& x) { return computed(1, std::sqrt(x.seen())); }
  friend Counted abs(const Counted& x) { return Counted(std::abs(x.seen())); }

  friend bool operator==(const Counted& x, const Counted& y) { return x.seen() == y.seen(); }
  friend bool operator!=(const Counted& x, const Counted& y) { return x.seen() != y.seen(); }
  friend bool operator>(const Counted& x, const Counted& y) { return x.seen() > y.seen(); }
  friend bool operator<(const Counted& x, const Counted& y) { return x.seen() < y.seen(); }

 private:
  [[nodiscard]] T seen() const {
    Ledger::mine().reads(this);
    return value_;
  }

  static Counted computed(int flops, T value) {
    Ledger::mine().computes(flops);
    return Counted(value);
  }

  T value_ = 0;
};

/// An integer that notes when it is read; what is computed with it is not counted.
template <class T>
class CountedIndex {
 public:
  CountedIndex(T value) : value_(value) {}  // NOLINT: stands for a plain one
  CountedIndex(const CountedIndex& other) : value_(other.seen()) {}
  CountedIndex& operator=(const CountedIndex&) = delete;
  ~CountedIndex() = default;

  operator T() const { return seen(); }  // NOLINT: as above

 private:
  [[nodiscard]] T seen() const {
    Ledger::mine().reads(this);
    return value_;
  }

  T value_;
};

/// An array whose elements are known to the ledger: counted values, or structures of them.
template <class Value>
class Array {
 public:
  explicit Array(std::int64_t size, const Value& value = Value(1)) : Array(filled(size, value)) {}

  /// A copy of what is not counted.
  template <class T>
  Array(const T* from, std::int64_t size) : Array(std::vector<Value>(from, from + size)) {}

  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() { Ledger::mine().remove(&elements_); }

  [[nodiscard]] Value* data() { return values_.data(); }
  [[nodiscard]] const Value* data() const { return values_.data(); }

  void leave_out(std::int64_t n) { elements_.left_out[static_cast<std::size_t>(n)] = true; }

  [[nodiscard]] bool was_read(std::int64_t n) const {
    return elements_.read[static_cast<std::size_t>(n)];
  }
  [[nodiscard]] bool was_written(std::int64_t n) const {
    return elements_.written[static_cast<std::size_t>(n)];
  }

 private:
  explicit Array(std::vector<Value> values) : values_(std::move(values)) {
    elements_ = {.begin = reinterpret_cast<std::uintptr_t>(values_.data()),
                 .element_bytes = sizeof(Value),
                 .read = std::vector<bool>(values_.size(), false),
                 .written = std::vector<bool>(values_.size(), false),
                 .left_out = std::vector<bool>(values_.size(), false)};
    Ledger::mine().add(&elements_);
  }

  static std::vector<Value> filled(std::int64_t size, const Value& value) {
    return std::vector<Value>(static_cast<std::size_t>(size), value);
  }

  std::vector<Value> values_;
  Ledger::Elements elements_;
};

/// What `work` reads, writes and computes.
template <class Work>
Traffic traffic_of(const Work& work) {
  Ledger::mine().restart();
  work();
  return Ledger::mine().traffic();
}

inline void expect_equal(const Traffic& declared, const Traffic& counted) {
  EXPECT_EQ(declared.bytes_read, counted.bytes_read);
  EXPECT_EQ(declared.bytes_written, counted.bytes_written);
  EXPECT_EQ(declared.flops, counted.flops);
}

// For loops of omp simd, which find it by their values' type.
#pragma omp declare reduction(+ : Counted <double> : omp_out += omp_in)
#pragma omp declare reduction(max : Counted <double> : omp_out = omp_out < omp_in ? omp_in : omp_out)

/// As numerics/poisson/multigrid has it for plain numbers; it is not counted.
template <class T, int Lanes>
auto magnitude_bits(const Counted<T, Lanes>& value) {
  using Bits = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
  return static_cast<Bits>(abs(value) > Counted<T, Lanes>(0));
}

}  // namespace bankfull::counting

/// Plain numbers: what is computed with them is not counted.
template <class T, int Lanes>
class std::numeric_limits<bankfull::counting::Counted<T, Lanes>> : public std::numeric_limits<T> {};

namespace bankfull {

/// A buffer of counted values is known to the ledger.
template <class T, int Lanes>
class Buffer<counting::Counted<T, Lanes>> {
  using Value = counting::Counted<T, Lanes>;

 public:
  Buffer(MemorySpace space, std::size_t size)
      : array_(std::make_unique<counting::Array<Value>>(static_cast<std::int64_t>(size))) {
    static_cast<void>(space);
  }

  [[nodiscard]] Value* data() const { return array_->data(); }

 private:
  std::unique_ptr<counting::Array<Value>> array_;
};

/// A pack of counted values, one lane after the other.
template <class T, int Lanes>
class Pack<counting::Counted<T, Lanes>> {
  using Value = counting::Counted<T, Lanes>;

 public:
  static constexpr int width = Lanes;
  static constexpr int parts = 1;

  static Pack load(const Value* from) {
    return of_lanes([from](int n) { return from[n]; });
  }
  static Pack broadcast(const Value& x) {
    return of_lanes([&x](int) { return x; });
  }
  template <class ValueOf>
  static Pack of_lanes(const ValueOf& value_of) {
    Pack result;
    for (int n = 0; n < Lanes; ++n) {
      result.at(n) = value_of(n);
    }
    return result;
  }

  void store(Value* to) const {
    for (int n = 0; n < Lanes; ++n) {
      to[n] = at(n);
    }
  }
  void stream(Value* to) const { store(to); }

  [[nodiscard]] Value largest(Value floor) const {
    for (const Value& x : lane_) {
      floor = floor < x ? x : floor;
    }
    return floor;
  }

  friend Pack one_lane_later(const Pack& x, const Pack& next) {
    return of_lanes([&](int n) { return n + 1 < Lanes ? x.at(n + 1) : next.at(0); });
  }
  friend Pack one_lane_earlier(const Pack& previous, const Pack& x) {
    return of_lanes([&](int n) { return n > 0 ? x.at(n - 1) : previous.at(Lanes - 1); });
  }

  friend Pack operator+(const Pack& x, const Pack& y) {
    return of_lanes([&](int n) { return x.at(n) + y.at(n); });
  }
  friend Pack operator-(const Pack& x, const Pack& y) {
    return of_lanes([&](int n) { return x.at(n) - y.at(n); });
  }
  friend Pack operator*(const Pack& x, const Pack& y) {
    return of_lanes([&](int n) { return x.at(n) * y.at(n); });
  }
  friend Pack operator*(const Value& x, const Pack& y) {
    return of_lanes([&](int n) { return x * y.at(n); });
  }
  friend Pack operator/(const Pack& x, const Pack& y) {
    return of_lanes([&](int n) { return x.at(n) / y.at(n); });
  }
  friend Pack operator-(const Pack& x) {
    return of_lanes([&](int n) { return -x.at(n); });
  }
  friend Pack abs(const Pack& x) {
    return of_lanes([&](int n) { return abs(x.at(n)); });
  }
  friend Pack raised(const Pack& x, const Pack& y) {
    return of_lanes([&](int n) { return x.at(n) < y.at(n) ? y.at(n) : x.at(n); });
  }
  friend Pack fma(const Pack& x, const Pack& y, const Pack& z) {
    return of_lanes([&](int n) { return fma(x.at(n), y.at(n), z.at(n)); });
  }
  friend Pack fma(const Value& x, const Pack& y, const Pack& z) {
    return of_lanes([&](int n) { return fma(x, y.at(n), z.at(n)); });
  }

 private:
  Value& at(int n) { return lane_[static_cast<std::size_t>(n)]; }
  const Value& at(int n) const { return lane_[static_cast<std::size_t>(n)]; }

  std::array<Value, static_cast<std::size_t>(Lanes)> lane_;
};

template <class T, int Lanes>
class SquareSum<counting::Counted<T, Lanes>> {
  using Value = counting::Counted<T, Lanes>;

 public:
  void add(const Pack<Value>& x) { sum_ = fma(x, x, sum_); }
  [[nodiscard]] double total() const { return 0.0; }

 private:
  Pack<Value> sum_;
};

}  // namespace bankfull
