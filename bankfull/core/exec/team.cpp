#include "bankfull/core/exec/team.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/base/expects.hpp"

#include <algorithm>
#include <omp.h>
#include <string>

namespace bankfull {

Team::Team(int threads) : threads_(threads) {
  expects(threads >= 1, "a team has a thread");
  omp_set_dynamic(0);
  if (threads > omp_get_thread_limit()) {
    throw UsageError("a team of " + std::to_string(threads) + " threads exceeds OMP_THREAD_LIMIT=" +
                         std::to_string(omp_get_thread_limit()),
                     "use --threads up to that");
  }
}

int Team::default_threads() { return std::min(omp_get_max_threads(), omp_get_thread_limit()); }

Range my_share(std::int64_t count) {
  return share(count, omp_get_thread_num(), omp_get_num_threads());
}

}  // namespace bankfull
