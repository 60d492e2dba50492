#include "bankfull/numerics/poisson/direct/eigen_basis.hpp"

#include <Eigen/Dense>
#include <cmath>
#include <cstddef>

namespace bankfull::poisson {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd roots_of_widths(const Axis& axis) {
  return Eigen::Map<const VectorXd>(axis.widths.data(), static_cast<Index>(axis.widths.size()))
      .cwiseSqrt();
}

/// G: one row per face, one column per cell.
MatrixXd scaled_differences(const Axis& axis, const VectorXd& roots) {
  const Index cells = roots.size();
  const Index first = axis.periodic ? 0 : 1;
  MatrixXd g = MatrixXd::Zero(cells - first, cells);
  for (Index face = first; face < cells; ++face) {
    const double scale = 1.0 / std::sqrt(axis.distance(face));
    const Index below = (face + cells - 1) % cells;
    g(face - first, face) += scale / roots(face);
    g(face - first, below) -= scale / roots(below);
  }
  return g;
}

/// v of the reflection 1 - 2 v v^T that takes the constant mode, W^(1/2) times (1, ..., 1), to the
/// direction of the first cell.
VectorXd reflector_of(const VectorXd& roots) {
  VectorXd v = roots.normalized();
  v(0) += 1.0;
  return v.normalized();
}

}  // namespace

EigenBasis eigen_basis(const Axis& axis) {
  const VectorXd roots = roots_of_widths(axis);
  if (axis.cells() == 1) {
    return {{0.0}, {roots(0)}, {1.0 / roots(0)}};
  }
  const Index cells = roots.size();
  const VectorXd v = reflector_of(roots);
  MatrixXd g = scaled_differences(axis, roots);
  g -= 2.0 * (g * v) * v.transpose();
  // Its first column is 0 but for rounding; what is left has no null space.
  const Eigen::BDCSVD<MatrixXd> svd(g.rightCols(cells - 1), Eigen::ComputeThinV);
  MatrixXd q = MatrixXd::Zero(cells, cells);
  q.col(0) = roots.normalized();
  // Singular values descend, decays ascend.
  q.bottomRightCorner(cells - 1, cells - 1) = svd.matrixV().rowwise().reverse();
  q.rightCols(cells - 1) -= 2.0 * v * (v.transpose() * q.rightCols(cells - 1));
  EigenBasis basis{{0.0}, {}, {}};
  for (Index n = cells - 1; n-- > 0;) {
    basis.decay.push_back(svd.singularValues()(n) * svd.singularValues()(n));
  }
  for (Index n = 0; n < cells; ++n) {
    for (Index m = 0; m < cells; ++m) {
      basis.forward.push_back(q(m, n) * roots(m));
      basis.back.push_back(q(n, m) / roots(n));
    }
  }
  return basis;
}

}  // namespace bankfull::poisson
