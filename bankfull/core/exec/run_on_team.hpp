#pragma once

#include "bankfull/core/exec/team.hpp"

#include <exception>

namespace bankfull {

/// Calls body() on every thread of the team at once. Unlike a parallel region by itself it lets
/// bodies throw, as those that allocate may: the first exception is passed on to the caller when
/// all threads are done. Bodies must not contain a barrier, because one that throws would never
/// reach it.
template <class Body>
void run_on_team(const Team& team, const Body& body) {
  std::exception_ptr first;
#pragma omp parallel num_threads(team.threads())
  {
    try {
      body();
    } catch (...) {
#pragma omp critical(bankfull_run_on_team)
      if (!first) {
        first = std::current_exception();
      }
    }
  }
  if (first) {
    std::rethrow_exception(first);
  }
}

}  // namespace bankfull
