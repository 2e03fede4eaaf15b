# tocuda, Apache-2.0.
# Which commit this was built from, looked up at every build: a file that changes only when the answer does.
add_custom_target(tocuda_suite_header
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DVERSION=${PROJECT_VERSION} -DGIVEN=${TOCUDA_COMMIT}
          -DOUTPUT=${CMAKE_BINARY_DIR}/generated/suite_facts.hpp -P ${CMAKE_SOURCE_DIR}/cmake/suite_header.cmake
  BYPRODUCTS ${CMAKE_BINARY_DIR}/generated/suite_facts.hpp
  COMMENT "" VERBATIM)
