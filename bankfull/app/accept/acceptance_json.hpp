#pragma once

#include "bankfull/app/accept/run.hpp"

#include <string>

namespace bankfull::accept {

/// As JSON; see docs/schema/acceptance.schema.json.
std::string to_json(const Acceptance& acceptance);

/// The verdict on all devices in a word: "accepted", "failed", "disturbed", "no baseline".
std::string verdict_text(const Acceptance& acceptance);

}  // namespace bankfull::accept
