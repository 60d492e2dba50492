// Settings of `convect --set`, one per line, over a small case.

#include "bankfull/app/convect/case_file.hpp"
#include "bankfull/core/base/format.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace {

constexpr const char* layer = R"toml([domain]
upper = [2, 1, 1]
cells = [16, 8, 8]
[physics]
rayleigh = 1e4
prandtl = 0.71
scaling = "free-fall"
[[scalar]]
name = "dye"
diffusivity = 1e-3
[boundaries]
x = "periodic"
y = "periodic"
z.lower = { velocity = "no-slip", temperature = 0.5, dye = 1 }
z.upper = { velocity = "no-slip", temperature = -0.5, dye = "insulating" }
[initial]
temperature = "0.5 - z"
[time]
cfl = 0.3
steps = 4
)toml";

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  bankfull::fuzz::answer_or_refuse([&] {
    const auto settings = bankfull::parts_of(bankfull::fuzz::text_of(data, size), '\n');
    const auto changed = bankfull::convect::parse_case(layer, "layer.toml", settings);
    const auto again = bankfull::convect::parse_case(changed.resolved, "layer.toml", {});
    bankfull::fuzz::require_property(again.resolved == changed.resolved,
                                     "a resolved case resolves to itself");
  });
  return 0;
}
