# SPDX-License-Identifier: BSD-3-Clause
# cmake -DPAGE=<file> -P CheckPage.cmake -- <command>...: fails if the command prints anything else
# than what the file holds.
set(command)
set(seen_dashes FALSE)
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
  if(seen_dashes)
    list(APPEND command ${CMAKE_ARGV${i}})
  elseif(CMAKE_ARGV${i} STREQUAL "--")
    set(seen_dashes TRUE)
  endif()
endforeach()

execute_process(COMMAND ${command} OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
file(READ ${PAGE} page)
if(NOT printed STREQUAL page)
  message(FATAL_ERROR "${PAGE} is stale: ./run docs writes it anew")
endif()
