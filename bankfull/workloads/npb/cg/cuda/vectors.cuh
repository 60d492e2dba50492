#pragma once

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/exec/cuda_executor.cuh"
#include "bankfull/workloads/npb/cg/cg.hpp"
#include "bankfull/workloads/npb/generator.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace bankfull::npb::cg::cuda {

/// The sparse vectors of `draw_vectors` in GPU memory: vector i has the slots [i stride,
/// (i + 1) stride), the last of which is unused where its own element was drawn.
struct DrawnVectors {
  static constexpr std::int32_t unused = -1;

  std::int64_t count = 0;
  int stride = 0;
  Buffer<std::int32_t> indices;
  Buffer<double> values;
};

// Which numbers of the sequence make which vector depends on how many before were rejected. So all
// are drawn at once, a *try* being a value and an index; tries whose index is a row are
// *candidates*, numbered by a prefix sum. A candidate that repeats an index of its vector is
// dropped, which moves all later ones by one. In principle this depends on the whole sequence, but
// there are only a few hundred repeats: candidates for them are found in parallel and decided in
// order.

struct Tries {
  static constexpr std::int64_t chunk = 64;  ///< of a thread

  std::int64_t rows;
  int index_shift;  ///< of a state, to an index below the next power of two

  template <class Accepted>
  __device__ void each_accepted(std::int64_t number, const Accepted& accepted) const {
    // NPB discards one value.
    Generator generator(common_seed, static_cast<std::uint64_t>(1 + 2 * chunk * number));
    for (std::int64_t n = 0; n < chunk; ++n) {
      const double value = generator.draw();
      generator.draw();
      const auto index = static_cast<std::int32_t>(generator.state() >> index_shift);
      if (index < rows) {
        accepted(value, index);
      }
    }
  }
};

struct CountCandidates {
  Tries tries;
  std::int32_t* counts;
  __device__ void operator()(std::int64_t chunk) const {
    std::int32_t count = 0;
    tries.each_accepted(chunk, [&](double /*value*/, std::int32_t /*index*/) { ++count; });
    counts[chunk] = count;
  }
};

struct WriteCandidates {
  Tries tries;
  const std::int64_t* starts;
  std::int32_t* indices;
  double* values;
  std::int64_t capacity;
  __device__ void operator()(std::int64_t chunk) const {
    std::int64_t place = starts[chunk];
    tries.each_accepted(chunk, [&](double value, std::int32_t index) {
      if (place < capacity) {
        indices[place] = index;
        values[place] = value;
      }
      ++place;
    });
  }
};

/// A candidate and the nearest one before it with the same index.
struct Repeat {
  std::int64_t candidate;
  std::int64_t earlier;
};

struct FindRepeats {
  const std::int32_t* indices;
  std::int64_t reach;
  Repeat* repeats;
  unsigned* found;
  unsigned capacity;
  __device__ void operator()(std::int64_t candidate) const {
    for (std::int64_t n = candidate - 1; n >= 0 && n >= candidate - reach; --n) {
      if (indices[n] == indices[candidate]) {
        const unsigned place = atomicAdd(found, 1U);
        if (place < capacity) {
          repeats[place] = {candidate, n};
        }
        return;
      }
    }
  }
};

struct PlaceCandidates {
  const std::int64_t* dropped;  ///< ascending
  std::int64_t dropped_count;
  const std::int32_t* candidate_indices;
  const double* candidate_values;
  std::int64_t rows;
  int nonzeros;
  std::int32_t* indices;
  double* values;
  __device__ void operator()(std::int64_t candidate) const {
    std::int64_t before = 0;
    std::int64_t behind = dropped_count;
    while (before < behind) {
      const std::int64_t middle = (before + behind) / 2;
      if (dropped[middle] < candidate) {
        before = middle + 1;
      } else {
        behind = middle;
      }
    }
    if (before < dropped_count && dropped[before] == candidate) {
      return;
    }
    const std::int64_t kept = candidate - before;
    const std::int64_t vector = kept / nonzeros;
    if (vector < rows) {
      indices[kept + vector] = candidate_indices[candidate];
      values[kept + vector] = candidate_values[candidate];
    }
  }
};

struct SetOwnElement {
  int stride;
  std::int32_t* indices;
  double* values;
  __device__ void operator()(std::int64_t vector) const {
    const std::int64_t begin = vector * stride;
    const std::int64_t last = begin + stride - 1;
    indices[last] = static_cast<std::int32_t>(vector);
    std::int64_t place = begin;
    while (indices[place] != vector) {
      ++place;
    }
    values[place] = own_element;
    if (place != last) {
      indices[last] = DrawnVectors::unused;
    }
  }
};

/// The candidates to drop, ascending: those that repeat an index of their vector. `repeats` holds
/// those with an equal one less than two vectors before.
inline std::vector<std::int64_t> dropped_candidates(std::vector<Repeat> repeats, int nonzeros) {
  std::sort(repeats.begin(), repeats.end(),
            [](const Repeat& a, const Repeat& b) { return a.candidate < b.candidate; });
  std::vector<std::int64_t> dropped;
  // The position of a candidate among those kept.
  const auto kept_before = [&](std::int64_t candidate) {
    return candidate -
           (std::lower_bound(dropped.begin(), dropped.end(), candidate) - dropped.begin());
  };
  for (const Repeat& repeat : repeats) {
    // The vector's first candidate is never dropped, so what follows belongs to the vector.
    const std::int64_t vector = kept_before(repeat.candidate) / nonzeros;
    if (kept_before(repeat.earlier) >= vector * nonzeros) {
      dropped.push_back(repeat.candidate);
    }
  }
  return dropped;
}

/// Draws the vectors of a class.
class VectorDraw {
 public:
  VectorDraw(const CudaExecutor& executor, Class size)
      : executor_(executor),
        rows_(cg_parameters(size).rows),
        nonzeros_(cg_parameters(size).vector_nonzeros) {}

  [[nodiscard]] DrawnVectors draw() {
    draw_candidates();
    const std::vector<std::int64_t> dropped = find_dropped();
    if (candidates_ - static_cast<std::int64_t>(dropped.size()) < rows_ * nonzeros_) {
      throw RuntimeFailure("npb cg drew too few numbers for its matrix");
    }
    return place(dropped);
  }

 private:
  /// More candidates than vectors have elements: some are dropped.
  [[nodiscard]] std::int64_t wanted() const {
    return rows_ * nonzeros_ + 4 * nonzeros_ * nonzeros_ + 256;
  }

  void draw_candidates() {
    const std::uint64_t range = std::bit_ceil(static_cast<std::uint64_t>(rows_));
    const Tries tries{rows_, generator_bits - std::countr_zero(range)};
    const double mean =
        static_cast<double>(wanted()) * static_cast<double>(range) / static_cast<double>(rows_);
    const double margin = 8.0 * std::sqrt(mean);
    const std::int64_t chunks = static_cast<std::int64_t>(mean + margin) / Tries::chunk + 1;
    const auto counts = executor_.make<std::int32_t>(chunks + 1);
    const auto starts = executor_.make<std::int64_t>(chunks + 1);
    executor_.fill(counts.data(), chunks + 1, 0);
    executor_.each(chunks, CountCandidates{tries, counts.data()});
    candidates_ = std::min(executor_.exclusive_sum(counts.data(), chunks, starts.data()), wanted());
    indices_ = executor_.make<std::int32_t>(candidates_);
    values_ = executor_.make<double>(candidates_);
    executor_.each(chunks, WriteCandidates{tries, starts.data(), indices_.data(), values_.data(),
                                           candidates_});
    executor_.synchronize();
  }

  [[nodiscard]] std::vector<std::int64_t> find_dropped() const {
    const auto capacity = static_cast<unsigned>(64 * nonzeros_ * nonzeros_);
    const auto repeats = executor_.make<Repeat>(capacity);
    const auto found = executor_.make<unsigned>(1);
    executor_.fill(found.data(), 1, 0U);
    executor_.each(candidates_, FindRepeats{indices_.data(), 2 * nonzeros_ - 1, repeats.data(),
                                            found.data(), capacity});
    const unsigned count = executor_.to_host(found.data(), 1).front();
    if (count > capacity) {
      throw RuntimeFailure("npb cg drew more equal numbers than it expects");
    }
    return dropped_candidates(executor_.to_host(repeats.data(), count), nonzeros_);
  }

  [[nodiscard]] DrawnVectors place(const std::vector<std::int64_t>& dropped) const {
    DrawnVectors vectors;
    vectors.count = rows_;
    vectors.stride = nonzeros_ + 1;
    vectors.indices = executor_.make<std::int32_t>(rows_ * vectors.stride);
    vectors.values = executor_.make<double>(rows_ * vectors.stride);
    const auto count = static_cast<std::int64_t>(dropped.size());
    const auto list = executor_.make<std::int64_t>(count + 1);
    executor_.from_host(dropped, list.data());
    executor_.each(candidates_,
                   PlaceCandidates{list.data(), count, indices_.data(), values_.data(), rows_,
                                   nonzeros_, vectors.indices.data(), vectors.values.data()});
    executor_.each(rows_,
                   SetOwnElement{vectors.stride, vectors.indices.data(), vectors.values.data()});
    executor_.synchronize();
    return vectors;
  }

  const CudaExecutor& executor_;
  std::int64_t rows_;
  int nonzeros_;
  std::int64_t candidates_ = 0;
  Buffer<std::int32_t> indices_;
  Buffer<double> values_;
};

}  // namespace bankfull::npb::cg::cuda
