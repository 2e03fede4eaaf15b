# tocuda, Apache-2.0.
# A room of the harness, GROUP/NAME: a library of its sources, and a test program of its *_test.cpp. Each test is
# registered with ctest by itself, except those whose names contain TOGETHER: they share something costly and run as
# one. rooms.txt says which rooms it includes. LINKS names other libraries, READS headers that most files of the room
# include, FOLDERS folders within it that belong to it.

set(rooms ${CMAKE_CURRENT_LIST_DIR}/rooms.txt)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${rooms})
file(STRINGS ${rooms} lines)
foreach(line IN LISTS lines)
  if(line MATCHES "^([a-z_/]+): ")
    get_filename_component(room ${CMAKE_MATCH_1} NAME)
  elseif(line MATCHES "^  includes (.*)")
    string(REPLACE " " ";" included "${CMAKE_MATCH_1}")
    list(REMOVE_ITEM included simulator/schema)  # headers only
    list(TRANSFORM included PREPEND tocuda_)
    list(APPEND TOCUDA_INCLUDED_BY_${room} ${included})
  endif()
endforeach()

# Precompiles headers that most files of a target include, if the target has enough files.
function(tocuda_read_once target)
  get_target_property(sources ${target} SOURCES)
  list(LENGTH sources count)
  if(count LESS 5)
    return()
  endif()
  target_precompile_headers(${target} PRIVATE ${ARGN}
    <algorithm> <filesystem> <functional> <map> <memory> <optional> <string> <variant> <vector>)
endfunction()

# The same for rooms without READS: they share the precompiled headers of the first of them.
function(tocuda_read_once_together target first)
  if(TARGET ${first} AND NOT target STREQUAL first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    tocuda_read_once(${target} ${ARGN})
  endif()
endfunction()

# Files that are compiled together share what they include and instantiate: a full build takes half as long, rebuilding
# one changed file slightly longer. Each file must compile by itself all the same: the preset tidy sets 0.
set(TOCUDA_FILES_TOGETHER 8 CACHE STRING "how many files of a room to compile together; 0: each by itself")
function(tocuda_compile_together target)
  if(TOCUDA_FILES_TOGETHER GREATER 1)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${TOCUDA_FILES_TOGETHER})
  endif()
endfunction()

# Code that waits for people, workers and files gains nothing from -O2 or -O3, and compiles in half the time without it.
function(tocuda_seldom_hot target)
  if(CMAKE_CXX_FLAGS_RELEASE MATCHES "-O[23]")
    target_compile_options(${target} PRIVATE $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O1>)
  endif()
endfunction()

# A test program runs only for moments, so the fastest to compile is the fastest overall.
function(tocuda_quickly_built target)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O0>)
endfunction()

# With sanitizers a program takes a second to start and end: its tests share four processes. Its memory is mostly the
# sanitizer's: tests of how much it needs are left out.
function(tocuda_add_shards program name)
  foreach(shard 0 1 2 3)
    add_test(NAME ${name}.shard_${shard} COMMAND ${program} --gtest_brief=1 --gtest_filter=-*Megabytes)
    set_tests_properties(${name}.shard_${shard} PROPERTIES COST 20 ENVIRONMENT
      "GTEST_TOTAL_SHARDS=4;GTEST_SHARD_INDEX=${shard}" ${ARGN})
  endforeach()
endfunction()

function(tocuda_room place)
  get_filename_component(name ${place} NAME)
  cmake_parse_arguments(ROOM "" "TOGETHER" "LINKS;READS;FOLDERS" ${ARGN})
  set(uses ${TOCUDA_INCLUDED_BY_${name}} ${ROOM_LINKS})
  set(patterns ${CMAKE_CURRENT_SOURCE_DIR}/${place}/*.cpp)
  foreach(folder ${ROOM_FOLDERS})
    list(APPEND patterns ${CMAKE_CURRENT_SOURCE_DIR}/${place}/${folder}/*.cpp)
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_(test|main|worker)\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  if(sources)
    add_library(tocuda_${name} STATIC ${sources})
    target_link_libraries(tocuda_${name} PUBLIC ${uses} PRIVATE tocuda_warnings tocuda_sanitizers)
    target_include_directories(tocuda_${name} PUBLIC ${TOCUDA_INCLUDED})
    tocuda_compile_together(tocuda_${name})
    if(ROOM_READS)
      tocuda_read_once(tocuda_${name} ${ROOM_READS})
    else()
      tocuda_read_once_together(tocuda_${name} tocuda_model)
    endif()
  else()
    add_library(tocuda_${name} INTERFACE)
    target_link_libraries(tocuda_${name} INTERFACE ${uses})
    target_include_directories(tocuda_${name} INTERFACE ${TOCUDA_INCLUDED})
  endif()
  if(BUILD_TESTING AND tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE tocuda_${name} tocuda_warnings tocuda_sanitizers GTest::gtest_main)
    tocuda_quickly_built(${name}_test)
    tocuda_compile_together(${name}_test)
    if(ROOM_READS)
      tocuda_read_once(${name}_test <gtest/gtest.h> ${ROOM_READS})
    else()
      tocuda_read_once_together(${name}_test model_test <gtest/gtest.h>)
    endif()
    # These test programs are the same with every LibTorch, so testing with a second one does not run them again.
    set(properties LABELS without_libtorch)
    set(apart "")
    if(ROOM_TOGETHER AND NOT TOCUDA_SANITIZE)
      set(apart TEST_FILTER -*${ROOM_TOGETHER}*)
      add_test(NAME ${name}.${ROOM_TOGETHER} COMMAND ${name}_test --gtest_filter=*${ROOM_TOGETHER}*)
      set_tests_properties(${name}.${ROOM_TOGETHER} PROPERTIES ${properties} COST 20)
    endif()
    if(TOCUDA_SANITIZE)
      tocuda_add_shards(${name}_test ${name} ${properties})
    else()
      gtest_discover_tests(${name}_test NO_PRETTY_VALUES TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 60 ${apart}
        PROPERTIES ${properties})
    endif()
  endif()
endfunction()
