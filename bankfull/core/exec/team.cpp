#include "bankfull/core/exec/team.hpp"

#include "bankfull/core/base/error.hpp"
#include "bankfull/core/exec/team_binding.hpp"

#include <algorithm>
#include <omp.h>
#include <string>

namespace bankfull {

Team::Team(int threads) : threads_(threads) {
  require(threads >= 1, "a team of " + std::to_string(threads) + " threads can do no work",
          "use at least 1");
  omp_set_dynamic(0);
  int given = 0;
#pragma omp parallel num_threads(threads)
  {
    detail::bind_member();
#pragma omp single
    given = omp_get_num_threads();
  }
  if (given != threads) {
    throw UsageError("OpenMP gives a team of " + std::to_string(given) + " instead of " +
                         std::to_string(threads) + " threads",
                     "use --threads " + std::to_string(given) +
                         ", or lift OMP_THREAD_LIMIT and OMP_MAX_ACTIVE_LEVELS");
  }
}

int Team::default_threads() { return std::min(omp_get_max_threads(), omp_get_thread_limit()); }

Range my_share(std::int64_t count) {
  detail::bind_member();
  return share(count, omp_get_thread_num(), omp_get_num_threads());
}

int share_number() {
  detail::bind_member();
  return omp_get_thread_num();
}

int share_count() { return omp_get_num_threads(); }

}  // namespace bankfull
