# tocuda, Apache-2.0.
# Tests of the CUDA workers, each with the libraries that it preloads.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(cuda $<TARGET_FILE:tocuda-cuda>)
set(on_cpu $<TARGET_FILE:tocuda-cuda-simulated>)
set(tocuda $<TARGET_FILE:tocuda>)

# The rest are the arguments of the test. They are the same with every LibTorch, but for the collectives, whose NCCL
# LibTorch brings.
function(tocuda_benchmark_test file)
  get_filename_component(name ${file} NAME)
  add_test(NAME benchmarks.${name} COMMAND Python3::Interpreter -B ${CMAKE_CURRENT_SOURCE_DIR}/${file}_test.py ${ARGN})
  set_tests_properties(benchmarks.${name} PROPERTIES LABELS without_libtorch)
endfunction()

# A library that a test preloads, so it is never instrumented.
function(tocuda_preloaded name)
  add_library(tocuda_${name} MODULE tests/${name}.cpp)
  target_include_directories(tocuda_${name} SYSTEM PRIVATE ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
  target_link_libraries(tocuda_${name} PRIVATE tocuda_warnings ${CMAKE_DL_LIBS})
  set_target_properties(tocuda_${name} PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
endfunction()

tocuda_preloaded(forgetful)
set(forgetful $<TARGET_FILE:tocuda_forgetful>)
if(NOT TARGET tocuda_simulated_runtime)
  tocuda_benchmark_test(worker ${cuda} ${on_cpu} ${tocuda})
  tocuda_benchmark_test(copy/transfers ${on_cpu} ${tocuda})
  tocuda_benchmark_test(host/host ${cuda} ${on_cpu} ${tocuda})
  return()
endif()
add_dependencies(tocuda-cuda-simulated tocuda_simulated_runtime)
set(simulated $<TARGET_FILE_DIR:tocuda_simulated_runtime>)

foreach(name lying_cache mig staying two_nodes)
  tocuda_preloaded(${name})
endforeach()
# Those with the name of a real library have folders of their own, so that no program finds them by itself.
tocuda_preloaded(fake_cufile)
target_link_options(tocuda_fake_cufile PRIVATE -Wl,-soname,libcufile.so.0)
set_target_properties(tocuda_fake_cufile PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/fake_cufile)
tocuda_preloaded(idle_nccl)
target_link_options(tocuda_idle_nccl PRIVATE -Wl,-soname,libnccl.so.2)
set_target_properties(tocuda_idle_nccl PROPERTIES OUTPUT_NAME libnccl SUFFIX .so.2
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/idle_nccl)
set(idle_nccl "")
if(TARGET tocuda_simulated_nccl)
  add_dependencies(tocuda-cuda-simulated tocuda_simulated_nccl)
  set(idle_nccl $<TARGET_FILE:tocuda_idle_nccl>)
endif()

tocuda_benchmark_test(worker ${cuda} ${on_cpu} ${tocuda} ${simulated})
tocuda_benchmark_test(allocate/memory_kinds ${on_cpu} ${cuda} ${tocuda} ${simulated} ${forgetful}
  $<TARGET_FILE:tocuda_mig>)
tocuda_benchmark_test(calls/calls ${on_cpu} ${tocuda} ${simulated} ${forgetful} ${cuda})
tocuda_benchmark_test(collectives/collectives ${on_cpu} ${cuda} ${tocuda} ${simulated} ${idle_nccl})
set_tests_properties(benchmarks.collectives PROPERTIES SKIP_RETURN_CODE 77 LABELS "")
tocuda_benchmark_test(copy/transfers ${on_cpu} ${tocuda} ${simulated} ${forgetful})
set_tests_properties(benchmarks.transfers PROPERTIES COST 15)
tocuda_benchmark_test(copy/busy ${on_cpu} ${cuda} ${tocuda} ${simulated} ${forgetful})
tocuda_benchmark_test(copy/node ${on_cpu} ${cuda} ${tocuda} ${simulated} $<TARGET_FILE:tocuda_two_nodes>)
tocuda_benchmark_test(copy/sustained ${on_cpu} ${tocuda} ${simulated})
tocuda_benchmark_test(files/load ${on_cpu} ${tocuda} ${simulated} $<TARGET_FILE:tocuda_lying_cache>)
tocuda_benchmark_test(files/direct_storage ${on_cpu} ${tocuda} ${simulated} $<TARGET_FILE:tocuda_fake_cufile>)
tocuda_benchmark_test(host/host ${cuda} ${on_cpu} ${tocuda} ${simulated} ${forgetful})
foreach(test latency steps)
  tocuda_benchmark_test(latency/${test} ${on_cpu} ${cuda} ${tocuda} ${simulated})
endforeach()
# As `curve` below: with sanitizers a row of latency/under_load alone took more than 300 s.
set_tests_properties(benchmarks.steps PROPERTIES LABELS "without_libtorch;one_build")
foreach(test copy/boxes pairs/managed_pairs pairs/pairs)
  tocuda_benchmark_test(${test} ${on_cpu} ${tocuda} ${simulated} ${forgetful} $<TARGET_FILE:tocuda_staying>)
endforeach()
tocuda_benchmark_test(latency/flag ${on_cpu} ${tocuda} ${simulated} ${forgetful} $<TARGET_FILE:tocuda_staying> ${cuda})
foreach(test curve operations stream)
  tocuda_benchmark_test(memory/${test} ${on_cpu} ${cuda} ${tocuda} ${simulated})
endforeach()
# With sanitizers it took 307 s; kernels_test finds more in the same kernels.
set_tests_properties(benchmarks.curve PROPERTIES LABELS "without_libtorch;one_build")
foreach(test together verified)
  tocuda_benchmark_test(copy/${test})
  set_tests_properties(benchmarks.${test} PROPERTIES ENVIRONMENT TOCUDA_PROGRAM=${tocuda})
endforeach()
set_tests_properties(benchmarks.verified PROPERTIES COST 20 LABELS "without_libtorch;one_build")
# A worker like tocuda-cuda-simulated, with four benchmarks more.
file(GLOB added CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/tests/added/*.cpp)
add_executable(tocuda-added worker.cpp ${added} $<TARGET_OBJECTS:tocuda_kernels_simulated>
  $<TARGET_OBJECTS:tocuda_kernels_measured> $<TARGET_OBJECTS:tocuda_benchmarks>)
set_target_properties(tocuda-added PROPERTIES
  RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/added LINKER_LANGUAGE CXX)
target_include_directories(tocuda-added SYSTEM PRIVATE ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
target_link_libraries(tocuda-added PRIVATE tocuda_measurement_gpu Threads::Threads ${TOCUDA_TOOLKIT_CUDART}
  ${CMAKE_DL_LIBS} tocuda_warnings tocuda_sanitizers)
tocuda_compile_together(tocuda-added)
tocuda_quickly_built(tocuda-added)
tocuda_benchmark_test(tests/added $<TARGET_FILE_DIR:tocuda-added> ${tocuda})
