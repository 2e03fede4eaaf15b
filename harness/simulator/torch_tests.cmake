# tocuda, Apache-2.0.
# Tests of LibTorch on simulated GPUs. Its libraries are linked directly, because its own CMake package appends flags
# that newer compilers refuse.
add_executable(simulator_torch_program test_programs/torch_program.cpp test_programs/torch_traffic.cpp)
target_include_directories(simulator_torch_program PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_include_directories(simulator_torch_program SYSTEM PRIVATE
  ${TOCUDA_TORCH}/include ${TOCUDA_TORCH}/include/torch/csrc/api/include ${TOCUDA_CUDA_INCLUDE})
target_link_libraries(simulator_torch_program PRIVATE tocuda_warnings ${CMAKE_DL_LIBS})
target_link_options(simulator_torch_program PRIVATE -L${TOCUDA_TORCH}/lib -Wl,--no-as-needed -Wl,--allow-shlib-undefined
  -Wl,-rpath,${TOCUDA_TORCH}/lib)
target_link_libraries(simulator_torch_program PRIVATE -ltorch_cuda -ltorch_cpu -lc10_cuda -lc10 -ltorch ${TOCUDA_CUDART})

# The Python that this LibTorch was installed for: that of its environment, otherwise the system's.
find_program(TOCUDA_PYTHON_PROGRAM NAMES python3 PATHS ${beside_torch}/../../../bin NO_DEFAULT_PATH)
find_program(TOCUDA_PYTHON_PROGRAM NAMES python3 REQUIRED)

add_executable(simulator_torch_test test_programs/torch_test.cpp)
target_include_directories(simulator_torch_test PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(simulator_torch_test PRIVATE tocuda_warnings GTest::gtest_main)
target_compile_definitions(simulator_torch_test PRIVATE
  TOCUDA_TORCH_PARENT="${beside_torch}" TOCUDA_PYTHON_PROGRAM="${TOCUDA_PYTHON_PROGRAM}"
  TOCUDA_SIMULATOR_FOLDER="${TOCUDA_SIMULATOR}" TOCUDA_TORCH_PROGRAM="$<TARGET_FILE:simulator_torch_program>")
add_dependencies(simulator_torch_test
  simulator_torch_program tocuda_broken_driver tocuda_simulated_driver tocuda_simulated_management tocuda_recorder)
gtest_discover_tests(simulator_torch_test TEST_PREFIX simulator. NO_PRETTY_VALUES DISCOVERY_TIMEOUT 60)
if(TARGET tocuda_simulated_blas)
  add_dependencies(simulator_torch_test tocuda_simulated_blas tocuda_simulated_blas_lt)
endif()
