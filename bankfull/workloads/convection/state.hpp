#pragma once

#include "bankfull/core/base/precision.hpp"
#include "bankfull/core/field/box.hpp"
#include "bankfull/core/io/shared_array.hpp"
#include "bankfull/workloads/convection/diagnosis.hpp"
#include "bankfull/workloads/convection/grid.hpp"
#include "bankfull/workloads/convection/problem.hpp"
#include "bankfull/workloads/convection/step_control.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace bankfull::convection {

/// Gives the values of a part of the box, in the order (i, j, k), k fastest.
using CellReader = std::function<void(const Box& part, double* values)>;

/// The values of cells that ranks share.
struct SharedCells {
  CellReader all;  ///< of any part; collective, into null on ranks that need none
  CellReader own;  ///< of a part of `block`, by this rank alone
  Box block;       ///< what this rank has of them
};

/// Writes all elements of an array and returns their CRC-32.
using ArrayWriting = std::function<std::uint32_t(const SharedArray&)>;

/// Takes down all that the rest of a run depends on, by names such as "flow/u". Where it goes is
/// the application's concern.
class StateWriter {
 public:
  virtual ~StateWriter() = default;

  virtual void numbers(const std::string& name, const std::vector<double>& values) = 0;
  virtual void counts(const std::string& name, const std::vector<std::int64_t>& values) = 0;

  /// A value for each cell of the box, which is exact in this precision. Asks for planes in order.
  virtual void cells(const std::string& name, const Extents& box, Precision precision,
                     const CellReader& values) = 0;

  /// The same of cells that ranks share; collective.
  virtual void shared_cells(const std::string& name, const Extents& box, Precision precision,
                            const SharedCells& cells) {
    this->cells(name, box, precision, cells.all);
  }

  /// Has write(array) write the cells in their place in a file. Returns false, and writes nothing,
  /// where there is no such place.
  virtual bool array(const std::string& /*name*/, const Extents& /*box*/, Precision /*precision*/,
                     const ArrayWriting& /*write*/) {
    return false;
  }
};

/// Returns what a StateWriter has stored. Throws RuntimeFailure if it cannot be read.
class StateReader {
 public:
  virtual ~StateReader() = default;

  [[nodiscard]] virtual bool has(const std::string& name) const = 0;
  [[nodiscard]] virtual std::vector<double> numbers(const std::string& name) const = 0;
  [[nodiscard]] virtual std::vector<std::int64_t> counts(const std::string& name) const = 0;

  /// Reads whole planes.
  virtual void cells(const std::string& name, const Box& part, double* values) const = 0;

  /// The values of cells as a reader of its own.
  [[nodiscard]] CellReader cells(const std::string& name) const {
    return [this, name](const Box& part, double* values) { cells(name, part, values); };
  }
};

/// The pressure in a state that nothing but the output depends on.
inline constexpr const char* name_of_recorded_pressure = "told_pressure";

// What multigrid starts from, and with it the past pressures and the step of the first of them: see
// pressure_start.
inline constexpr const char* name_of_potential = "potential";
inline constexpr const char* name_of_past_pressure = "past_pressure";
inline constexpr const char* name_of_expected_change = "expected_change";
inline constexpr const char* name_of_first_pressure = "first_pressure";

/// What fields are called in a state: "u", "v", "w" along x, y, z, and scalars by their names; and
/// "pressure" beyond them, see Plan::pressure_field().
std::string name_of_field(const Problem& problem, const Grid& grid, int field);

/// The flux of a bounded scalar through the faces across a storage axis, "flux/temperature/x".
std::string name_of_flux(const Problem& problem, const Grid& grid, int scalar, int axis);

/// The lower faces of all cells across a storage axis, and the upper ones of the last.
Extents extents_of_faces(const Grid& grid, int axis);

/// Numbers one after the other, for what has many.
class PackedNumbers {
 public:
  PackedNumbers() = default;
  explicit PackedNumbers(std::vector<double> values) : values_(std::move(values)) {}

  void add(double value) { values_.push_back(value); }
  void add(const std::optional<double>& value) {
    add(value ? 1.0 : 0.0);
    add(value.value_or(0.0));
  }
  void add(const Diagnosis& flow);
  [[nodiscard]] const std::vector<double>& values() const { return values_; }

  // In the order of the calls above. Throw RuntimeFailure beyond the last number.
  double take();
  std::optional<double> take_optional();
  Diagnosis take_diagnosis();
  [[nodiscard]] bool at_end() const { return next_ == values_.size(); }

 private:
  std::vector<double> values_;
  std::size_t next_ = 0;
};

// What scalars are stored less of (Scalar::reference), and a field of the flow as this stepped
// problem stores it: walls that are given other values may have moved the references.
void save_references(const Problem& stepped, StateWriter& to);
CellReader saved_field(const Problem& stepped, const Grid& grid, int field,
                       const StateReader& from);

// What bounded advection has added, see Diagnosis::OfScalar; nothing without bounded scalars.
// value_of(scalar) gives it, and take(scalar, value) gets it.
void save_corrected_variance(const Problem& problem, const std::function<double(int)>& value_of,
                             StateWriter& to);
void restore_corrected_variance(const Problem& problem, const StateReader& from,
                                const std::function<void(int, double)>& take);

// Where the steps have led, and what the next one is chosen by; the rule is found anew.
void save(const StepClock& clock, StateWriter& to);
StepClock saved_clock(const StateReader& from);

}  // namespace bankfull::convection
