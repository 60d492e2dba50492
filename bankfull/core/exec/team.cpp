#include "bankfull/core/exec/team.hpp"

#include "bankfull/core/base/expects.hpp"

#include <omp.h>

namespace bankfull {

Team::Team(int threads) : threads_(threads) { expects(threads >= 1, "a team has a thread"); }

int Team::default_threads() { return omp_get_max_threads(); }

Range my_share(std::int64_t count) {
  return share(count, omp_get_thread_num(), omp_get_num_threads());
}

}  // namespace bankfull
