#pragma once

#include "bankfull/core/comm/decomposition.hpp"
#include "bankfull/core/field/box.hpp"

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace bankfull::himeno {

struct Domain;

/// When ranks exchange their halos (E. H. Phillips and M. Fatica, "Implementing the Himeno
/// benchmark with CUDA on GPU clusters", IPDPS 2010, section IV).
enum class Overlap {
  none,      ///< sweep everything, then exchange
  boundary,  ///< sweep what neighbours wait for, then exchange it while the rest is swept
  two_part,  ///< the paper's: exchange one part's halo while the other part is swept
};

inline constexpr std::array all_overlaps{Overlap::none, Overlap::boundary, Overlap::two_part};

/// "none", "boundary", "two-part".
std::string to_string(Overlap overlap);

/// Throws UsageError for a name that is none of them.
Overlap parse_overlap(const std::string& text);

/// One step of a pass over a rank's points.
struct PassStep {
  enum class Kind {
    sweep,   ///< update the points of `part`
    sum,     ///< all points are updated: add up their residuals
    start,   ///< begin exchange number `exchange` of the next pressure
    finish,  ///< complete it, if it was begun, in this pass or the one before
  };

  Kind kind = Kind::sweep;
  Box part = {};
  int exchange = 0;
  /// No step before `sum` needs what this sweep updates: it may run beside them, as long as it
  /// does not hold them up.
  bool beside = false;
  friend bool operator==(const PassStep&, const PassStep&) = default;
};

/// The steps of one pass, and which neighbours each of its exchanges serves.
struct PassPlan {
  std::vector<PassStep> steps;
  std::vector<std::function<bool(const Offset&)>> exchanges;
};

/// Whether something is swept between the start and the end of an exchange.
bool sweeps_meanwhile(const PassPlan& plan);

/// How thick the parts are that `boundary` sweeps first: what a schedule sweeps well, whole
/// alignment units along k.
struct BoundaryThickness {
  std::int64_t i = 1;
  std::int64_t j = 1;
  std::int64_t k = 32;
};

/// The plan of a pass; a pure function. One rank exchanges nothing. `split` is the share of the
/// planes in part A of `two_part`, which throws UsageError where ranks are cut along other axes
/// than i or a block has but one plane.
PassPlan plan_pass(Overlap overlap, const Domain& domain, const BoundaryThickness& thickness,
                   double split);

}  // namespace bankfull::himeno
