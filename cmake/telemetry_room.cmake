# tocuda, Apache-2.0.
# The fake NVML that the tests of the room `telemetry` load. Never instrumented, like the real one.
if(BUILD_TESTING)
  add_library(fake_management MODULE ${CMAKE_CURRENT_SOURCE_DIR}/telemetry/tests/fake_management.cpp)
  target_link_libraries(fake_management PRIVATE tocuda_warnings)
  set_target_properties(fake_management PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
  add_dependencies(telemetry_test fake_management)
endif()
