# tocuda, Apache-2.0.
# What the room `report` needs beside its sources: the style and the script of its pages, compiled in, and their
# SHA-256, by which a page allows them and nothing else.
set(files "")
foreach(name_and_file "style style.css" "script filter.js")
  separate_arguments(name_and_file)
  list(GET name_and_file 0 name)
  list(GET name_and_file 1 file)
  set(file ${CMAKE_CURRENT_SOURCE_DIR}/report/${file})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} text)
  file(SHA256 ${file} sha256)
  string(APPEND files "inline constexpr std::string_view ${name} = R\"page(${text})page\";\n"
    "inline constexpr std::string_view ${name}_sha256 = \"${sha256}\";\n")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/page_files.hpp @ONLY CONTENT
  "// Written by cmake/report_room.cmake.
#pragma once
#include <string_view>
namespace tocuda::page_files {
@files@}  // namespace tocuda::page_files
")
target_include_directories(tocuda_report PRIVATE ${CMAKE_BINARY_DIR}/generated)
