# Defines FFTW::Double and FFTW::Float. Debian and Ubuntu ship no usable CMake package for FFTW.
find_path(FFTW_INCLUDE_DIR fftw3.h)
find_library(FFTW_DOUBLE_LIBRARY fftw3)
find_library(FFTW_FLOAT_LIBRARY fftw3f)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(FFTW REQUIRED_VARS FFTW_DOUBLE_LIBRARY FFTW_FLOAT_LIBRARY FFTW_INCLUDE_DIR)
if(FFTW_FOUND AND NOT TARGET FFTW::Double)
  add_library(FFTW::Double UNKNOWN IMPORTED)
  set_target_properties(FFTW::Double PROPERTIES
    IMPORTED_LOCATION "${FFTW_DOUBLE_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${FFTW_INCLUDE_DIR}")
  add_library(FFTW::Float UNKNOWN IMPORTED)
  set_target_properties(FFTW::Float PROPERTIES
    IMPORTED_LOCATION "${FFTW_FLOAT_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${FFTW_INCLUDE_DIR}")
endif()
mark_as_advanced(FFTW_INCLUDE_DIR FFTW_DOUBLE_LIBRARY FFTW_FLOAT_LIBRARY)
