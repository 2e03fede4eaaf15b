# tocuda, Apache-2.0.
# LibTorch as the Python package brings it, linked directly: find_package(Torch) takes 6 s, appends architectures that nvcc 13 refuses,
# and fails to link where an older system NCCL is found first.
if(NOT EXISTS ${TOCUDA_TORCH}/lib/libtorch_cuda.so)
  message(FATAL_ERROR "TOCUDA_TORCH=${TOCUDA_TORCH}: no lib/libtorch_cuda.so there (a CPU-only build, or not the folder of the package torch)")
endif()
# LibTorch's CUDA headers need the toolkit's, whole: the wheels bring them without crt/.
get_filename_component(compiler_folder "${CMAKE_CUDA_COMPILER}" DIRECTORY)
find_path(TOCUDA_CUDA_HEADERS crt/host_defines.h
  HINTS ${compiler_folder}/../include ${compiler_folder}/../targets/x86_64-linux/include)
add_library(tocuda_libtorch INTERFACE)
if(TOCUDA_CUDA_HEADERS)
  target_include_directories(tocuda_libtorch SYSTEM INTERFACE ${TOCUDA_CUDA_HEADERS})
endif()
target_include_directories(tocuda_libtorch SYSTEM INTERFACE
  ${TOCUDA_TORCH}/include ${TOCUDA_TORCH}/include/torch/csrc/api/include)
target_link_directories(tocuda_libtorch INTERFACE ${TOCUDA_TORCH}/lib)
target_link_options(tocuda_libtorch INTERFACE
  -Wl,--no-as-needed -Wl,--allow-shlib-undefined -Wl,-rpath,${TOCUDA_TORCH}/lib)
target_link_libraries(tocuda_libtorch INTERFACE torch_cuda torch_cpu c10_cuda c10 torch)
