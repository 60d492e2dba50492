// Numbers, bytes, lists, sizes and grids of the command line, and names that are nearly right.

#include "bankfull/app/counts.hpp"

#include "bankfull/app/nearest_name.hpp"
#include "bankfull/core/comm/decomposition.hpp"
#include "bankfull/workloads/himeno/problem.hpp"
#include "bankfull/workloads/hpcg/problem.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <algorithm>

namespace {

using namespace bankfull;
using fuzz::answer_or_refuse;
using fuzz::require_property;

void read_numbers(const std::string& text) {
  constexpr std::int64_t most = 1000;
  if (const auto whole = parse_whole(text)) {
    require_property(parse_decimal(text).has_value(), "a whole number is a number");
    require_property(parse_whole(std::to_string(*whole)) == whole, "digits read back");
  }
  const auto count = parse_count(text, most);
  require_property(!count || (*count >= 1 && *count <= most), "counts are in their range");
  const auto bytes = parse_byte_amount(text);
  require_property(!bytes || *bytes >= 0, "bytes are not negative");
}

void read_lists(const std::string& text) {
  answer_or_refuse([&] {
    for (const std::string& part : parse_list("--list", text)) {
      require_property(!part.empty(), "no part of a list is empty");
    }
  });
  for (const Repeated repeated : {Repeated::merged, Repeated::refused}) {
    answer_or_refuse([&] {
      const std::vector<int> counts = parse_rank_counts(text, repeated);
      require_property(!counts.empty() && counts.front() >= 1, "there are ranks");
      require_property(std::is_sorted(counts.begin(), counts.end()), "ranks ascend");
    });
  }
}

void read_grids(const std::string& text) {
  answer_or_refuse([&] {
    const RankGrid grid = parse_rank_grid("--ranks-grid", text);
    require_property(grid.count() >= 1, "a grid has ranks");
  });
  answer_or_refuse([&] {
    const himeno::GridSize grid = himeno::parse_size(text);
    require_property(grid.updated_points() > 0, "a size has points");
    require_property(himeno::memory_bytes(grid, Precision::fp64) > 0, "a size has bytes");
  });
  answer_or_refuse([&] {
    const hpcg::Grid3 grid = hpcg::parse_grid("--local", text);
    require_property(grid.count() > 0, "a grid has points");
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::text_of(data, size);
  read_numbers(text);
  read_lists(text);
  read_grids(text);
  require_property(!remedy_for_name(text, {"rayleigh", "ra", "temperature"}).empty(),
                   "there is a remedy");
  return 0;
}
