# tocuda, Apache-2.0.
# What the room `machine` needs beside its sources: the commit that is being built, and the profiles, which are compiled
# in.
file(GLOB profiles CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/machine/profiles/*.json)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${profiles})
set(entries "")
foreach(profile ${profiles})
  get_filename_component(name ${profile} NAME_WE)
  file(READ ${profile} text)
  string(APPEND entries "    {\"${name}\", R\"profile(${text})profile\"},\n")
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/built_in_profiles.hpp @ONLY CONTENT
  "// Written by cmake/machine_room.cmake.
#pragma once
#include <array>
#include <string_view>
#include <utility>
namespace tocuda::built_in_profiles {
inline constexpr auto all = std::to_array<std::pair<std::string_view, std::string_view>>({
@entries@});
}  // namespace tocuda::built_in_profiles
")

target_include_directories(tocuda_machine PRIVATE ${CMAKE_BINARY_DIR}/generated)
add_dependencies(tocuda_machine tocuda_suite_header)

# Loaded by the tests of the probe, and never instrumented, like a real driver.
if(BUILD_TESTING)
  foreach(driver fake_driver countless_driver)
    add_library(${driver} MODULE ${CMAKE_CURRENT_SOURCE_DIR}/machine/tests/${driver}.cpp)
    target_link_libraries(${driver} PRIVATE tocuda_warnings)
    set_target_properties(${driver} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
    add_dependencies(machine_test ${driver})
  endforeach()
endif()
