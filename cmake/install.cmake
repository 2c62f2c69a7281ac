# Installs the library, its headers and the program, and a CMake package, so that a user writes
#   find_package(pliant REQUIRED)
#   target_link_libraries(my_program PRIVATE pliant::pliant)
# Tested by tests/install.
option(PLIANT_INSTALL "Make the install target" ${PROJECT_IS_TOP_LEVEL})
if(NOT PLIANT_INSTALL)
  return()
endif()
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/pliant)

install(TARGETS pliant EXPORT pliant-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/pliant DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(TARGET pliant_app)
  install(TARGETS pliant_app DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

# The other libraries that Pliant uses are inside of it.
file(WRITE ${PROJECT_BINARY_DIR}/pliant-config.cmake
"include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_dependency(ZLIB)
find_dependency(PNG)
include(\"\${CMAKE_CURRENT_LIST_DIR}/pliant-targets.cmake\")
")
# Before 1.0 a minor version may change the API.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/pliant-config-version.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT pliant-targets NAMESPACE pliant:: DESTINATION ${package_folder})
install(FILES ${PROJECT_BINARY_DIR}/pliant-config.cmake ${PROJECT_BINARY_DIR}/pliant-config-version.cmake
        DESTINATION ${package_folder})
