# SPDX-License-Identifier: BSD-3-Clause
# What every target of this project shares.

# Warnings are for our own code only and are never exported.
add_library(xlazy_warnings INTERFACE)
target_compile_options(xlazy_warnings INTERFACE -Wall -Wextra -Wpedantic -Wconversion)

# Same bits in every tier and mode: no compiler may contract a*b+c on its own.
add_library(xlazy_exact INTERFACE)
target_compile_options(xlazy_exact INTERFACE -ffp-contract=off)

add_library(xlazy_sanitize INTERFACE)
if(XLAZY_SANITIZE)
  target_compile_options(xlazy_sanitize INTERFACE
                         -fsanitize=${XLAZY_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(xlazy_sanitize INTERFACE -fsanitize=${XLAZY_SANITIZE})
endif()

# xlazy_own(<target>): the language level and flags of our own code.
function(xlazy_own target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  target_link_libraries(${target} PRIVATE
                        $<BUILD_INTERFACE:xlazy_warnings>
                        $<BUILD_INTERFACE:xlazy_exact>
                        $<BUILD_INTERFACE:xlazy_sanitize>)
endfunction()

# xlazy_add_layer(<folder>): the folder in which it is called becomes the static library
# xlazy_<folder> (alias xlazy::<folder>, with _ for -) from src/**.cpp, with its headers in include/.
function(xlazy_add_layer folder)
  string(REPLACE - _ name ${folder})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/*.cpp)
  xlazy_or_empty(sources)
  add_library(xlazy_${name} STATIC ${sources})
  add_library(xlazy::${name} ALIAS xlazy_${name})
  set_target_properties(xlazy_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_include_directories(xlazy_${name}
                             PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
                             PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src)
  xlazy_own(xlazy_${name})
endfunction()

# A folder without sources still is a target, so that what depends on it can be configured.
function(xlazy_or_empty variable)
  if(NOT ${variable})
    set(empty ${CMAKE_CURRENT_BINARY_DIR}/empty.cpp)
    file(CONFIGURE OUTPUT ${empty} CONTENT "// This folder has no source file.\n")
    set(${variable} ${empty} PARENT_SCOPE)
  endif()
endfunction()

# Documentation pages made from source. ./run docs rewrites them; a test fails while one is stale.
add_custom_target(xlazy_docs)

# xlazy_generated_page(<page> <program target> [argument...]): what the program prints is docs/<page>.
function(xlazy_generated_page page program)
  set(file ${PROJECT_SOURCE_DIR}/docs/${page})
  add_custom_target(xlazy_docs_${page} COMMAND ${program} ${ARGN} > ${file} VERBATIM)
  add_dependencies(xlazy_docs xlazy_docs_${page})
  if(BUILD_TESTING)
    add_test(NAME docs.${page}
             COMMAND ${CMAKE_COMMAND} -DPAGE=${file} -P ${PROJECT_SOURCE_DIR}/cmake/CheckPage.cmake
                     -- $<TARGET_FILE:${program}> ${ARGN})
    set_tests_properties(docs.${page} PROPERTIES LABELS docs)
  endif()
endfunction()
