#include "bankfull/core/base/precision.hpp"

#include "bankfull/core/base/precision_names.hpp"

namespace bankfull {

std::string to_string(Precision precision) { return precision_names.to_string(precision); }

}  // namespace bankfull
