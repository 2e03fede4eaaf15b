# tocuda, Apache-2.0.
# Writes suite_facts.hpp: version, commit, and whether the tree differs from it. Run by suite.cmake.
cmake_minimum_required(VERSION 3.25.1)
find_program(git git)
set(commit "")
set(dirty "false")
if(git)
  execute_process(COMMAND ${git} -C ${SOURCE} rev-parse --verify --quiet HEAD OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND ${git} -C ${SOURCE} status --porcelain OUTPUT_VARIABLE changes ERROR_QUIET)
  if(NOT "${changes}" STREQUAL "")
    set(dirty "true")
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT "// Written by cmake/suite_header.cmake at each build.
#pragma once
namespace tocuda::suite_facts {
inline constexpr const char* version = \"@VERSION@\";
inline constexpr const char* commit = \"@commit@\";  // empty where it could not be read
inline constexpr bool dirty = @dirty@;
}  // namespace tocuda::suite_facts
")
