# Components: what runs the program, what programs of others are built with, and the licence. cmake --install takes all; Debian
# packages take one of the first two each, and have a copyright file of their own.
include(CMakePackageConfigHelpers)
set(bankfull_config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/bankfull")
install(TARGETS bankfull RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT program)

# The program prints its own manual pages and completion scripts; where it may not run while it is built, there are none.
bankfull_runs_here(bankfull_prints_manual)
if(BANKFULL_SANITIZE OR NOT bankfull_prints_manual)
  set(bankfull_prints_manual FALSE)
  message(STATUS "No manual pages and completion to install: the program is sanitized, or for another processor")
else()
  set(bankfull_manual "${PROJECT_BINARY_DIR}/manual")
  set(bankfull_compress_manual "")
  if(BANKFULL_PACKAGES)
    set(bankfull_compress_manual COMMAND gzip -9nr "${bankfull_manual}/man1")
  endif()
  add_custom_command(OUTPUT "${bankfull_manual}/bankfull" "${bankfull_manual}/_bankfull" "${bankfull_manual}/bankfull.fish"
    COMMAND "${CMAKE_COMMAND}" -E rm -rf "${bankfull_manual}"
    COMMAND bankfull man --output "${bankfull_manual}/man1"
    ${bankfull_compress_manual}
    COMMAND bankfull completion bash > "${bankfull_manual}/bankfull"
    COMMAND bankfull completion zsh > "${bankfull_manual}/_bankfull"
    COMMAND bankfull completion fish > "${bankfull_manual}/bankfull.fish"
    DEPENDS bankfull
    COMMENT "Manual pages and completion"
    VERBATIM)
  add_custom_target(bankfull_manual ALL DEPENDS "${bankfull_manual}/bankfull")
  set(bankfull_zsh_dir "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
  if(BANKFULL_PACKAGES) # where Debian's zsh looks for what packages bring
    set(bankfull_zsh_dir "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions")
  endif()
  install(DIRECTORY "${bankfull_manual}/man1" DESTINATION "${CMAKE_INSTALL_MANDIR}" COMPONENT program)
  install(FILES "${bankfull_manual}/bankfull" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions"
          COMPONENT program)
  install(FILES "${bankfull_manual}/_bankfull" DESTINATION "${bankfull_zsh_dir}" COMPONENT program)
  install(FILES "${bankfull_manual}/bankfull.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d"
          COMPONENT program)
endif()

install(TARGETS bankfull_core bankfull_numerics ${bankfull_workload_targets} bankfull_workloads EXPORT bankfullTargets
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development)
install(EXPORT bankfullTargets NAMESPACE bankfull:: DESTINATION "${bankfull_config_dir}" COMPONENT development)
# The public surface, with what it includes (docs/adr/0050-public-surface.md).
set(bankfull_public_headers bankfull/bankfull.hpp bankfull/core.hpp bankfull/numerics.hpp bankfull/workloads.hpp)
install(CODE "
  set(bankfull_source \"${PROJECT_SOURCE_DIR}\")
  set(bankfull_public_headers \"${bankfull_public_headers}\")
  set(bankfull_include_dir \"${CMAKE_INSTALL_INCLUDEDIR}\")
  cmake_path(ABSOLUTE_PATH bankfull_include_dir BASE_DIRECTORY \"\${CMAKE_INSTALL_PREFIX}\")
  include(\"${PROJECT_SOURCE_DIR}/cmake/InstallPublicHeaders.cmake\")" COMPONENT development)
install(TARGETS bankfull_native EXPORT bankfullTargets COMPONENT development)
install(FILES LICENSE THIRD-PARTY.md DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT licence)
install(DIRECTORY LICENSES DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT licence)
install(DIRECTORY "${PROJECT_BINARY_DIR}/generated/bankfull" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        COMPONENT development FILES_MATCHING PATTERN "*.hpp")
configure_package_config_file(cmake/bankfullConfig.cmake.in "${PROJECT_BINARY_DIR}/bankfullConfig.cmake"
                              INSTALL_DESTINATION "${bankfull_config_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/bankfullConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES cmake/FindHwloc.cmake "${PROJECT_BINARY_DIR}/bankfullConfig.cmake" "${PROJECT_BINARY_DIR}/bankfullConfigVersion.cmake"
        DESTINATION "${bankfull_config_dir}" COMPONENT development)
