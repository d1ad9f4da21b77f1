# SPDX-License-Identifier: BSD-3-Clause
# The wrapper headers, one for each of xtensor's installed ones, and the compiler driver xlazy-c++.
set(wrappers ${CMAKE_CURRENT_BINARY_DIR}/wrappers)
get_target_property(xtensor_include xtensor INTERFACE_INCLUDE_DIRECTORIES)
list(GET xtensor_include 0 xtensor_include)

foreach(library IN ITEMS xtensor xtensor-blas)
  file(GLOB_RECURSE headers RELATIVE ${xtensor_include} ${xtensor_include}/${library}/*.hpp)
  foreach(header IN LISTS headers)
    configure_file(${CMAKE_CURRENT_SOURCE_DIR}/tools/wrapper.hpp.in ${wrappers}/${header} @ONLY)
  endforeach()
endforeach()
# Its presence tells our headers that xtensor's names are to be ours.
file(CONFIGURE OUTPUT ${wrappers}/xlazy/wrappers_on_path.hpp CONTENT "// The wrapper headers are on the include path.\n")

foreach(dropin IN LISTS dropins)
  target_include_directories(${dropin} BEFORE INTERFACE
                             $<BUILD_INTERFACE:${wrappers}>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/xlazy/wrappers>)
endforeach()

# xlazy-c++ for the build tree and for an installed one, which finds itself.
set(system_compiler ${CMAKE_CXX_COMPILER})
set(include_folders "${wrappers}")
foreach(layer IN ITEMS frontend bytecode optimizer backends jit-cache)
  string(APPEND include_folders "\" \"${PROJECT_SOURCE_DIR}/${layer}/include")
endforeach()
set(library_folder ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
if(NOT library_folder)
  set(library_folder ${CMAKE_CURRENT_BINARY_DIR})
endif()
set(driver_folder ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
if(NOT driver_folder)
  set(driver_folder ${CMAKE_CURRENT_BINARY_DIR})
endif()
configure_file(${CMAKE_CURRENT_SOURCE_DIR}/tools/xlazy-c++.in ${driver_folder}/xlazy-c++ @ONLY
               FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

if(XLAZY_INSTALL)
  install(DIRECTORY ${wrappers}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/xlazy/wrappers COMPONENT dev)
  set(system_compiler c++)
  set(include_folders "$root/${CMAKE_INSTALL_INCLUDEDIR}/xlazy/wrappers\" \"$root/${CMAKE_INSTALL_INCLUDEDIR}")
  set(library_folder "$root/${CMAKE_INSTALL_LIBDIR}")
  configure_file(${CMAKE_CURRENT_SOURCE_DIR}/tools/xlazy-c++.in ${CMAKE_CURRENT_BINARY_DIR}/installed/xlazy-c++ @ONLY)
  install(PROGRAMS ${CMAKE_CURRENT_BINARY_DIR}/installed/xlazy-c++ DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT dev)
endif()
