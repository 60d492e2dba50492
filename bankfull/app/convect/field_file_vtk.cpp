#include "bankfull/app/convect/field_file.hpp"
#include "bankfull/core/io/staged_path.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <fmt/format.h>

namespace bankfull::convect {
namespace {

static_assert(std::endian::native == std::endian::little, "files say so");

/// A file of VTK's XML formats: what describes it, then the bytes of all arrays, a count of bytes
/// before each.
class VtkFieldFile final : public FieldFile {
 public:
  VtkFieldFile(const std::filesystem::path& path, const FieldFileLayout& layout)
      : layout_(layout), staged_(path) {
    const std::string head = described();
    const auto arrays = static_cast<std::int64_t>(layout.arrays.size());
    staged_.reserve(static_cast<std::int64_t>(head.size()) + next_offset_ +
                    arrays * (count_bytes + bytes_of_array()) + beside_bytes);
    file_.reset(std::fopen(staged_.temporary().c_str(), "wb"));
    if (!file_) {
      fail_to_write(path, errno);
    }
    put(head.data(), head.size());
    for (const std::vector<double>* coordinates : coordinates_) {
      put_count(static_cast<std::int64_t>(coordinates->size() * sizeof(double)));
      put(coordinates->data(), coordinates->size() * sizeof(double));
    }
  }

  void write(std::size_t /*array*/, std::int64_t z0, std::int64_t z1,
             const double* values) override {
    if (z0 == 0) {
      put_count(bytes_of_array());
    }
    const auto count = static_cast<std::size_t>((z1 - z0) * layout_.cells[0] * layout_.cells[1]);
    if (layout_.request.precision == Precision::fp64) {
      put(values, count * sizeof(double));
      return;
    }
    single_.resize(count);
    std::transform(values, values + count, single_.begin(),
                   [](double value) { return static_cast<float>(value); });
    put(single_.data(), count * sizeof(float));
  }

  void commit() override {
    constexpr std::string_view end = "\n  </AppendedData>\n</VTKFile>\n";
    put(end.data(), end.size());
    if (std::fclose(file_.release()) != 0) {
      fail_to_write(staged_.target(), errno);
    }
    staged_.replace();
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const { static_cast<void>(std::fclose(file)); }
  };

  static constexpr std::int64_t count_bytes = 8;
  static constexpr std::int64_t beside_bytes = 4096;

  [[nodiscard]] std::int64_t bytes_of_array() const {
    return layout_.cells[0] * layout_.cells[1] * layout_.cells[2] *
           bytes_of(layout_.request.precision);
  }

  /// The description of an array whose data follow those of the previous one.
  std::string array_text(const std::string& name, Precision precision, std::int64_t bytes) {
    std::string text =
        fmt::format(R"(        <DataArray type="{}" Name="{}" format="appended" offset="{}"/>)"
                    "\n",
                    precision == Precision::fp32 ? "Float32" : "Float64", name, next_offset_);
    next_offset_ += count_bytes + bytes;
    return text;
  }

  std::string described() {
    const auto [nx, ny, nz] = layout_.cells;
    const std::string extent = fmt::format("0 {} 0 {} 0 {}", nx, ny, nz);
    const char* const kind = layout_.is_uniform ? "ImageData" : "RectilinearGrid";
    std::string text = fmt::format(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"{0}\" version=\"1.0\" "
        "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
        "  <{0} WholeExtent=\"{1}\"{2}>\n    <Piece Extent=\"{1}\">\n",
        kind, extent, layout_.is_uniform ? spacing_text() : "");
    if (!layout_.is_uniform) {
      text += "      <Coordinates>\n";
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::vector<double>& faces = layout_.axes[axis].faces;
        coordinates_.push_back(&faces);
        text += array_text(convection::axis_names[axis], Precision::fp64,
                           static_cast<std::int64_t>(faces.size() * sizeof(double)));
      }
      text += "      </Coordinates>\n";
    }
    text += "      <CellData>\n";
    const std::int64_t offset = next_offset_;
    for (const FieldArray& array : layout_.arrays) {
      text += array_text(array.name, layout_.request.precision, bytes_of_array());
    }
    next_offset_ = offset;
    return text + fmt::format(
                      "      </CellData>\n    </Piece>\n  </{}>\n"
                      "  <AppendedData encoding=\"raw\">\n_",
                      kind);
  }

  [[nodiscard]] std::string spacing_text() const {
    std::array<double, 3> spacing{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      spacing[axis] = layout_.axes[axis].length() / static_cast<double>(layout_.cells[axis]);
    }
    return fmt::format(R"( Origin="{} {} {}" Spacing="{} {} {}")", layout_.axes[0].faces.front(),
                       layout_.axes[1].faces.front(), layout_.axes[2].faces.front(), spacing[0],
                       spacing[1], spacing[2]);
  }

  void put_count(std::int64_t bytes) { put(&bytes, sizeof(bytes)); }

  void put(const void* data, std::size_t bytes) {
    if (std::fwrite(data, 1, bytes, file_.get()) != bytes) {
      fail_to_write(staged_.target(), errno);
    }
  }

  const FieldFileLayout& layout_;
  StagedPath staged_;
  std::unique_ptr<std::FILE, Close> file_;
  std::vector<const std::vector<double>*> coordinates_;
  std::int64_t next_offset_ = 0;
  std::vector<float> single_;
};

}  // namespace

std::unique_ptr<FieldFile> make_vtk_field_file(const std::filesystem::path& path,
                                               const FieldFileLayout& layout) {
  return std::make_unique<VtkFieldFile>(path, layout);
}

}  // namespace bankfull::convect
