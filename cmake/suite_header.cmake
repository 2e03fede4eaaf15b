# tocuda, Apache-2.0.
# Writes suite_facts.hpp: version, commit, and whether the tree differs from it. Run by written_files.cmake. If the tree
# has no .git, the file GIVEN (written by scripts/campaign prepare) holds the commit and a checksum of each file. What
# differs goes to OUTPUT.differs, a line each.
cmake_minimum_required(VERSION 3.25.1)
set(commit "")
set(dirty "false")
set(changes "")

function(ask_git)
  find_program(git git)
  if(git)
    execute_process(COMMAND ${git} -C ${SOURCE} rev-parse --verify --quiet HEAD
      OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    # What is recorded is no source, and what is new beside the sources is not built.
    execute_process(COMMAND ${git} -C ${SOURCE} status --porcelain -- . ":(exclude)results"
      OUTPUT_VARIABLE changes ERROR_QUIET)
    string(STRIP "${changes}" changes)
    string(REPLACE "\n" ";" changes "${changes}")
    list(FILTER changes EXCLUDE REGEX "^[?][?] [^/]+/?$")
    set(commit "${commit}" PARENT_SCOPE)
    if(changes)
      set(dirty "true" PARENT_SCOPE)
      set(changes "${changes}" PARENT_SCOPE)
    endif()
  endif()
endfunction()

# Files that the list does not name, in the folders that it does name.
function(find_new_files known result)
  set(folders ${known})
  list(FILTER folders INCLUDE REGEX "/")
  list(TRANSFORM folders REPLACE "/.*" "")
  list(REMOVE_DUPLICATES folders)
  set(present "")
  foreach(folder IN LISTS folders)
    file(GLOB_RECURSE here RELATIVE ${SOURCE} "${SOURCE}/${folder}/*")
    list(APPEND present ${here})
  endforeach()
  list(FILTER present EXCLUDE REGEX "(^|/)__pycache__/")
  list(REMOVE_ITEM present ${known})
  set(${result} "${present}" PARENT_SCOPE)
endfunction()

# A changed, missing or new file makes the tree differ from its commit.
function(read_given)
  file(STRINGS ${GIVEN} lines)
  set(known "")
  set(changes "")
  foreach(line IN LISTS lines)
    if(line MATCHES "^commit ([0-9a-f]+)$")
      set(commit "${CMAKE_MATCH_1}" PARENT_SCOPE)
    elseif(line STREQUAL "dirty true")
      list(APPEND changes "before it was prepared")
    elseif(line MATCHES "^([0-9a-f]+)  (.+)$")
      set(checksum "${CMAKE_MATCH_1}")
      set(path "${CMAKE_MATCH_2}")
      list(APPEND known "${path}")
      set(found "")
      if(EXISTS "${SOURCE}/${path}")
        file(SHA256 "${SOURCE}/${path}" found)
      endif()
      if(NOT found STREQUAL checksum)
        list(APPEND changes "${path}")
      endif()
    endif()
  endforeach()
  find_new_files("${known}" new)
  list(APPEND changes ${new})
  if(changes OR NOT known)
    set(dirty "true" PARENT_SCOPE)
    set(changes "${changes}" PARENT_SCOPE)
  endif()
endfunction()

# A tree inside another repository does not have that repository's commit.
if(EXISTS "${SOURCE}/.git")
  ask_git()
elseif(GIVEN AND EXISTS "${GIVEN}")
  read_given()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT "// Written by cmake/suite_header.cmake at each build.
#pragma once
namespace tocuda::suite_facts {
inline constexpr const char* version = \"@VERSION@\";
inline constexpr const char* commit = \"@commit@\";  // empty if unknown
inline constexpr bool dirty = @dirty@;
}  // namespace tocuda::suite_facts
")
list(JOIN changes "\n" changes)
file(CONFIGURE OUTPUT ${OUTPUT}.differs @ONLY CONTENT "@changes@\n")
