// hpcg.dat, the input file of the official HPCG.

#include "bankfull/workloads/hpcg/hpcg_dat.hpp"

#include "tests/fuzz/fuzz.hpp"

#include <sstream>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using bankfull::fuzz::require_property;
  bankfull::fuzz::answer_or_refuse([&] {
    std::istringstream stream(bankfull::fuzz::text_of(data, size));
    const bankfull::hpcg::HpcgDat dat = bankfull::hpcg::read_hpcg_dat(stream, "hpcg.dat");
    require_property(dat.local.nx > 0 && dat.local.ny > 0 && dat.local.nz > 0, "a rank has points");
    require_property(!dat.seconds || *dat.seconds >= 0.0, "no time is negative");
    require_property(!dat.process_grid || dat.process_grid->count() > 0, "there are ranks");
  });
  return 0;
}
