#pragma once

namespace bankfull {

template <class T>
class Pack;

/// What code that is written for numbers, and serves packs of them as well, calls a single number.
template <class Real>
struct Lane {
  using Type = Real;
};
template <class T>
struct Lane<Pack<T>> {
  using Type = T;
};

}  // namespace bankfull
