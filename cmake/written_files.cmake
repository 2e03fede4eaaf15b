# tocuda, Apache-2.0.
# Files that the build lets programs write.

# Writes a worker's description: `describe` runs once after the worker is linked, and its output is kept beside it, so
# that `list` never loads LibTorch.
function(tocuda_describe worker)
  add_custom_command(TARGET ${worker} POST_BUILD
    COMMAND sh -c "\"$1\" describe 3>\"$1.describe.jsonl.new\" && mv \"$1.describe.jsonl.new\" \"$1.describe.jsonl\""
      sh $<TARGET_FILE:${worker}>
    VERBATIM)
endfunction()

# Writes the file of a simulated machine for a test at build time: FILE for TOCUDA_SIMULATION, SPEC as --simulate takes
# it. Profiles that SPEC names follow as further arguments, as dependencies.
function(tocuda_simulation target file spec)
  add_custom_command(OUTPUT ${file}
    COMMAND sh -c "\"$1\" __simulation \"$2\" > \"$3\"" sh $<TARGET_FILE:tocuda> ${spec} ${file}
    DEPENDS tocuda ${ARGN} VERBATIM)
  add_custom_target(${target} ALL DEPENDS ${file})
endfunction()

# Looks up at every build which commit is being built and whether the tree differs from it; the header is rewritten only
# when that changes.
add_custom_target(tocuda_suite_header
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DVERSION=${PROJECT_VERSION} -DGIVEN=${TOCUDA_COMMIT}
          -DOUTPUT=${CMAKE_BINARY_DIR}/generated/suite_facts.hpp -P ${CMAKE_SOURCE_DIR}/cmake/suite_header.cmake
  BYPRODUCTS ${CMAKE_BINARY_DIR}/generated/suite_facts.hpp
  COMMENT "" VERBATIM)
