# Debian packages by cpack: bankfull and libbankfull-dev, or bankfull-cuda from a build with CUDA. scripts/package makes them, with
# the presets package and package-cuda; ADR 0048 says why they are cut and compiled so.
if(NOT BANKFULL_PACKAGES)
  return()
endif()
if(NOT bankfull_prints_manual)
  message(FATAL_ERROR "Packages need manual pages, which the program prints: build where it runs, without sanitizers")
endif()
if(BANKFULL_NATIVE)
  message(FATAL_ERROR "Packages run on other machines: set BANKFULL_NATIVE=OFF, and BANKFULL_ARCH")
endif()

include(PackageVersion)
bankfull_package_version("${PROJECT_SOURCE_DIR}" "${PROJECT_VERSION}" "${bankfull_git_revision}")
if(bankfull_package_epoch)
  set(ENV{SOURCE_DATE_EPOCH} ${bankfull_package_epoch})
  file(WRITE "${PROJECT_BINARY_DIR}/package_epoch.cmake" "set(ENV{SOURCE_DATE_EPOCH} ${bankfull_package_epoch})\n")
  set(CPACK_PROJECT_CONFIG_FILE "${PROJECT_BINARY_DIR}/package_epoch.cmake") # for the times of files in the packages
endif()
string(TIMESTAMP bankfull_package_date "%a, %d %b %Y %H:%M:%S +0000" UTC)

# As Debian's own tools take it. The project has no mail address.
set(bankfull_maintainer "The bankfull authors <nobody@bankfull.invalid>")
if(DEFINED ENV{DEBFULLNAME} AND DEFINED ENV{DEBEMAIL})
  set(bankfull_maintainer "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()

# Each package's copyright, changelogs and recorded exceptions from lintian's rules (cmake/debian).
function(bankfull_package_documents component package)
  set(folder "${PROJECT_BINARY_DIR}/debian/${package}")
  set(bankfull_package "${package}")
  set(bankfull_copyright_of_parts "")
  foreach(part IN LISTS ARGN)
    file(READ "${PROJECT_SOURCE_DIR}/cmake/debian/copyright-${part}" text)
    string(APPEND bankfull_copyright_of_parts "\n${text}")
  endforeach()
  configure_file(cmake/debian/copyright.in "${folder}/copyright" @ONLY)
  configure_file(cmake/debian/changelog.in "${folder}/changelog.Debian" @ONLY)
  add_custom_command(OUTPUT "${folder}/changelog.gz" "${folder}/changelog.Debian.gz"
    COMMAND gzip -9nc "${PROJECT_SOURCE_DIR}/CHANGELOG.md" > "${folder}/changelog.gz"
    COMMAND gzip -9nc "${folder}/changelog.Debian" > "${folder}/changelog.Debian.gz"
    DEPENDS "${PROJECT_SOURCE_DIR}/CHANGELOG.md" "${folder}/changelog.Debian"
    COMMENT "Changelogs of ${package}"
    VERBATIM)
  add_custom_target(bankfull_documents_of_${component} ALL DEPENDS "${folder}/changelog.gz")
  install(FILES "${folder}/copyright" "${folder}/changelog.gz" "${folder}/changelog.Debian.gz"
          DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/${package}" COMPONENT ${component})
  configure_file(cmake/debian/${component}.lintian-overrides "${folder}/${package}" @ONLY)
  install(FILES "${folder}/${package}" DESTINATION "${CMAKE_INSTALL_DATADIR}/lintian/overrides" COMPONENT ${component})
endfunction()

set(bankfull_description_of_program
"Runs the Himeno benchmark, HPCG, five kernels of the NAS Parallel
Benchmarks, probes of memory and a solver for thermal convection,
verifies each result against an independent reference, and says what
share of the measured bandwidth of memory each run reached.")
set(bankfull_description_of_level "")
set(bankfull_description_of_library_level "")
if(BANKFULL_ARCH)
  set(bankfull_description_of_level "\n\nThe program is compiled for processors of level ${BANKFULL_ARCH}.")
  set(bankfull_description_of_library_level
"

The libraries are compiled for processors of level ${BANKFULL_ARCH}, and so
are programs that link them.")
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_OUTPUT_FILE_PREFIX "${PROJECT_BINARY_DIR}/packages")
set(CPACK_PACKAGE_CONTACT "${bankfull_maintainer}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # or CPack puts it before each description
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                                WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SOURCE bankfull)
set(CPACK_DEBIAN_PACKAGE_VERSION "${bankfull_package_version}")
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)

set(bankfull_parts program)
if(bankfull_hdf5_enabled AND Hdf5C_ARCHIVE_LINKS) # see FindHdf5C
  list(APPEND bankfull_parts hdf5)
endif()
set(CPACK_COMPONENTS_ALL program)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS openmpi-bin)
if(bankfull_cuda_enabled)
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME bankfull-cuda)
  # The CUDA runtime within the program is NVIDIA's.
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION non-free/science)
  foreach(relation IN ITEMS CONFLICTS REPLACES)
    set(CPACK_DEBIAN_PROGRAM_PACKAGE_${relation} bankfull)
  endforeach()
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_PROVIDES "bankfull (= ${bankfull_package_version}-1)")
  string(REPLACE "." "-" toolkit "${CUDAToolkit_VERSION_MAJOR}.${CUDAToolkit_VERSION_MINOR}")
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "ffmpeg, libcuda1, libcufft-${toolkit}, libcusparse-${toolkit}, libnccl2")
  set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "memory-bound CFD benchmarks and solvers, with CUDA
${bankfull_description_of_program}

This package replaces bankfull: its program also runs on NVIDIA GPUs. It
opens the driver when it runs, and works without.${bankfull_description_of_level}")
  bankfull_package_documents(program bankfull-cuda ${bankfull_parts} cuda)
else()
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME bankfull)
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS ffmpeg)
  set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "memory-bound CFD benchmarks and solvers
${bankfull_description_of_program}

This package is for processors; bankfull-cuda also runs on NVIDIA GPUs.${bankfull_description_of_level}")
  bankfull_package_documents(program bankfull ${bankfull_parts})

  list(APPEND CPACK_COMPONENTS_ALL development)
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libbankfull-dev)
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
  # What the CMake package looks for. fmt's functions carry their major version in their names.
  set(depends "libfmt-dev (>= 9)" "libfmt-dev (<< 10)")
  if(Hwloc_FOUND)
    list(APPEND depends libhwloc-dev)
  endif()
  if(bankfull_mpi_enabled)
    list(APPEND depends libopenmpi-dev)
  endif()
  list(JOIN depends ", " CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS)
  set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS "cmake (>= 3.25), g++ (>= 4:12)")
  set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "building blocks of memory-bound CFD codes
Static libraries, headers and a CMake package of bankfull: fields with
ghost cells, sweeps and deterministic sums, halo exchange, Poisson solvers
and measurement against the bandwidth of memory.${bankfull_description_of_library_level}")
  bankfull_package_documents(development libbankfull-dev)
  file(GLOB examples CONFIGURE_DEPENDS examples/*.cpp)
  install(FILES examples/CMakeLists.txt ${examples}
          DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/libbankfull-dev/examples" COMPONENT development)
endif()
include(CPack)
