#pragma once

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/field/for_cells.hpp"
#include "bankfull/workloads/convection/state.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace bankfull::convection {

/// The state of a run in memory. Equal states have equal bits.
class KeptState final : public StateWriter, public StateReader {
 public:
  void numbers(const std::string& name, const std::vector<double>& values) override {
    numbers_[name] = values;
  }
  void counts(const std::string& name, const std::vector<std::int64_t>& values) override {
    counts_[name] = values;
  }
  void cells(const std::string& name, const Extents& box, Precision /*precision*/,
             const CellReader& values) override {
    boxes_[name] = box;
    std::vector<double>& kept = numbers_[name];
    kept.resize(static_cast<std::size_t>(box.count()));
    // Plane by plane, as a file would be written.
    for (std::int64_t i = 0; i < box.ni; ++i) {
      values({i, i + 1, 0, box.nj, 0, box.nk}, kept.data() + i * box.nj * box.nk);
    }
  }

  [[nodiscard]] bool has(const std::string& name) const override {
    return numbers_.contains(name) || counts_.contains(name);
  }
  [[nodiscard]] std::vector<double> numbers(const std::string& name) const override {
    return found(numbers_, name);
  }
  [[nodiscard]] std::vector<std::int64_t> counts(const std::string& name) const override {
    return found(counts_, name);
  }
  void cells(const std::string& name, const Box& part, double* values) const override {
    const std::vector<double>& kept = found(numbers_, name);
    const Extents& box = boxes_.at(name);
    for_cells(part, [&](std::int64_t i, std::int64_t j, std::int64_t k) {
      *values++ = kept[static_cast<std::size_t>((i * box.nj + j) * box.nk + k)];
    });
  }
  using StateReader::cells;

  void erase(const std::string& name) {
    numbers_.erase(name);
    counts_.erase(name);
  }
  [[nodiscard]] const std::map<std::string, std::vector<double>>& all_numbers() const {
    return numbers_;
  }
  [[nodiscard]] const std::map<std::string, std::vector<std::int64_t>>& all_counts() const {
    return counts_;
  }
  friend bool operator==(const KeptState& a, const KeptState& b) {
    return a.numbers_ == b.numbers_ && a.counts_ == b.counts_;
  }

 private:
  template <class Map>
  static const typename Map::mapped_type& found(const Map& map, const std::string& name) {
    const auto place = map.find(name);
    if (place == map.end()) {
      throw RuntimeFailure("the state has no " + name);
    }
    return place->second;
  }

  std::map<std::string, Extents> boxes_;  ///< of cells
  std::map<std::string, std::vector<double>> numbers_;
  std::map<std::string, std::vector<std::int64_t>> counts_;
};

}  // namespace bankfull::convection
