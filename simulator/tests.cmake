# tocuda, Apache-2.0.
# Tests that need CUDA's headers and the simulated runtime, and the small programs that they start.
tocuda_simulated_program(simulator_cost_program tests/cost_program.cpp)
target_compile_options(simulator_cost_program PRIVATE -O2)

# The simulated runtime and NCCL alone under the thread sanitizer: their sources and the driver program, with nothing
# else in the process. One compiler's build is enough.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  add_executable(simulator_threads_program tests/threads_program.cpp ${runtime_sources})
  target_include_directories(simulator_threads_program SYSTEM PRIVATE ${TOCUDA_CUDA_INCLUDE})
  target_include_directories(simulator_threads_program PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${generated})
  target_compile_options(simulator_threads_program PRIVATE -fsanitize=thread -O1 -g)
  target_link_options(simulator_threads_program PRIVATE -fsanitize=thread)
  target_link_libraries(simulator_threads_program PRIVATE tocuda_warnings Threads::Threads ${CMAKE_DL_LIBS})
  if(TARGET tocuda_simulated_nccl)
    target_sources(simulator_threads_program PRIVATE ${collectives_sources})
    target_include_directories(simulator_threads_program SYSTEM PRIVATE ${TOCUDA_NCCL_INCLUDE})
    target_compile_definitions(simulator_threads_program PRIVATE TOCUDA_NCCL_VERSION=${nccl_version})
  endif()
  tocuda_compile_together(simulator_threads_program)
  tocuda_read_once(simulator_threads_program <cuda_runtime_api.h> <condition_variable> <deque> <mutex>)

  set(two_gpus ${CMAKE_CURRENT_BINARY_DIR}/two_gpus.simulation)
  tocuda_simulation(simulator_two_gpus ${two_gpus} 2x1GiB)
  add_test(NAME simulator.threads COMMAND simulator_threads_program)
  set_tests_properties(simulator.threads PROPERTIES
    ENVIRONMENT "TOCUDA_SIMULATION=${two_gpus};TSAN_OPTIONS=halt_on_error=1 exitcode=66" TIMEOUT 120)
endif()

# Folders such as cuda-compat packages bring, each with the libcuda of another driver.
function(tocuda_other_libcuda folder version cuda init cost)
  set(target tocuda_libcuda_${folder})
  set(into ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/libcuda/${folder})
  add_library(${target} SHARED tests/other_libcuda.cpp)
  target_compile_definitions(${target} PRIVATE TOCUDA_CUDA=${cuda} TOCUDA_INIT=${init} TOCUDA_COST=${cost})
  target_link_options(${target} PRIVATE -Wl,-soname,libcuda.so.1 -Wl,--no-as-needed)
  target_link_libraries(${target} PRIVATE tocuda_warnings tocuda_simulated_runtime)
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME libcuda.so.${version} SUFFIX "" NO_SONAME ON
    LIBRARY_OUTPUT_DIRECTORY ${into})
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E create_symlink libcuda.so.${version} ${into}/libcuda.so.1)
endfunction()
tocuda_other_libcuda(slower 590.44.01 13010 0 1.05)
tocuda_other_libcuda(equal 590.44.01 13010 0 1.0)
tocuda_other_libcuda(same_version 580.95.05 13000 0 1.0)
tocuda_other_libcuda(mismatched 575.57.08 12090 803 1.0)
tocuda_other_libcuda(not_supported 590.44.01 13010 804 1.0)

file(GLOB simulated_tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/runtime/*_test.cpp)
tocuda_simulated_program(simulated_runtime_test ${simulated_tests} runtime/lane.cpp runtime/variation.cpp
  runtime/peer_faults.cpp
  settings/simulation_file.cpp)
target_link_libraries(simulated_runtime_test PRIVATE GTest::gtest_main)
tocuda_quickly_built(simulated_runtime_test)
tocuda_compile_together(simulated_runtime_test)
tocuda_read_once(simulated_runtime_test <gtest/gtest.h> <cuda_runtime_api.h>)
target_compile_definitions(simulated_runtime_test PRIVATE
  TOCUDA_REAL_RUNTIME_NAMES="${generated}/runtime_names.txt"
  TOCUDA_SIMULATED_DRIVER="$<TARGET_FILE:tocuda_simulated_driver>")
add_dependencies(simulated_runtime_test tocuda_simulated_driver)
gtest_discover_tests(simulated_runtime_test TEST_PREFIX simulator. DISCOVERY_TIMEOUT 60)

# The recorder is linked before the runtime, because symbols are looked up in link order.
add_executable(recorder_test recorder/recorder_test.cpp)
target_include_directories(recorder_test SYSTEM PRIVATE ${TOCUDA_CUDA_INCLUDE})
target_include_directories(recorder_test PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(recorder_test PRIVATE tocuda_recorder tocuda_warnings tocuda_simulated_runtime GTest::gtest_main)
tocuda_quickly_built(recorder_test)
gtest_discover_tests(recorder_test TEST_PREFIX simulator. DISCOVERY_TIMEOUT 60)

add_executable(runtime_probe tests/runtime_probe.cpp)
target_link_libraries(runtime_probe PRIVATE tocuda_warnings ${CMAKE_DL_LIBS})

tocuda_simulated_program(simulator_programs_test
  fake_driver/driver_test.cpp nvml/management_test.cpp nvml/telemetry_test.cpp tests/cost_test.cpp)
target_link_libraries(simulator_programs_test PRIVATE GTest::gtest_main)
target_compile_definitions(simulator_programs_test PRIVATE
  TOCUDA_SIMULATOR_FOLDER="${TOCUDA_SIMULATOR}" TOCUDA_REAL_RUNTIME="${TOCUDA_CUDART}"
  TOCUDA_RUNTIME_PROBE="$<TARGET_FILE:runtime_probe>" TOCUDA_COST_PROGRAM="$<TARGET_FILE:simulator_cost_program>"
  TOCUDA_MANAGEMENT_LIBRARY="$<TARGET_FILE:tocuda_simulated_management>")
add_dependencies(simulator_programs_test
  runtime_probe simulator_cost_program tocuda_simulated_management tocuda_broken_driver)
tocuda_quickly_built(simulator_programs_test)
tocuda_compile_together(simulator_programs_test)
gtest_discover_tests(simulator_programs_test TEST_PREFIX simulator. DISCOVERY_TIMEOUT 60)

if(TARGET tocuda_simulated_nccl)
  tocuda_simulated_program(simulated_collectives_test
    collectives/collectives_test.cpp collectives/failures_test.cpp collectives/times_test.cpp
    collectives/reduction.cpp)
  target_include_directories(simulated_collectives_test SYSTEM PRIVATE ${TOCUDA_NCCL_INCLUDE})
  target_link_libraries(simulated_collectives_test PRIVATE tocuda_simulated_nccl GTest::gtest_main)
  tocuda_quickly_built(simulated_collectives_test)
  tocuda_compile_together(simulated_collectives_test)
  gtest_discover_tests(simulated_collectives_test TEST_PREFIX simulator. DISCOVERY_TIMEOUT 60)
endif()

add_executable(simulated_philox_test computing/philox_test.cpp)
target_include_directories(simulated_philox_test PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(simulated_philox_test PRIVATE tocuda_warnings GTest::gtest_main)
tocuda_quickly_built(simulated_philox_test)
gtest_discover_tests(simulated_philox_test TEST_PREFIX simulator. DISCOVERY_TIMEOUT 60 PROPERTIES LABELS
  without_libtorch)

if(NOT TOCUDA_TORCH)
  return()
endif()

# Tests of LibTorch on simulated GPUs. Its libraries are linked directly, because its own CMake package appends flags
# that newer compilers refuse.
add_executable(simulator_torch_program tests/torch_program.cpp tests/torch_traffic.cpp)
target_include_directories(simulator_torch_program PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_include_directories(simulator_torch_program SYSTEM PRIVATE
  ${TOCUDA_TORCH}/include ${TOCUDA_TORCH}/include/torch/csrc/api/include ${TOCUDA_CUDA_INCLUDE})
target_link_libraries(simulator_torch_program PRIVATE tocuda_warnings ${CMAKE_DL_LIBS})
tocuda_quickly_built(simulator_torch_program)
tocuda_compile_together(simulator_torch_program)
target_link_options(simulator_torch_program PRIVATE -L${TOCUDA_TORCH}/lib -Wl,--no-as-needed -Wl,--allow-shlib-undefined
  -Wl,-rpath,${TOCUDA_TORCH}/lib)
target_link_libraries(simulator_torch_program PRIVATE -ltorch_cuda -ltorch_cpu -lc10_cuda -lc10 -ltorch
  ${TOCUDA_CUDART})

# The Python that this LibTorch was installed for: that of its environment, otherwise the system's.
find_program(TOCUDA_PYTHON_PROGRAM NAMES python3 PATHS ${beside_torch}/../../../bin NO_DEFAULT_PATH)
find_program(TOCUDA_PYTHON_PROGRAM NAMES python3 REQUIRED)

foreach(test arguments computing differences drawing gradients layouts processes programs)
  add_test(NAME simulator.${test} COMMAND ${TOCUDA_PYTHON_PROGRAM} -B
    ${CMAKE_CURRENT_SOURCE_DIR}/computing/${test}_test.py $<TARGET_FILE:tocuda> ${beside_torch})
  set_tests_properties(simulator.${test} PROPERTIES TIMEOUT 900 COST 20 LABELS one_build)
endforeach()

add_executable(simulator_torch_test tests/torch_test.cpp)
target_include_directories(simulator_torch_test PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(simulator_torch_test PRIVATE tocuda_warnings GTest::gtest_main)
target_compile_definitions(simulator_torch_test PRIVATE
  TOCUDA_TORCH_PARENT="${beside_torch}" TOCUDA_PYTHON_PROGRAM="${TOCUDA_PYTHON_PROGRAM}"
  TOCUDA_SIMULATOR_FOLDER="${TOCUDA_SIMULATOR}" TOCUDA_TORCH_PROGRAM="$<TARGET_FILE:simulator_torch_program>")
add_dependencies(simulator_torch_test
  simulator_torch_program tocuda_broken_driver tocuda_simulated_driver tocuda_simulated_management tocuda_recorder)
tocuda_quickly_built(simulator_torch_test)
gtest_discover_tests(simulator_torch_test TEST_PREFIX simulator. NO_PRETTY_VALUES DISCOVERY_TIMEOUT 60 PROPERTIES LABELS
  one_build)
if(TARGET tocuda_simulated_nccl)
  add_dependencies(simulator_torch_test tocuda_simulated_nccl)
endif()
if(TARGET tocuda_simulated_blas)
  add_dependencies(simulator_torch_test tocuda_simulated_blas tocuda_simulated_blas_lt)
endif()
