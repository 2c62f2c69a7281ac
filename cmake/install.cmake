include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS pliant EXPORT pliant-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/pliant DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT pliant-targets NAMESPACE pliant:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/pliant)
if(TARGET pliant_app)
  install(TARGETS pliant_app DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

file(WRITE ${PROJECT_BINARY_DIR}/pliant-config.cmake
"include(CMakeFindDependencyMacro)
find_dependency(Threads)
include(\"\${CMAKE_CURRENT_LIST_DIR}/pliant-targets.cmake\")
")
write_basic_package_version_file(${PROJECT_BINARY_DIR}/pliant-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/pliant-config.cmake ${PROJECT_BINARY_DIR}/pliant-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/pliant)
