include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(bankfull_config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/bankfull")
install(TARGETS bankfull RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
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
