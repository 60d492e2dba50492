#include "bankfull/app/reproduce/units.hpp"

#include <algorithm>
#include <array>

namespace bankfull::reproduce {
namespace {

struct Unit {
  const char* name;
  const char* base;
  double size;
};

constexpr double kibi = 1024.0;

constexpr std::array units{
    Unit{"ms", "s", 1e-3},        Unit{"us", "s", 1e-6},        Unit{"ns", "s", 1e-9},
    Unit{"kB", "B", 1e3},         Unit{"MB", "B", 1e6},         Unit{"GB", "B", 1e9},
    Unit{"KiB", "B", kibi},       Unit{"MiB", "B", kibi* kibi}, Unit{"GiB", "B", kibi* kibi* kibi},
    Unit{"GB/s", "B/s", 1e9},     Unit{"TB/s", "B/s", 1e12},    Unit{"MFLOPS", "FLOPS", 1e6},
    Unit{"GFLOPS", "FLOPS", 1e9}, Unit{"TFLOPS", "FLOPS", 1e12}};

}  // namespace

InBaseUnits in_base_units(double value, const std::string& unit) {
  const auto* const found =
      std::find_if(units.begin(), units.end(), [&](const Unit& u) { return unit == u.name; });
  return found == units.end() ? InBaseUnits{value, unit}
                              : InBaseUnits{value * found->size, found->base};
}

}  // namespace bankfull::reproduce
