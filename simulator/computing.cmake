# tocuda, Apache-2.0.
# The library that computes LibTorch's operators on simulated GPUs: one for each version of LibTorch, because its
# classes differ. The simulated runtime finds it beside itself.
if(NOT TOCUDA_TORCH)
  return()
endif()
file(STRINGS ${TOCUDA_TORCH}/version.py torch_version REGEX "^__version__")
string(REGEX MATCH "[0-9]+[.][0-9]+" torch_version "${torch_version}")
file(GLOB computing_sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} computing/*.cpp)
list(FILTER computing_sources EXCLUDE REGEX "_test\\.cpp$")
tocuda_simulator_library(tocuda_computing libtocuda_computing-${torch_version}.so simulated
  EXPORTS computing/computing.map SOURCES ${computing_sources})
# LibTorch's classes have other members without it.
target_compile_definitions(tocuda_computing PRIVATE NDEBUG)
target_include_directories(tocuda_computing SYSTEM PRIVATE
  ${TOCUDA_TORCH}/include ${TOCUDA_TORCH}/include/torch/csrc/api/include ${TOCUDA_CUDA_INCLUDE})
target_link_options(tocuda_computing PRIVATE -L${TOCUDA_TORCH}/lib -Wl,--allow-shlib-undefined)
target_link_libraries(tocuda_computing PRIVATE tocuda_simulated_runtime -ltorch_cuda -ltorch_cpu -lc10_cuda -lc10)
tocuda_compile_together(tocuda_computing)
tocuda_read_once(tocuda_computing <ATen/core/dispatch/Dispatcher.h> <ATen/core/Tensor.h>)
