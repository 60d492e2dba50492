#pragma once

#include "bankfull/workloads/convection/batch_averages.hpp"
#include "bankfull/workloads/convection/integrator.hpp"
#include "bankfull/workloads/convection/profile_sample.hpp"
#include "bankfull/workloads/convection/state.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bankfull::convection {

/// What a window in time is asked for: averages over the planes across some axes.
struct StatisticsRequest {
  std::string name;                ///< distinguishes windows; may be empty
  std::array<bool, 3> along = {};  ///< profiles along x, y, z
  double from = 0.0;
  double until = 0.0;       ///< 0: the end of the run
  std::int64_t every = 10;  ///< steps

  /// Whether the flow after this step belongs to the window.
  [[nodiscard]] bool asks_for(std::int64_t step, double time) const;
};

/// One quantity along an axis, with its standard errors; none where there are too few batches.
struct ProfileColumn {
  std::string name;
  std::string unit;  ///< in units of the case: "length/time"
  std::vector<double> values;
  std::vector<double> errors;
};

/// Quantities that lie at the same places along an axis.
struct ProfileTable {
  bool on_faces = false;
  std::vector<double> places;
  std::vector<ProfileColumn> columns;
};

/// A window's averages along one axis.
struct Profile {
  std::string window;
  std::size_t axis = 2;  ///< x, y, z
  double from = 0.0;     ///< of the time that samples stand for
  double until = 0.0;
  std::int64_t samples = 0;
  std::int64_t batches = 0;
  std::array<ProfileTable, 2> tables;  ///< at centres and on faces of cells
};

/// Averages in time of one window along one axis: see BatchAverages. Plan and request outlive it.
class ProfileAverages {
 public:
  /// `begin`: the time from which samples may stand for.
  ProfileAverages(const Plan& plan, const StatisticsRequest& request, std::size_t axis,
                  double begin);

  void add(double time, const ProfileSample& sample);

  [[nodiscard]] Profile profile() const;
  [[nodiscard]] bool empty() const { return averages_.empty(); }

  /// For a run that continues later; what was asked for otherwise then begins anew.
  void save(StateWriter& to) const;
  void restore(const StateReader& from);

 private:
  [[nodiscard]] std::string name_in_state() const;
  [[nodiscard]] std::vector<double> identity() const;
  [[nodiscard]] std::vector<double> values_of(const ProfileSample& sample) const;

  const Plan& plan_;
  const StatisticsRequest& request_;
  std::size_t axis_;
  int storage_;
  std::vector<double> references_;  ///< of the scalars that sums are less of
  BatchAverages averages_;
};

/// All windows of a run.
class RunStatistics {
 public:
  RunStatistics(const Plan& plan, const std::vector<StatisticsRequest>& requests);

  /// From this time on: that of the flow that the run begins with, or continues from.
  void begin(double time);

  [[nodiscard]] bool due(std::int64_t step, double time) const;
  [[nodiscard]] std::int64_t next_step(std::int64_t step) const;

  /// Every axis that is asked for is summed up once.
  void sample(std::int64_t step, double time, Integrator& flow);

  [[nodiscard]] std::vector<Profile> profiles() const;

  void save(StateWriter& to) const;
  void restore(const StateReader& from);

 private:
  struct Window {
    const StatisticsRequest* request = nullptr;
    std::size_t axis = 0;
    ProfileAverages averages;
  };

  const Plan& plan_;
  const std::vector<StatisticsRequest>& requests_;
  std::vector<Window> windows_;
};

}  // namespace bankfull::convection
