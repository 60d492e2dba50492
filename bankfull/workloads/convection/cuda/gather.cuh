#pragma once

#include "bankfull/core/exec/for_each.cuh"
#include "bankfull/core/exec/stream.hpp"
#include "bankfull/core/field/field_set.hpp"
#include "bankfull/workloads/convection/flow.hpp"
#include "bankfull/workloads/convection/plan.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace bankfull::convection {

/// The elements of a part of a field, in order.
template <class T>
struct OrderedPart {
  Box part;
  T* values;

  __device__ T& operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    const Extents n = part.extents();
    return values[((i - part.i0) * n.nj + j - part.j0) * n.nk + k - part.k0];
  }
};

template <class View>
struct GatherPart {
  View field;
  OrderedPart<double> to;

  __device__ void operator()(std::int64_t i, std::int64_t j, std::int64_t k) const {
    to(i, j, k) = static_cast<double>(field(i, j, k));
  }
};

/// Copies a part of a field to the host, by pieces of so many planes as `room` holds, and waits for
/// it: there may be no room on the GPU for another field.
template <class View>
void gather(const Stream& stream, const View& view, const Box& part, const Buffer<double>& room,
            double* values) {
  const Extents n = part.extents();
  const std::int64_t planes = static_cast<std::int64_t>(room.size()) / (n.nj * n.nk);
  for (std::int64_t i = part.i0; i < part.i1; i += planes) {
    Box piece = part;
    piece.i0 = i;
    piece.i1 = std::min(i + planes, part.i1);
    for_each(stream, piece, GatherPart<View>{view, {piece, room.data()}});
    const auto count = static_cast<std::size_t>(piece.extents().count());
    copy_bytes(values, room.data(), count * sizeof(double), stream);
    stream.synchronize();
    values += count;
  }
}

/// Copies of fields on the GPU, which are read, on a stream of their own, while the flow is stepped
/// on. The plan outlives it.
template <class Real>
class CopiedFields final : public FlowReader {
 public:
  CopiedFields(const Plan& plan, const Layout& layout)
      : fields_(plan.copied_fields()),
        stream_(plan.problem().device),
        copies_(layout, static_cast<int>(fields_.size()), plan.problem().device),
        room_(MemorySpace::device, elements_of_a_piece(plan.grid().extents())) {}

  /// Queues it behind the work of the flow's stream. Nobody may read what was copied before.
  void copy(const FieldSet<Real>& flow, const Stream& stream_of_flow) {
    const auto stride = static_cast<std::size_t>(copies_.stride());
    for (std::size_t n = 0; n < fields_.size(); ++n) {
      const auto field = static_cast<std::size_t>(fields_[n]);
      copy_bytes(copies_.data() + n * stride, flow.data() + field * stride, stride * sizeof(Real),
                 stream_of_flow);
    }
    copied_.record(stream_of_flow);
    stream_.wait_for(copied_);
  }

  void read(int field, const Box& part, double* values) const override {
    select(stream_.device());
    const auto found = std::find(fields_.begin(), fields_.end(), field);
    expects(found != fields_.end(), "a field of which there is a copy");
    gather(stream_, copies_[static_cast<int>(found - fields_.begin())], part, room_, values);
  }

 private:
  static std::size_t elements_of_a_piece(const Extents& n) {
    return static_cast<std::size_t>(planes_of_a_piece(n) * n.nj * n.nk);
  }

  std::vector<int> fields_;
  Stream stream_;
  FieldSet<Real> copies_;
  Buffer<double> room_;
  Event copied_;
};

}  // namespace bankfull::convection
