#pragma once

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/comm/decomposed_grid.hpp"
#include "bankfull/core/comm/halo_exchange.hpp"
#include "bankfull/core/exec/device_of.hpp"
#include "bankfull/core/exec/for_each.hpp"
#include "bankfull/core/field/field_set.hpp"
#include "bankfull/core/field/for_cells.hpp"

#include <cstddef>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace bankfull {

/// This rank's part of `count` congruent fields of a DecomposedGrid, on a team or a stream, and
/// the exchange of their halos. All cells are 0 at first; on a CPU the team touches them first.
///
/// Making one, the exchanges and the end of its life are collective. The grid's communicator and a
/// stream must outlive it. Views are valid as long as it lives.
template <class T>
class GridFields {
 public:
  /// In host memory, worked on by a copy of the team. Throws UsageError for less than one field.
  GridFields(const DecomposedGrid& grid, int count, const Team& team)
      : GridFields(
            grid, count, Device::cpu(),
            [team](const HaloSetup& setup) { return make_halo_exchange<T>(setup, team); },
            [](void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); }) {
    for (int field = 0; field < count; ++field) {
      for_each(team, grid.with_ghosts(),
               [to = fields_[field]](auto i, auto j, auto k) { to(i, j, k) = T{}; });
    }
  }

  /// In memory of the stream's GPU, which must be the selected one; the work that sets the cells to
  /// 0 is queued on the stream. Throws UsageError for less than one field.
  GridFields(const DecomposedGrid& grid, int count, const Stream& stream)
      : GridFields(
            grid, count, stream.device(),
            [on = &stream](const HaloSetup& setup) { return make_halo_exchange<T>(setup, *on); },
            [on = &stream](void* to, const void* from, std::size_t bytes) {
              copy_bytes(to, from, bytes, *on);
              on->synchronize();
            }) {
    fill_bytes(fields_.data(), 0, fields_.bytes(), stream);
  }
  GridFields(const DecomposedGrid& grid, int count, const Stream&& stream) = delete;

  /// One field, 0 <= `field` < count(), with local indices (i, j, k). Throws UsageError for one
  /// that there is not, as all functions that take the number of a field.
  [[nodiscard]] FieldView<T> operator[](int field) {
    require_field(field);
    return fields_[field];
  }
  /// The same, to read only.
  [[nodiscard]] FieldView<const T> operator[](int field) const {
    require_field(field);
    return fields_[field];
  }
  /// Number of fields, at least 1.
  [[nodiscard]] int count() const { return fields_.count(); }
  /// Their memory, which this owns.
  [[nodiscard]] FieldSet<T>& fields() { return fields_; }

  /// A copy of a field's interior cells, k fastest, in host memory. Waits for the work on a stream.
  [[nodiscard]] std::vector<T> interior_values(int field) const {
    require_field(field);
    const Layout& layout = fields_.layout();
    std::vector<T> all(static_cast<std::size_t>(layout.size()));
    copy_out_(all.data(), fields_[field].origin - layout.origin(), all.size() * sizeof(T));
    std::vector<T> values;
    values.reserve(static_cast<std::size_t>(layout.interior().count()));
    for_cells(grid_.interior(), [&](auto i, auto j, auto k) {
      values.push_back(all[static_cast<std::size_t>(layout.origin() + layout.offset(i, j, k))]);
    });
    return values;
  }

  /// Fills the ghost cells of these fields, by number, within the grid's reach, from their
  /// neighbours; those beyond an end of the grid stay. On a stream it is queued where the transport
  /// can. Throws UsageError for no fields.
  void exchange_halo(std::initializer_list<int> which) {
    start_halo(which);
    finish_halo();
  }

  /// The same in two parts, with work between them that neither reads these ghost cells nor writes
  /// what is sent: cells within the halo's width of a face. One exchange at a time.
  void start_halo(std::initializer_list<int> which) {
    std::vector<T*> origins;
    for (const int field : which) {
      require_field(field);
      origins.push_back(fields_[field].origin);
    }
    require(!origins.empty(), "an exchange of no fields", "name at least one");
    require(running_ == nullptr, "a second exchange was started", "finish the first one before");
    HaloExchange<T>& exchange = exchange_of(static_cast<int>(which.size()));
    exchange.start(origins);
    running_ = &exchange;
  }

  /// Completes what `start_halo` began. Throws UsageError if nothing was begun.
  void finish_halo() {
    require(running_ != nullptr, "there is no exchange to finish", "start one");
    running_->finish();
    running_ = nullptr;
  }

 private:
  using Make = std::function<std::unique_ptr<HaloExchange<T>>(const HaloSetup&)>;
  using CopyOut = std::function<void(void* to, const void* from, std::size_t bytes)>;

  GridFields(const DecomposedGrid& grid, int count, Device device, Make make, CopyOut copy_out)
      : grid_(grid),
        make_(std::move(make)),
        copy_out_(std::move(copy_out)),
        fields_(grid.layout(sizeof(T)), at_least_one(count), device) {}

  static int at_least_one(int count) {
    require(count > 0, "a set of " + std::to_string(count) + " fields", "ask for at least one");
    return count;
  }

  void require_field(int field) const {
    if (field < 0 || field >= count()) {
      throw UsageError("there is no field " + std::to_string(field),
                       "fields are numbered 0 to " + std::to_string(count() - 1));
    }
  }

  /// One for each number of fields, made when it is first wanted.
  HaloExchange<T>& exchange_of(int count) {
    std::unique_ptr<HaloExchange<T>>& exchange = exchanges_[count];
    if (!exchange) {
      exchange = make_({.ranks = grid_.ranks(),
                        .decomposition = grid_.decomposition(),
                        .layout = fields_.layout(),
                        .shape = grid_.halo(),
                        .fields = count});
    }
    return *exchange;
  }

  DecomposedGrid grid_;
  Make make_;
  CopyOut copy_out_;
  FieldSet<T> fields_;
  std::map<int, std::unique_ptr<HaloExchange<T>>> exchanges_;
  HaloExchange<T>* running_ = nullptr;
};

}  // namespace bankfull
