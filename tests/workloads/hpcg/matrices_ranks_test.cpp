#include "bankfull/workloads/hpcg/cpu/slices.hpp"
#include "tests/mpi_main.hpp"
#include "tests/workloads/hpcg/on_ranks.hpp"

#include <gtest/gtest.h>
#include <string>
#include <tuple>

// Backends on CPU ranks with matrices in which no two entries of a row are alike.
namespace bankfull::hpcg {
namespace {

using Parameters = std::tuple<CpuVariant, TestMatrix>;

class HpcgMatricesOnRanks : public ::testing::TestWithParam<Parameters> {
 protected:
  /// body(case, its backend, the textbook in the order of the backend) for layouts of the ranks; on
  /// few rows for many ranks, which share few cores.
  template <class Body>
  static void for_cases(const Body& body) {
    const auto& [kind, matrix] = GetParam();
    const Grid3 local = test_ranks().size() > 4 ? Grid3{5, 4, 6} : Grid3{9, 8, 10};
    for (const Grid3& grid : process_grids(test_ranks().size())) {
      Case c{small_problem(local, 1, kind.columns), test_ranks(), matrix};
      c.problem.process_grid = grid;
      SCOPED_TRACE(describe(c));
      const auto system = system_of(c);
      const auto backend = system->make_backend(kind.variant);
      body(c, *backend,
           kind.variant == Variant::reference
               ? textbook_of(c)
               : coloured_textbook_of(c, cpu::slice_height, Boundary::among));
    }
  }
};

TEST_P(HpcgMatricesOnRanks, AreSolvedAsByTheTextbookOnAsManyRanks) {
  for_cases([](const Case& c, CgBackend& backend, const textbook::System& expected) {
    expect_operations(c, backend, expected, 1e-13);
    expect_same_residuals(history_of(backend), history_of(c, expected));
  });
}

TEST_P(HpcgMatricesOnRanks, AreExaggeratedAsTheyAreStored) {
  for_cases([](const Case& c, CgBackend& backend, const textbook::System& expected) {
    expect_exaggerates(c, backend, expected, 1e-13);
  });
}

std::string name_of(const ::testing::TestParamInfo<Parameters>& parameter) {
  const auto& [kind, matrix] = parameter.param;
  return kind.name + "_" + matrix.name;
}

INSTANTIATE_TEST_SUITE_P(All, HpcgMatricesOnRanks,
                         ::testing::Combine(::testing::ValuesIn(cpu_variants()),
                                            ::testing::ValuesIn(other_matrices())),
                         name_of);

}  // namespace
}  // namespace bankfull::hpcg
