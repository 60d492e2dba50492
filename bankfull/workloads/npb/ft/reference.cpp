#include "bankfull/core/field/for_cells.hpp"
#include "bankfull/workloads/npb/ft/ft.hpp"
#include "bankfull/workloads/npb/generator.hpp"

#include <numbers>

namespace bankfull::npb::ft {
namespace {

using Vector = std::vector<Complex>;

/// sum of x_j exp(sign 2 pi i j k / n) for all k, by halves.
Vector transformed(const Vector& x, double sign) {
  const std::size_t n = x.size();
  if (n == 1) {
    return x;
  }
  Vector even(n / 2);
  Vector odd(n / 2);
  for (std::size_t j = 0; j < n / 2; ++j) {
    even[j] = x[2 * j];
    odd[j] = x[2 * j + 1];
  }
  even = transformed(even, sign);
  odd = transformed(odd, sign);
  Vector result(n);
  for (std::size_t k = 0; k < n / 2; ++k) {
    const double angle =
        sign * 2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
    const Complex term = std::polar(1.0, angle) * odd[k];
    result[k] = even[k] + term;
    result[k + n / 2] = even[k] - term;
  }
  return result;
}

class Reference final : public Benchmark {
 public:
  explicit Reference(Class size) : Benchmark(Kernel::ft, size), ft_(ft_parameters(size)) {}

  void rewind() override { checksums_.clear(); }

  void warm_up() override {}

  void run() override {
    Vector spectrum = initial_field();
    transform(spectrum, +1.0);
    in_units(pauses(), ft_.iterations, [&](std::int64_t n) {
      Vector field = evolved(spectrum, static_cast<int>(n) + 1);
      transform(field, -1.0);
      checksums_.push_back(checksum(field));
    });
  }

  std::vector<Check> checks() override { return checks_of(checksums_, size()); }

  [[nodiscard]] Work work() const override { return {.model = "none stated"}; }

 private:
  [[nodiscard]] std::size_t at(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return static_cast<std::size_t>((z * ft_.ny + y) * ft_.nx + x);
  }

  [[nodiscard]] Vector initial_field() const {
    Generator generator(common_seed);
    Vector field(static_cast<std::size_t>(ft_.points()));
    for (Complex& value : field) {
      const double real = generator.draw();
      value = {real, generator.draw()};
    }
    return field;
  }

  /// `count` elements that are `stride` apart.
  static void transform_line(Vector& field, std::size_t first, std::int64_t count,
                             std::int64_t stride, double sign) {
    Vector line(static_cast<std::size_t>(count));
    const auto step = static_cast<std::size_t>(stride);
    for (std::size_t n = 0; n < line.size(); ++n) {
      line[n] = field[first + n * step];
    }
    line = transformed(line, sign);
    for (std::size_t n = 0; n < line.size(); ++n) {
      field[first + n * step] = line[n];
    }
  }

  void transform(Vector& field, double sign) const {
    for (std::int64_t z = 0; z < ft_.nz; ++z) {
      for (std::int64_t y = 0; y < ft_.ny; ++y) {
        transform_line(field, at(0, y, z), ft_.nx, 1, sign);
      }
      for (std::int64_t x = 0; x < ft_.nx; ++x) {
        transform_line(field, at(x, 0, z), ft_.ny, ft_.nx, sign);
      }
    }
    for (std::int64_t y = 0; y < ft_.ny; ++y) {
      for (std::int64_t x = 0; x < ft_.nx; ++x) {
        transform_line(field, at(x, y, 0), ft_.nz, ft_.nx * ft_.ny, sign);
      }
    }
  }

  [[nodiscard]] Vector evolved(Vector field, int t) const {
    const std::vector<double> decay_x = decay(ft_.nx, t);
    const std::vector<double> decay_y = decay(ft_.ny, t);
    const std::vector<double> decay_z = decay(ft_.nz, t);
    for_cells(box_of({ft_.nz, ft_.ny, ft_.nx}),
              [&](std::int64_t z, std::int64_t y, std::int64_t x) {
                field[at(x, y, z)] *= decay_x[static_cast<std::size_t>(x)] *
                                      decay_y[static_cast<std::size_t>(y)] *
                                      decay_z[static_cast<std::size_t>(z)];
              });
    return field;
  }

  [[nodiscard]] Complex checksum(const Vector& field) const {
    Complex sum = 0.0;
    for (std::int64_t j = 1; j <= checksum_points; ++j) {
      sum += field[at(checksum_step_x * j % ft_.nx, checksum_step_y * j % ft_.ny,
                      checksum_step_z * j % ft_.nz)];
    }
    return sum / static_cast<double>(ft_.points());
  }

  FtParameters ft_;
  std::vector<Complex> checksums_;
};

}  // namespace

std::unique_ptr<Benchmark> make_reference(Class size) { return std::make_unique<Reference>(size); }

}  // namespace bankfull::npb::ft
