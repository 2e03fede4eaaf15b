# tocuda, Apache-2.0.
# Compiles what benchmarks say of themselves into the program, so that it can read rows of a machine whose workers are
# not built here. The last field of a benchmark's line, `role`, becomes the initializer of a C++ struct with the same
# members.
function(tocuda_compile_roles target)
  file(GLOB files CONFIGURE_DEPENDS ${ARGN})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(text "\n")
  foreach(file IN LISTS files)
    file(READ ${file} lines)
    string(APPEND text "${lines}")
  endforeach()
  string(REGEX REPLACE "\n{\"kind\":\"benchmark\",\"name\":(\"[^\"]*\")[^\n]*,\"role\":([^\n]*)}" "\n@{\\1,\\2},"
    text "${text}")
  string(REGEX REPLACE "\n[^@\n][^\n]*" "" text "${text}")
  string(REGEX REPLACE "([{,])\"([a-z_]+)\":" "\\1.\\2=" text "${text}")
  string(REPLACE "[" "{" text "${text}")
  string(REPLACE "]" "}" text "${text}")
  string(REPLACE "@" "    " text "${text}")
  set(generated ${CMAKE_BINARY_DIR}/generated/described_roles.cpp)
  file(CONFIGURE OUTPUT ${generated} CONTENT [[
#include "model/role.hpp"

namespace tocuda {

const Roles& described_roles() {
    static const Roles roles{@text@
    };
    return roles;
}

}  // namespace tocuda
]] @ONLY)
  set_source_files_properties(${generated} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE ${generated})
endfunction()
