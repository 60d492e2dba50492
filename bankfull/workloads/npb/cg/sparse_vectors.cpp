#include "bankfull/workloads/npb/cg/sparse_vectors.hpp"

#include "bankfull/core/exec/run_on_team.hpp"
#include "bankfull/workloads/npb/cg/cg.hpp"
#include "bankfull/workloads/npb/generator.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

namespace bankfull::npb::cg {
namespace {

/// Numbers of the sequence whose index is below the number of rows, in their order.
struct Numbers {
  std::vector<std::int32_t> indices;
  std::vector<double> values;

  void clear() {
    indices.clear();
    values.clear();
  }

  void append(const Numbers& other, std::int64_t first) {
    indices.insert(indices.end(), other.indices.begin() + first, other.indices.end());
    values.insert(values.end(), other.values.begin() + first, other.values.end());
  }
};

/// Vectors [first, end) whose numbers follow each other from `place` on without repeats, except
/// that a single vector may have some.
struct Stretch {
  Range vectors;
  std::int64_t place = 0;
};

/// The vectors in the order in which they are drawn, batch after batch of numbers.
class Drawing {
 public:
  Drawing(Class size, const Range& rows, const Range& columns, const Team& team)
      : count_(cg_parameters(size).rows),
        nonzeros_(cg_parameters(size).vector_nonzeros),
        rows_(rows),
        columns_(columns),
        team_(team),
        drawn_(static_cast<std::size_t>(team.threads())),
        repeats_(drawn_.size()),
        kept_(drawn_.size()) {}

  SparseVectors draw() {
    SparseVectors all;
    all.starts.reserve(static_cast<std::size_t>(count_) + 1);
    all.starts.push_back(0);
    while (next_vector_ < count_) {
      draw_numbers();
      divide_numbers();
      keep_elements();
      for (const SparseVectors& kept : kept_) {
        append(kept, all);
      }
    }
    return all;
  }

 private:
  /// Numbers that a thread draws of a batch: they stay in its caches.
  static constexpr std::int64_t thread_numbers = std::int64_t{1} << 14;

  /// body(element) by each thread for its element of a list. Meanwhile the thread has it in its own
  /// memory: elements of a list share cache lines.
  template <class Element, class Body>
  void on_team(std::vector<Element>& list, const Body& body) const {
    run_on_team(team_, [&] {
      Element& shared = list[static_cast<std::size_t>(share_number())];
      Element own = std::move(shared);
      body(own);
      shared = std::move(own);
    });
  }

  static void append(const SparseVectors& kept, SparseVectors& all) {
    const auto before = static_cast<std::int64_t>(all.indices.size());
    std::transform(kept.starts.begin(), kept.starts.end(), std::back_inserter(all.starts),
                   [before](std::int64_t end) { return before + end; });
    all.indices.insert(all.indices.end(), kept.indices.begin(), kept.indices.end());
    all.values.insert(all.values.end(), kept.values.begin(), kept.values.end());
  }

  /// Those of the last batch that no vector had yet, and a new batch.
  void draw_numbers() {
    on_team(drawn_, [this](Numbers& drawn) { draw_share(drawn); });
    drawn_before_ += team_.threads() * thread_numbers;
    Numbers rest;
    rest.append(numbers_, next_place_);
    for (const Numbers& drawn : drawn_) {
      rest.append(drawn, 0);
    }
    numbers_ = std::move(rest);
    next_place_ = 0;
  }

  void draw_share(Numbers& drawn) const {
    drawn.clear();
    const auto range = static_cast<double>(std::bit_ceil(static_cast<std::uint64_t>(count_)));
    const std::int64_t first = drawn_before_ + share_number() * thread_numbers;
    // NPB discards one value, and a number takes two.
    Generator generator(common_seed, static_cast<std::uint64_t>(1 + 2 * first));
    for (std::int64_t n = 0; n < thread_numbers; ++n) {
      const double value = generator.draw();
      const auto index = static_cast<std::int32_t>(range * generator.draw());
      if (index < count_) {
        drawn.indices.push_back(index);
        drawn.values.push_back(value);
      }
    }
  }

  [[nodiscard]] std::int64_t number_count() const {
    return static_cast<std::int64_t>(numbers_.indices.size());
  }

  /// Whether the number at a place repeats one from `first` on.
  [[nodiscard]] bool repeats(std::int64_t place, std::int64_t first) const {
    const std::int32_t* const indices = numbers_.indices.data();
    bool found = false;
    for (std::int64_t n = first; n < place; ++n) {
      found = found || indices[n] == indices[place];
    }
    return found;
  }

  /// Which numbers belong to which vectors.
  void divide_numbers() {
    on_team(repeats_, [this](std::vector<std::int64_t>& places) { find_repeats(places); });
    stretches_.clear();
    bool complete = true;
    for (const std::vector<std::int64_t>& places : repeats_) {
      for (const std::int64_t place : places) {
        complete = complete && pass(place);
      }
    }
    if (complete) {
      add_regular((number_count() - next_place_) / nonzeros_);
    }
  }

  /// Places whose number repeats one that is so near that both may be in the same vector, before
  /// which that vector has no other repeat.
  void find_repeats(std::vector<std::int64_t>& places) const {
    places.clear();
    const Range mine = my_share(number_count());
    for (std::int64_t place = mine.begin; place < mine.end; ++place) {
      if (repeats(place, std::max<std::int64_t>(place - nonzeros_ + 1, 0))) {
        places.push_back(place);
      }
    }
  }

  /// Divides the numbers up to the end of the vector that has this place, if that vector has a
  /// repeat there; false where that vector's end is not drawn yet.
  bool pass(std::int64_t place) {
    if (place < next_place_) {
      return true;  // a vector with an earlier repeat has it
    }
    const std::int64_t whole = (place - next_place_) / nonzeros_;
    const std::int64_t first = next_place_ + whole * nonzeros_;
    if (!repeats(place, first)) {
      return true;
    }
    add_regular(whole);
    const std::int64_t end = end_of_vector(first);
    if (end > 0 && next_vector_ < count_) {
      stretches_.push_back({{next_vector_, next_vector_ + 1}, first});
      ++next_vector_;
      next_place_ = end;
    }
    return end > 0;
  }

  void add_regular(std::int64_t vectors) {
    const std::int64_t some = std::min(vectors, count_ - next_vector_);
    if (some > 0) {
      stretches_.push_back({{next_vector_, next_vector_ + some}, next_place_});
      next_vector_ += some;
      next_place_ += some * nonzeros_;
    }
  }

  /// One past the last number of the vector that begins at a place; 0 if it is not drawn yet.
  [[nodiscard]] std::int64_t end_of_vector(std::int64_t first) const {
    int distinct = 0;
    for (std::int64_t place = first; place < number_count(); ++place) {
      distinct += repeats(place, first) ? 0 : 1;
      if (distinct == nonzeros_) {
        return place + 1;
      }
    }
    return 0;
  }

  void keep_elements() {
    on_team(kept_, [this](SparseVectors& kept) {
      kept.starts.clear();
      kept.indices.clear();
      kept.values.clear();
      if (stretches_.empty()) {
        return;
      }
      const std::int64_t first = stretches_.front().vectors.begin;
      const Range mine = my_share(next_vector_ - first);
      for (const Stretch& stretch : stretches_) {
        const std::int64_t begin = std::max(first + mine.begin, stretch.vectors.begin);
        const std::int64_t end = std::min(first + mine.end, stretch.vectors.end);
        for (std::int64_t i = begin; i < end; ++i) {
          keep_vector(i, stretch.place + (i - stretch.vectors.begin) * nonzeros_, kept);
        }
      }
    });
  }

  /// The elements of vector i, whose numbers begin at a place, in the rows and columns.
  void keep_vector(std::int64_t i, std::int64_t first, SparseVectors& kept) const {
    bool has_own = false;
    int distinct = 0;
    for (std::int64_t place = first; distinct < nonzeros_; ++place) {
      if (repeats(place, first)) {
        continue;
      }
      ++distinct;
      const auto n = static_cast<std::size_t>(place);
      const bool own = numbers_.indices[n] == i;
      has_own = has_own || own;
      keep(numbers_.indices[n], own ? own_element : numbers_.values[n], kept);
    }
    if (!has_own) {
      keep(static_cast<std::int32_t>(i), own_element, kept);
    }
    kept.starts.push_back(static_cast<std::int64_t>(kept.indices.size()));
  }

  void keep(std::int32_t index, double value, SparseVectors& kept) const {
    if (rows_.holds(index) || columns_.holds(index)) {
      kept.indices.push_back(index);
      kept.values.push_back(value);
    }
  }

  std::int64_t count_;
  int nonzeros_;
  Range rows_;
  Range columns_;
  Team team_;
  std::int64_t drawn_before_ = 0;
  std::int64_t next_vector_ = 0;
  std::int64_t next_place_ = 0;  ///< of the next vector's first number
  Numbers numbers_;
  std::vector<Stretch> stretches_;  ///< of a batch
  std::vector<Numbers> drawn_;      ///< by each thread, as the next two
  std::vector<std::vector<std::int64_t>> repeats_;
  std::vector<SparseVectors> kept_;  ///< of which `starts` has the ends
};

}  // namespace

SparseVectors draw_elements(Class size, const Range& rows, const Range& columns, const Team& team) {
  return Drawing(size, rows, columns, team).draw();
}

}  // namespace bankfull::npb::cg
