// A formula of a case.

#include "bankfull/app/expression.hpp"
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
  return 0;
}
