#pragma once

#include "bankfull/app/colour_map.hpp"
#include "bankfull/app/toml_section.hpp"
#include "bankfull/core/base/error.hpp"
#include "bankfull/workloads/convection/problem.hpp"
#include "bankfull/workloads/convection/run.hpp"
#include "bankfull/workloads/convection/scalar_range.hpp"

#include <set>
#include <string>
#include <vector>

namespace bankfull::convect {

/// What the first and the last colour of a picture stand for.
enum class ColourRange {
  run,      ///< the values that a scalar may have in the whole run; where nothing is known of these
            ///< beforehand, the extremes of all pictures so far
  picture,  ///< the extremes of each picture
  given,    ///< two numbers
};

inline constexpr auto colour_range_names =
    enum_names<ColourRange>({{ColourRange::run, "run"}, {ColourRange::picture, "picture"}});

/// Threads that form what a file stores, at most: more would wait for the disk.
inline constexpr int max_threads_per_file = 8;

/// What a picture shows: a plane through the box, seen along its normal.
struct SliceRequest {
  std::string field;      ///< name of a scalar, "u", "v", "w" or "speed"
  int normal = 1;         ///< 0, 1, 2: x, y, z
  double position = 0.0;  ///< along the normal
  ColourRange range = ColourRange::run;
  convection::ScalarRange given = {};
  ColourMap colours = ColourMap::inferno;
};

/// What files of fields are.
enum class FieldFormat {
  hdf5,  ///< with an index of XDMF
  vtk,   ///< VTK's .vti and .vtr, with a .pvd
};

/// What the files of fields hold.
struct FieldRequest {
  std::vector<std::string> names;  ///< "u", "v", "w", of scalars, and pressure_name
  Precision precision = Precision::fp64;
  int compression = 0;   ///< 1 to 9: bytes are shuffled and deflated
  bool centred = false;  ///< velocities at the centres of cells, too
  FieldFormat format = FieldFormat::hdf5;
  std::int64_t buffer_bytes = 0;  ///< of the host's memory, for what is being written
};

/// Names that a slice may have besides those of scalars: velocity along x, y, z, and its magnitude.
inline constexpr std::array<const char*, 4> velocity_fields{"u", "v", "w", "speed"};

inline constexpr const char* pressure_name = "pressure";

/// A case as its file and the command line give it.
struct Case {
  std::string title;  ///< one line that says what it is
  convection::Problem problem;
  std::string from;  ///< the run with whose flow it begins; empty: with that of the problem
  std::set<std::string> own_initial;  ///< scalars that the case has initial values for
  convection::Cadence cadence;
  std::vector<SliceRequest> slices;
  bool slice_data = false;       ///< files of slices beside their pictures
  bool frames = false;           ///< around pictures of slices
  bool report = true;            ///< a page of the run, see RunReport
  FieldRequest fields;           ///< where Cadence::fields asks for any
  std::string units;             ///< in which the case is, for who reads its fields
  bool has_temperature = false;  ///< which then is the first scalar
  std::string resolved;          ///< the whole case as TOML, every default filled in
  SettingPlaces places;          ///< of what the file and the command line say
};

/// Runs `body`, whose refusals about a setting of the case begin with the setting's place then.
template <class Body>
decltype(auto) placed(const SettingPlaces& places, const Body& body) {
  try {
    return body();
  } catch (const UsageError& error) {
    throw error.setting().empty() ? error
                                  : UsageError(places.of(error.setting()) + ": " + error.what());
  }
}

}  // namespace bankfull::convect
