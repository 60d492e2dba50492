#pragma once

// The whole public surface; core.hpp, numerics.hpp and workloads.hpp are its layers.
#include "bankfull/workloads.hpp"
