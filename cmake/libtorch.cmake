# tocuda, Apache-2.0.
# Links LibTorch directly as the Python package brings it: find_package(Torch) takes 6 s, appends architectures that
# nvcc 13 refuses, and fails to link if an older system NCCL is found first.
if(NOT EXISTS ${TOCUDA_TORCH}/lib/libtorch_cuda.so)
  message(FATAL_ERROR "TOCUDA_TORCH=${TOCUDA_TORCH}: lib/libtorch_cuda.so not found: a CPU-only build, or not the "
    "folder of the Python package torch")
endif()
# LibTorch's CUDA headers need the toolkit's complete headers: the wheels lack crt/.
get_filename_component(compiler_folder "${CMAKE_CUDA_COMPILER}" DIRECTORY)
find_path(TOCUDA_CUDA_HEADERS crt/host_defines.h
  HINTS ${compiler_folder}/../include ${compiler_folder}/../targets/x86_64-linux/include)
add_library(tocuda_libtorch_headers INTERFACE)
if(TOCUDA_CUDA_HEADERS)
  target_include_directories(tocuda_libtorch_headers SYSTEM INTERFACE ${TOCUDA_CUDA_HEADERS})
endif()
target_include_directories(tocuda_libtorch_headers SYSTEM INTERFACE
  ${TOCUDA_TORCH}/include ${TOCUDA_TORCH}/include/torch/csrc/api/include)

# The same libraries twice. Nothing refers to a symbol of torch_cuda, so with --as-needed (the default of the compilers
# of some distributions) the linker drops it, which leaves a LibTorch without CUDA.
set(targets tocuda_libtorch tocuda_libtorch_without_cuda)
set(ways no-as-needed as-needed)
foreach(target way IN ZIP_LISTS targets ways)
  add_library(${target} INTERFACE)
  target_link_libraries(${target} INTERFACE tocuda_libtorch_headers)
  target_link_options(${target} INTERFACE -Wl,--${way} -Wl,--allow-shlib-undefined)
  foreach(library torch_cuda torch_cpu c10_cuda c10 torch)
    target_link_libraries(${target} INTERFACE ${TOCUDA_TORCH}/lib/lib${library}.so)
  endforeach()
endforeach()
