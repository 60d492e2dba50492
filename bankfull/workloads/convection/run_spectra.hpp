#pragma once

#include "bankfull/workloads/convection/batch_averages.hpp"
#include "bankfull/workloads/convection/profile_statistics.hpp"
#include "bankfull/workloads/convection/spectrum_sample.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bankfull::convection {

/// Spectra along a periodic axis, averaged over a window in time.
struct SpectrumRequest {
  std::string name;        ///< distinguishes spectra
  std::size_t along = 0;   ///< x, y, z
  std::size_t across = 2;  ///< another axis; over the third one is averaged
  std::vector<double> at;  ///< places on it, a spectrum each; none: one of all the box
  double from = 0.0;
  double until = 0.0;       ///< 0: the end of the run
  std::int64_t every = 10;  ///< steps

  /// Whether the flow after this step belongs to the window.
  [[nodiscard]] bool asks_for(std::int64_t step, double time) const {
    return is_sampled(step, time, every, from, until);
  }
};

/// What each wavenumber has of the variances of all fields. All wavenumbers together have what
/// profiles have there, or on average over the box.
struct SpectrumAtPlace {
  double place = 0.0;                  ///< that was asked for; 0 of all the box
  std::vector<double> places;          ///< of each column's values, where a place was asked for
  std::vector<ProfileColumn> columns;  ///< u, v, w and scalars, a value each wavenumber
};

struct Spectrum {
  const SpectrumRequest* request = nullptr;
  double from = 0.0;  ///< of the time that samples stand for
  double until = 0.0;
  std::int64_t samples = 0;
  std::int64_t batches = 0;
  std::vector<double> wavenumbers;  ///< 2 pi k / length
  std::vector<SpectrumAtPlace> at;
};

/// All spectra of a run. Plan and requests outlive it.
class RunSpectra {
 public:
  RunSpectra(const Plan& plan, const std::vector<SpectrumRequest>& requests);

  /// From this time on: that of the flow that the run begins with, or continues from.
  void begin(double time);

  [[nodiscard]] bool due(std::int64_t step, double time) const;
  [[nodiscard]] std::int64_t next_step(std::int64_t step) const;

  void sample(std::int64_t step, double time, const Integrator& flow);

  [[nodiscard]] std::vector<Spectrum> spectra() const;

  /// What was asked for otherwise then begins anew.
  void save(StateWriter& to) const;
  void restore(const StateReader& from);

 private:
  struct One {
    const SpectrumRequest* request = nullptr;
    std::vector<SpectrumSampler> samplers;  ///< a place each
    BatchAverages averages;                 ///< of all fields at the first place, then the next
  };

  [[nodiscard]] std::size_t values_of_field(const One& one) const;
  [[nodiscard]] std::vector<std::vector<double>> variances(
      const One& one, const std::vector<double>& averages) const;
  [[nodiscard]] Spectrum spectrum_of(const One& one) const;
  [[nodiscard]] std::vector<double> identity(const SpectrumRequest& request) const;

  const Plan& plan_;
  const std::vector<SpectrumRequest>& requests_;
  std::vector<One> all_;
};

}  // namespace bankfull::convection
