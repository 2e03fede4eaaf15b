# tocuda, Apache-2.0.
# The simulated runtime, driver and NVML, and the recorder. They need the real runtime's list of names and CUDA's
# headers.
get_filename_component(beside_torch "${TOCUDA_TORCH}" DIRECTORY)
find_program(TOCUDA_NVCC nvcc PATHS /usr/local/cuda/bin)
if(TOCUDA_NVCC)
  get_filename_component(toolkit "${TOCUDA_NVCC}" REALPATH)
  get_filename_component(toolkit "${toolkit}/../.." ABSOLUTE)
endif()
# Prefer the runtime that LibTorch brought: it has every name that LibTorch may look up.
set(runtime_places "")
if(TOCUDA_TORCH)
  file(GLOB runtime_places ${beside_torch}/nvidia/*/lib)
endif()
# A folder that was configured for another LibTorch has cached what lay beside that one.
if(DEFINED TOCUDA_LOOKED_BESIDE AND NOT TOCUDA_LOOKED_BESIDE STREQUAL beside_torch)
  foreach(found CUDART CUBLAS CUBLASLT CUBLAS_HEADER NCCL NCCL_INCLUDE CUDA_INCLUDE)
    unset(TOCUDA_${found} CACHE)
  endforeach()
endif()
set(TOCUDA_LOOKED_BESIDE "${beside_torch}" CACHE INTERNAL "The packages of the LibTorch that this was configured for")
find_file(TOCUDA_CUDART libcudart.so.13
  PATHS ${runtime_places} ${toolkit}/lib64 ${toolkit}/lib ${toolkit}/targets/x86_64-linux/lib NO_DEFAULT_PATH)
# The wheels lack some headers that the toolkit and Triton have.
find_path(TOCUDA_CUDA_INCLUDE crt/host_defines.h
  PATHS ${toolkit}/include ${toolkit}/targets/x86_64-linux/include ${beside_torch}/triton/backends/nvidia/include
  NO_DEFAULT_PATH)

if(NOT TOCUDA_CUDART OR NOT TOCUDA_CUDA_INCLUDE)
  message(STATUS "tocuda: simulated GPUs are not built: libcudart.so.13 or CUDA's headers were found neither beside "
    "LibTorch nor in a CUDA toolkit")
  return()
endif()
message(STATUS "tocuda: simulated GPUs export the names of ${TOCUDA_CUDART}")

set(generated ${CMAKE_CURRENT_BINARY_DIR}/generated)
file(MAKE_DIRECTORY ${generated})
add_executable(tocuda_error_texts error_texts_main.cpp)
target_link_libraries(tocuda_error_texts PRIVATE tocuda_warnings ${CMAKE_DL_LIBS})
add_custom_command(OUTPUT ${generated}/error_texts.inc
  COMMAND tocuda_error_texts ${TOCUDA_CUDART} ${generated}/error_texts.inc
  DEPENDS tocuda_error_texts ${TOCUDA_CUDART} VERBATIM)
add_custom_command(OUTPUT ${generated}/names.cpp
  COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DLIBRARY=${TOCUDA_CUDART} "-DPREFIX=(__)?cuda"
          -DDRIVER_HEADER=${TOCUDA_CUDA_INCLUDE}/cuda.h -DCALLED=tocuda_simulation_unsupported
          -DOUTPUT=${generated}/names.cpp -DNAMES=${generated}/runtime_names.txt
          -P ${CMAKE_CURRENT_SOURCE_DIR}/names.cmake
  DEPENDS ${TOCUDA_CUDART} names.cmake VERBATIM)

file(GLOB runtime_sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} runtime/*.cpp)
list(FILTER runtime_sources EXCLUDE REGEX "(_test|libcuda)\\.cpp$")
set(runtime_sources ${runtime_sources} settings/simulation_file.cpp
  ${generated}/error_texts.inc ${generated}/names.cpp)

tocuda_simulator_library(tocuda_simulated_runtime libcudart.so.13 simulated
  EXPORTS runtime/runtime.map SOURCES ${runtime_sources})
target_include_directories(tocuda_simulated_runtime PRIVATE ${generated})
target_include_directories(tocuda_simulated_runtime SYSTEM PRIVATE ${TOCUDA_CUDA_INCLUDE})
# It declares the runtime's functions with other types than the headers do.
set_source_files_properties(${generated}/names.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
tocuda_compile_together(tocuda_simulated_runtime)
tocuda_read_once(tocuda_simulated_runtime <cuda_runtime_api.h> <condition_variable> <deque> <mutex>)
target_link_libraries(tocuda_simulated_runtime PRIVATE Threads::Threads ${CMAKE_DL_LIBS})

tocuda_simulator_library(tocuda_simulated_driver libcuda.so.1 simulated
  EXPORTS runtime/libcuda.map SOURCES runtime/libcuda.cpp)
target_link_options(tocuda_simulated_driver PRIVATE -Wl,--no-as-needed)
target_link_libraries(tocuda_simulated_driver PRIVATE tocuda_simulated_runtime)
set_target_properties(tocuda_simulated_driver PROPERTIES INSTALL_RPATH $ORIGIN)

tocuda_simulator_library(tocuda_simulated_management libnvidia-ml.so.1 simulated EXPORTS nvml/management.map
  SOURCES nvml/management.cpp nvml/telemetry.cpp nvml/readings.cpp settings/simulation_file.cpp)
tocuda_compile_together(tocuda_simulated_management)
target_link_libraries(tocuda_simulated_management PRIVATE ${CMAKE_DL_LIBS})

file(GLOB recorder_sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} recorder/*.cpp)
list(FILTER recorder_sources EXCLUDE REGEX "_test\\.cpp$")
tocuda_simulator_library(tocuda_recorder libtocuda_recorder.so recorder
  EXPORTS recorder/recorder.map SOURCES ${recorder_sources})
target_include_directories(tocuda_recorder SYSTEM PRIVATE ${TOCUDA_CUDA_INCLUDE})
tocuda_compile_together(tocuda_recorder)
target_link_libraries(tocuda_recorder PRIVATE ${CMAKE_DL_LIBS})

include(blas.cmake)
include(computing.cmake)
include(collectives.cmake)

# A program that is linked with the simulated runtime.
function(tocuda_simulated_program target)
  add_executable(${target} ${ARGN})
  target_include_directories(${target} SYSTEM PRIVATE ${TOCUDA_CUDA_INCLUDE})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE tocuda_warnings tocuda_simulated_runtime Threads::Threads ${CMAKE_DL_LIBS})
endfunction()

if(BUILD_TESTING AND NOT TOCUDA_SANITIZE)
  include(tests.cmake)
endif()
