# SPDX-License-Identifier: BSD-3-Clause
# Headers, libxlazy.so, the CMake package and the pkg-config file. Programs install themselves.
include(CMakePackageConfigHelpers)

foreach(folder IN ITEMS bytecode jit-cache optimizer backends frontend)
  if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}/include)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  endif()
endforeach()

install(TARGETS xlazy xlazy_dropin EXPORT xlazy_targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/xlazy)
install(EXPORT xlazy_targets NAMESPACE xlazy:: FILE xlazy-targets.cmake DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/xlazy-config.cmake.in
                              ${PROJECT_BINARY_DIR}/xlazy-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/xlazy-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/xlazy-config.cmake
              ${PROJECT_BINARY_DIR}/xlazy-config-version.cmake
        DESTINATION ${package_dir})

# The prefix is known only at install time (cmake --install --prefix), so the file finds itself.
configure_file(${PROJECT_SOURCE_DIR}/cmake/xlazy.pc.in ${PROJECT_BINARY_DIR}/xlazy.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/xlazy.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
