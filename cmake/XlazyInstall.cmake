# SPDX-License-Identifier: BSD-3-Clause
# Headers, libraries, the CMake package, the pkg-config file, manual pages and completions. Programs install themselves.
# Components: runtime (what a compiled program needs), dev (what compiling one needs), tools, and, in no package, bench
# and resident.
include(CMakePackageConfigHelpers)

foreach(folder IN ITEMS bytecode jit-cache optimizer backends frontend)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
endforeach()

install(TARGETS xlazy xlazy_dropin EXPORT xlazy_targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT dev)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/xlazy)
install(EXPORT xlazy_targets NAMESPACE xlazy:: FILE xlazy-targets.cmake DESTINATION ${package_dir} COMPONENT dev)
if(XLAZY_STATIC)
  install(TARGETS xlazy_static xlazy_dropin_static EXPORT xlazy_static_targets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
  install(EXPORT xlazy_static_targets NAMESPACE xlazy:: FILE xlazy-static-targets.cmake DESTINATION ${package_dir}
          COMPONENT dev)
endif()
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/xlazy-config.cmake.in
                              ${PROJECT_BINARY_DIR}/xlazy-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/xlazy-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/xlazy-config.cmake
              ${PROJECT_BINARY_DIR}/xlazy-config-version.cmake
        DESTINATION ${package_dir} COMPONENT dev)

# The prefix is known only at install time (cmake --install --prefix), so the file finds itself.
configure_file(${PROJECT_SOURCE_DIR}/cmake/xlazy.pc.in ${PROJECT_BINARY_DIR}/xlazy.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/xlazy.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)

# Where the shells look for completions of a program by its name; one file serves all of ours.
set(zsh_functions ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
if(EXISTS /etc/debian_version)
  set(zsh_functions ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
endif()
function(xlazy_user_files program component)
  install(FILES ${PROJECT_SOURCE_DIR}/docs/man/${program}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
          COMPONENT ${component})
  install(FILES ${PROJECT_SOURCE_DIR}/docs/completion/xlazy.bash RENAME ${program}
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT ${component})
  install(FILES ${PROJECT_SOURCE_DIR}/docs/completion/xlazy.zsh RENAME _${program}
          DESTINATION ${zsh_functions} COMPONENT ${component})
endfunction()
xlazy_user_files(xlazy-c++ dev)
foreach(program IN ITEMS xlazy-cache xlazy-info xlazy-run-bytecode)
  xlazy_user_files(${program} tools)
endforeach()
if(XLAZY_BUILD_BENCH)
  xlazy_user_files(xlazy-bench bench)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/docs/dependencies.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT dev)
