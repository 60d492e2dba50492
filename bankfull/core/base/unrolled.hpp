#pragma once

#include "bankfull/core/base/host_device.hpp"

#include <utility>

namespace bankfull {

namespace detail {
template <class Body, int... Steps>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE void unrolled(const Body& body,
                                                          std::integer_sequence<int, Steps...>) {
  (body(Steps), ...);
}
}  // namespace detail

/// body(0), ..., body(Count - 1), written out, so that arrays that it indexes stay in registers.
template <int Count, class Body>
BANKFULL_HOST_DEVICE BANKFULL_ALWAYS_INLINE void unrolled(const Body& body) {
  detail::unrolled(body, std::make_integer_sequence<int, Count>{});
}

}  // namespace bankfull
