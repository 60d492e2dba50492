#pragma once

namespace bankfull {

template <class T>
class Pack;

/// What code that is written for numbers, and serves packs of them as well, calls a single number.
template <class Real>
struct Lane {
  using Type = Real;  ///< the number itself
};
/// Of packs: a number of them.
template <class T>
struct Lane<Pack<T>> {
  using Type = T;  ///< what each lane of the pack holds
};

}  // namespace bankfull
