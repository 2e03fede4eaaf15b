# tocuda, Apache-2.0.
# Looks up at every build which commit is being built and whether the tree differs from it; the header is rewritten only
# when that changes.
add_custom_target(tocuda_suite_header
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DVERSION=${PROJECT_VERSION} -DGIVEN=${TOCUDA_COMMIT}
          -DOUTPUT=${CMAKE_BINARY_DIR}/generated/suite_facts.hpp -P ${CMAKE_SOURCE_DIR}/cmake/suite_header.cmake
  BYPRODUCTS ${CMAKE_BINARY_DIR}/generated/suite_facts.hpp
  COMMENT "" VERBATIM)
