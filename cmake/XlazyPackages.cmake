# SPDX-License-Identifier: BSD-3-Clause
# Debian packages by CPack: libxlazyN, libxlazy-dev, xlazy-tools. `./run package` makes them.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME xlazy)
set(CPACK_PACKAGE_VENDOR "the xlazy authors")
set(CPACK_PACKAGE_CONTACT "the xlazy authors <xlazy@localhost>")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL runtime dev tools)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE gzip)  # xz takes ten times as long, and saves a third

# What the binaries link is found by dpkg-shlibdeps; our own library by version.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(runtime libxlazy${XLAZY_ABI})
set(this_version "${runtime} (= ${PROJECT_VERSION})")

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME ${runtime})
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION
    "What a program needs that was compiled with xlazy. Kernels are compiled by the
first of c++, g++, clang++, cc, gcc and clang that is installed; without one
they are interpreted.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "g++ | clang | c-compiler")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS "libopenblas0 | liblapack3")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libxlazy-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_DEV_DESCRIPTION
    "xlazy-c++ compiles an unmodified xtensor program so that it runs lazily. With
headers, static library, CMake package and pkg-config file.")
# xtensor 0.25 has other extension points.
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "${this_version}, libxtensor-dev (>= 0.24), libxtensor-dev (<< 0.25), g++ | clang")
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "libfmt-dev, libxxhash-dev, libdw-dev, pkg-config, cmake")

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME xlazy-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION devel)
set(CPACK_COMPONENT_TOOLS_DESCRIPTION
    "xlazy-info describes an installation, xlazy-cache tends compiled kernels,
xlazy-run-bytecode runs a recorded batch; printers for gdb.")
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "${this_version}")

# Each package has its licence where Debian looks for it.
foreach(component IN ITEMS runtime dev tools)
  string(TOUPPER ${component} upper)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE RENAME copyright
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME} COMPONENT ${component})
endforeach()

include(CPack)
