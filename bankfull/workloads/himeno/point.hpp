#pragma once

#include <cmath>

#include "bankfull/core/base/host_device.hpp"

namespace bankfull::himeno {

/// Coefficients of one point. All of them are read from memory for every update.
template <class T>
struct Coefficients {
  T a0, a1, a2, a3;
  T b0, b1, b2;
  T c0, c1, c2;
  T bnd;   ///< 1 in the fluid, 0 in a solid
  T wrk1;  ///< source term
};

/// The order in which the coefficients lie in a field set.
enum class CoefficientField : int { a0, a1, a2, a3, b0, b1, b2, c0, c1, c2, bnd, wrk1 };

/// The 19 pressures that one update reads, in the form in which they enter it. First letter: the
/// neighbour along i; then j; then k. m: -1, c: 0, p: +1.
template <class T>
struct Neighbours {
  T ccc;
  T pcc, mcc, cpc, cmc, ccp, ccm;
  T ppc, pmc, mpc, mmc;
  T cpp, cpm, cmp, cmm;
  T pcp, pcm, mcp, mcm;
};

template <class T>
struct Update {
  T pressure;  ///< the next iterate
  T residual;  ///< ss, whose squares sum to gosa
};

/// One point of the relaxed Jacobi sweep of the pressure equation
///
///   a0 p_xx + a1 p_yy + a2 p_zz + b0 p_xy + b1 p_yz + b2 p_xz = source
///
/// in generalised coordinates (R. Himeno, RIKEN; listing in E. H. Phillips and M. Fatica,
/// "Implementing the Himeno benchmark with CUDA on GPU clusters", IPDPS 2010, Table I).
///
/// The order of operations and every fused multiply-add are fixed here, so all schedules on all
/// devices give the same bits. The mixed derivatives are grouped by plane, which lets a schedule
/// that marches along i carry differences instead of pressures.
template <class T>
BANKFULL_HOST_DEVICE inline Update<T> update(const Coefficients<T>& q, const Neighbours<T>& p,
                                             T relaxation) {
  using std::fma;
  T s = q.a0 * p.pcc;
  s = fma(q.a1, p.cpc, s);
  s = fma(q.a2, p.ccp, s);
  s = fma(q.b0, (p.ppc - p.pmc) - (p.mpc - p.mmc), s);
  s = fma(q.b1, (p.cpp - p.cpm) - (p.cmp - p.cmm), s);
  s = fma(q.b2, (p.pcp - p.pcm) - (p.mcp - p.mcm), s);
  s = fma(q.c0, p.mcc, s);
  s = fma(q.c1, p.cmc, s);
  s = fma(q.c2, p.ccm, s);
  const T s0 = s + q.wrk1;
  const T ss = fma(s0, q.a3, -p.ccc) * q.bnd;
  return {fma(relaxation, ss, p.ccc), ss};
}

}  // namespace bankfull::himeno
