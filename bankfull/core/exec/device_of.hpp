#pragma once

#include "bankfull/core/exec/stream.hpp"
#include "bankfull/core/exec/team.hpp"
#include "bankfull/core/machine/device.hpp"

namespace bankfull {

// A Team and a Stream are the two things that loops run on: for_each(on, box, body),
// make_halo_exchange<T>(setup, on). These make code alike that is written once for both.

/// A team's work and its data are on the CPU.
inline Device device_of(const Team& /*team*/) { return Device::cpu(); }
/// The GPU whose work the stream queues.
inline Device device_of(const Stream& stream) { return stream.device(); }

/// Host threads that work there: all of the team.
inline int threads_of(const Team& team) { return team.threads(); }
/// Host threads that work there: the one that queues.
inline int threads_of(const Stream& /*stream*/) { return 1; }

/// Returns when all work there is done: at once, as a team's is done when its loop returns.
inline void synchronize(const Team& /*team*/) {}
/// Returns when all work queued there is done. Throws RuntimeFailure if any of it failed.
inline void synchronize(const Stream& stream) { stream.synchronize(); }

}  // namespace bankfull
