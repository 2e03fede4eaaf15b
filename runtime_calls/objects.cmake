# tocuda, Apache-2.0.
# Compiles runtime_calls/ once for both CUDA workers, with the C++ compiler and only the headers of the CUDA runtime.
# Included by kernels/.
file(GLOB tocuda_runtime_calls_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/runtime_calls/*.cpp)
list(FILTER tocuda_runtime_calls_sources EXCLUDE REGEX "_test\\.cpp$")
add_library(tocuda_runtime_calls OBJECT ${tocuda_runtime_calls_sources})
target_include_directories(tocuda_runtime_calls PRIVATE ${CMAKE_SOURCE_DIR})
tocuda_compile_together(tocuda_runtime_calls)
target_link_libraries(tocuda_runtime_calls PRIVATE
  tocuda_measurement_gpu tocuda_warnings tocuda_sanitizers Threads::Threads)

# Tests preload these libraries, so they are never instrumented.
if(BUILD_TESTING)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  foreach(name forgetful staying)
    add_library(tocuda_${name} MODULE ${CMAKE_SOURCE_DIR}/runtime_calls/tests/${name}.cpp)
    target_include_directories(tocuda_${name} SYSTEM PRIVATE ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
    target_link_libraries(tocuda_${name} PRIVATE tocuda_warnings ${CMAKE_DL_LIBS})
    set_target_properties(tocuda_${name} PROPERTIES PREFIX ""
      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
  endforeach()
  set(tocuda_simulated_folder "")
  if(TARGET tocuda_simulated_runtime)
    set(tocuda_simulated_folder $<TARGET_FILE_DIR:tocuda_simulated_runtime> $<TARGET_FILE:tocuda_forgetful>)
  endif()
  add_test(NAME runtime_calls.worker COMMAND Python3::Interpreter ${CMAKE_SOURCE_DIR}/runtime_calls/worker_test.py
    $<TARGET_FILE:tocuda-cuda-simulated> $<TARGET_FILE:tocuda> ${tocuda_simulated_folder})
  set_tests_properties(runtime_calls.worker PROPERTIES COST 15)
  add_test(NAME runtime_calls.host COMMAND Python3::Interpreter -B ${CMAKE_SOURCE_DIR}/runtime_calls/host_test.py
    $<TARGET_FILE:tocuda-cuda> $<TARGET_FILE:tocuda-cuda-simulated> $<TARGET_FILE:tocuda>
    ${tocuda_simulated_folder})
  if(TARGET tocuda_simulated_runtime)
    add_test(NAME runtime_calls.calls COMMAND Python3::Interpreter -B ${CMAKE_SOURCE_DIR}/runtime_calls/calls_test.py
      $<TARGET_FILE:tocuda-cuda-simulated> $<TARGET_FILE:tocuda> ${tocuda_simulated_folder}
      $<TARGET_FILE:tocuda-cuda>)
    add_library(tocuda_mig MODULE ${CMAKE_SOURCE_DIR}/runtime_calls/tests/mig.cpp)
    target_include_directories(tocuda_mig SYSTEM PRIVATE ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
    target_link_libraries(tocuda_mig PRIVATE tocuda_warnings ${CMAKE_DL_LIBS})
    set_target_properties(tocuda_mig PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
    add_test(NAME runtime_calls.memory_kinds COMMAND Python3::Interpreter -B
      ${CMAKE_SOURCE_DIR}/runtime_calls/memory_kinds_test.py $<TARGET_FILE:tocuda-cuda-simulated>
      $<TARGET_FILE:tocuda-cuda> $<TARGET_FILE:tocuda> ${tocuda_simulated_folder} $<TARGET_FILE:tocuda_mig>)
    add_library(tocuda_lying_cache MODULE ${CMAKE_SOURCE_DIR}/runtime_calls/tests/lying_cache.cpp)
    target_link_libraries(tocuda_lying_cache PRIVATE tocuda_warnings ${CMAKE_DL_LIBS})
    set_target_properties(tocuda_lying_cache PROPERTIES PREFIX ""
      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY})
    add_test(NAME runtime_calls.load COMMAND Python3::Interpreter -B ${CMAKE_SOURCE_DIR}/runtime_calls/load_test.py
      $<TARGET_FILE:tocuda-cuda-simulated> $<TARGET_FILE:tocuda> $<TARGET_FILE_DIR:tocuda_simulated_runtime>
      $<TARGET_FILE:tocuda_lying_cache>)
    # In a folder of its own, so that no program finds it unless it is preloaded.
    add_library(tocuda_fake_cufile MODULE ${CMAKE_SOURCE_DIR}/runtime_calls/tests/fake_cufile.cpp)
    target_include_directories(tocuda_fake_cufile SYSTEM PRIVATE ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
    target_link_libraries(tocuda_fake_cufile PRIVATE tocuda_warnings ${CMAKE_DL_LIBS})
    target_link_options(tocuda_fake_cufile PRIVATE -Wl,-soname,libcufile.so.0)
    set_target_properties(tocuda_fake_cufile PROPERTIES PREFIX ""
      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/fake_cufile)
    add_test(NAME runtime_calls.direct_storage COMMAND Python3::Interpreter -B
      ${CMAKE_SOURCE_DIR}/runtime_calls/direct_storage_test.py $<TARGET_FILE:tocuda-cuda-simulated>
      $<TARGET_FILE:tocuda> $<TARGET_FILE_DIR:tocuda_simulated_runtime> $<TARGET_FILE:tocuda_fake_cufile>)
    foreach(test together verified)
      add_test(NAME runtime_calls.${test} COMMAND Python3::Interpreter -B
        ${CMAKE_SOURCE_DIR}/runtime_calls/${test}_test.py)
      set_tests_properties(runtime_calls.${test} PROPERTIES ENVIRONMENT TOCUDA_PROGRAM=$<TARGET_FILE:tocuda>)
    endforeach()
    set_tests_properties(runtime_calls.verified PROPERTIES COST 20 LABELS "without_libtorch;one_build")
  endif()
  foreach(test worker host calls memory_kinds load direct_storage together)
    if(TEST runtime_calls.${test})
      set_tests_properties(runtime_calls.${test} PROPERTIES LABELS without_libtorch)
    endif()
  endforeach()
endif()
