include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(bankfull_config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/bankfull")
install(TARGETS bankfull RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")

# The program prints its own manual pages and completion scripts; where it may not run while it is built, there are none.
if(BANKFULL_SANITIZE OR BANKFULL_ARCH OR (CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR))
  message(STATUS "No manual pages and completion to install: the program is sanitized, or for another processor")
else()
  set(bankfull_manual "${PROJECT_BINARY_DIR}/manual")
  add_custom_command(OUTPUT "${bankfull_manual}/bankfull" "${bankfull_manual}/_bankfull" "${bankfull_manual}/bankfull.fish"
    COMMAND "${CMAKE_COMMAND}" -E rm -rf "${bankfull_manual}"
    COMMAND bankfull man --output "${bankfull_manual}/man1"
    COMMAND bankfull completion bash > "${bankfull_manual}/bankfull"
    COMMAND bankfull completion zsh > "${bankfull_manual}/_bankfull"
    COMMAND bankfull completion fish > "${bankfull_manual}/bankfull.fish"
    DEPENDS bankfull
    COMMENT "Manual pages and completion"
    VERBATIM)
  add_custom_target(bankfull_manual ALL DEPENDS "${bankfull_manual}/bankfull")
  install(DIRECTORY "${bankfull_manual}/man1" DESTINATION "${CMAKE_INSTALL_MANDIR}")
  install(FILES "${bankfull_manual}/bankfull" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
  install(FILES "${bankfull_manual}/_bankfull" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
  install(FILES "${bankfull_manual}/bankfull.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
endif()
install(TARGETS bankfull_core bankfull_numerics ${bankfull_workload_targets} bankfull_workloads EXPORT bankfullTargets
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(EXPORT bankfullTargets NAMESPACE bankfull:: DESTINATION "${bankfull_config_dir}")
install(DIRECTORY bankfull/core bankfull/numerics bankfull/workloads DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/bankfull"
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cuh")
install(DIRECTORY "${PROJECT_BINARY_DIR}/generated/bankfull" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.hpp")
configure_package_config_file(cmake/bankfullConfig.cmake.in "${PROJECT_BINARY_DIR}/bankfullConfig.cmake"
                              INSTALL_DESTINATION "${bankfull_config_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/bankfullConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES cmake/FindHdf5C.cmake cmake/FindHwloc.cmake "${PROJECT_BINARY_DIR}/bankfullConfig.cmake" "${PROJECT_BINARY_DIR}/bankfullConfigVersion.cmake"
        DESTINATION "${bankfull_config_dir}")
