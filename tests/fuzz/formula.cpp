// A formula of a case: of a place, and of a time.

#include "bankfull/app/expression.hpp"
#include "bankfull/numerics/formula/bounds.hpp"
#include "bankfull/numerics/formula/compile.hpp"
#include "tests/fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  bankfull::fuzz::answer_or_refuse([&] {
    const auto formula = bankfull::compile_expression(bankfull::fuzz::text_of(data, size));
    const auto same = [](double a, double b) { return a == b || (a != a && b != b); };
    for (const double place : {0.0, 1.0, -0.75, 1e300}) {
      const double first = formula(place, 2.0 * place, -place);
      static_cast<void>(formula(0.5, 0.25, 0.125));
      bankfull::fuzz::require_property(same(first, formula(place, 2.0 * place, -place)),
                                       "a formula has one value at a place");
    }
  });
  bankfull::fuzz::answer_or_refuse([&] {
    const auto program = bankfull::formula::compile(bankfull::fuzz::text_of(data, size), "x");
    const auto bounds = bankfull::formula::bounds_of(program, {-0.75, 1.0});
    const double value = program.at(0.25);
    const double slack = 1e-9 * (1.0 + bounds.magnitude());
    bankfull::fuzz::require_property(
        !bounds.finite() || (value >= bounds.least - slack && value <= bounds.most + slack),
        "a formula stays within its bounds");
  });
  return 0;
}
