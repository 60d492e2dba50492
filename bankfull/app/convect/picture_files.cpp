#include "bankfull/app/convect/picture_files.hpp"

#include "bankfull/app/convect/picture_list.hpp"
#include "bankfull/app/convect/slice_file.hpp"
#include "bankfull/build_config.hpp"
#include "bankfull/core/base/error.hpp"

#include <fmt/format.h>
#include <unistd.h>

namespace bankfull::convect {

PictureFiles::PictureFiles(const Case& run, Places places, std::int64_t list_bytes)
    : run_(&run),
      places_(std::move(places)),
      names_(slice_names(run.slices)),
      ranges_so_far_(run.slices.size(), no_range) {
  if (list_bytes > 0) {
    list_ = LineFile(places_.list, list_bytes);
    read_list();
  } else if (!run.slices.empty() && run.cadence.snapshots > 0) {
    list_ = LineFile(places_.list, "file,time,field,normal,at,least,most");
  }
}

void PictureFiles::read_list() {
  for (const ListedPicture& picture : listed_pictures(places_.list)) {
    paths_.push_back(places_.folder / picture.file);
    for (std::size_t n = 0; n < names_.size(); ++n) {
      if (slice_of(picture.file) == names_[n]) {
        ranges_so_far_[n] = both(ranges_so_far_[n], picture.range);
      }
    }
  }
}

std::string PictureFiles::add(std::size_t slice, const convection::SnapshotMoment& moment,
                              const convection::Grid& grid, const convection::FlowReader& flow) {
  const SliceRequest& request = run_->slices[slice];
  convection::ScalarRange& so_far = ranges_so_far_[slice];
  const SlicePlane plane = slice_plane(request, run_->problem, grid, flow);
  SlicePicture drawn = draw_slice(request, plane, grid,
                                  range_beforehand(request, run_->problem, moment.scalars, so_far));
  if (run_->frames) {
    drawn.picture =
        framed(drawn.picture, caption_of(request, grid, drawn, moment.time, moment.step));
  }
  const std::string name = picture_name(names_[slice], moment.number);
  const std::filesystem::path path = places_.files / name;
  std::string line = fmt::format("slices/{},{},{},{},{},{},{}", name, moment.time, request.field,
                                 convection::axis_names[static_cast<std::size_t>(request.normal)],
                                 request.position, drawn.least, drawn.most);
  try {
    if constexpr (build::hdf5) {
      if (run_->slice_data) {
        write_slice(data_beside(path), request, plane, moment);
      }
    }
    write_png(path, drawn.picture);
    list_.append(line);
  } catch (const NoRoom&) {
    unlink(path.c_str());
    unlink(data_beside(path).c_str());
    throw;
  }
  so_far = both(so_far, {drawn.least, drawn.most});
  paths_.push_back(path);
  return line;
}

std::int64_t PictureFiles::list_lines() const {
  return list_.size() > 0 ? static_cast<std::int64_t>(paths_.size()) + 1 : 0;
}

}  // namespace bankfull::convect
