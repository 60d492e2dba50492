#pragma once

#include "bankfull/core/comm/halo_exchange.hpp"
#include "bankfull/workloads/himeno/domain.hpp"
#include "bankfull/workloads/himeno/overlap.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace bankfull::himeno {

/// Whether a pass exchanges halos, or leaves them as they are, to time the sweeps alone.
enum class Halos { exchanged, stale };

/// Runs the steps of a pass: sweeps by the solver, exchanges of the next pressure.
template <class T>
class PassRunner {
 public:
  /// Collective. `make` makes a halo exchange from a HaloSetup.
  template <class Make>
  PassRunner(const Communicator& ranks, const Domain& domain, const Layout& layout,
             const HaloShape& shape, Transport transport, PassPlan plan, const Make& make)
      : plan_(std::move(plan)), begun_(plan_.exchanges.size(), false) {
    for (const auto& wanted : plan_.exchanges) {
      exchanges_.push_back(make(HaloSetup{.ranks = ranks,
                                          .decomposition = domain.decomposition,
                                          .layout = layout,
                                          .shape = shape,
                                          .fields = 1,
                                          .transport = transport,
                                          .alone = !sweeps_meanwhile(plan_),
                                          .wanted = wanted}));
    }
  }

  [[nodiscard]] const std::vector<PassStep>& steps() const { return plan_.steps; }

  /// `sweep(step)` updates the step's points of `next`, `sum()` adds up all their residuals.
  template <class Sweep, class Sum>
  void run(T* next, Halos halos, const Sweep& sweep, const Sum& sum) {
    for (const PassStep& step : plan_.steps) {
      switch (step.kind) {
        case PassStep::Kind::sweep:
          sweep(step);
          break;
        case PassStep::Kind::sum:
          sum();
          break;
        case PassStep::Kind::start:
          if (halos == Halos::exchanged) {
            start(step.exchange, next);
          }
          break;
        case PassStep::Kind::finish:
          finish(step.exchange);
          break;
      }
    }
  }

  /// Completes the exchanges that the last pass left in flight.
  void complete() {
    for (int n = 0; n < static_cast<int>(exchanges_.size()); ++n) {
      finish(n);
    }
  }

  /// Fills the ghosts of `field`.
  void refresh(T* field) {
    for (int n = 0; n < static_cast<int>(exchanges_.size()); ++n) {
      start(n, field);
      finish(n);
    }
  }

  [[nodiscard]] bool recordable() const {
    return std::all_of(exchanges_.begin(), exchanges_.end(),
                       [](const auto& exchange) { return exchange->recordable(); });
  }

  [[nodiscard]] std::int64_t sent_bytes() const {
    std::int64_t bytes = 0;
    for (const auto& exchange : exchanges_) {
      bytes += exchange->sent_bytes();
    }
    return bytes;
  }

  /// How messages are sent; `local` if none leaves the rank.
  [[nodiscard]] Transport transport() const {
    for (const auto& exchange : exchanges_) {
      if (exchange->transport() != Transport::local) {
        return exchange->transport();
      }
    }
    return Transport::local;
  }

 private:
  void start(int n, T* field) {
    exchanges_[static_cast<std::size_t>(n)]->start(std::span<T* const>(&field, 1));
    begun_[static_cast<std::size_t>(n)] = true;
  }

  void finish(int n) {
    if (begun_[static_cast<std::size_t>(n)]) {
      exchanges_[static_cast<std::size_t>(n)]->finish();
      begun_[static_cast<std::size_t>(n)] = false;
    }
  }

  PassPlan plan_;
  std::vector<std::unique_ptr<HaloExchange<T>>> exchanges_;
  std::vector<bool> begun_;
};

}  // namespace bankfull::himeno
