# tocuda, Apache-2.0.
# Compiler options of every target. Warnings are errors with the g++ and the clang that the tests are run with.
include(known_compilers)
tocuda_errors(errors ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} -Werror)
add_library(tocuda_warnings INTERFACE)
target_compile_options(tocuda_warnings INTERFACE
  # False positives of g++ 12 and 13: default member initialisers of aggregates; "literal" + string (GCC bug 105651).
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-maybe-uninitialized;-Wno-restrict;-Wno-stringop-overflow>
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-stringop-overread;-Wno-array-bounds>
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;${errors};-Wshadow;-Wconversion;-Wno-sign-conversion>
  # clang's also reports names of other files that are compiled together. g++'s, which does not, checks every file.
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-shadow>)
# Headers are included as ROOM/NAME where the room belongs to the harness, else by their path from here.
set(TOCUDA_INCLUDED ${CMAKE_SOURCE_DIR})
foreach(group values workers results supervisor cli)
  list(APPEND TOCUDA_INCLUDED ${CMAKE_SOURCE_DIR}/harness/${group})
endforeach()
target_include_directories(tocuda_warnings INTERFACE ${TOCUDA_INCLUDED})

add_library(tocuda_sanitizers INTERFACE)
if(TOCUDA_SANITIZE)
  target_compile_options(tocuda_sanitizers INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=address,undefined;-fno-sanitize-recover=all;-fno-omit-frame-pointer>)
  target_link_options(tocuda_sanitizers INTERFACE -fsanitize=address,undefined)
endif()
