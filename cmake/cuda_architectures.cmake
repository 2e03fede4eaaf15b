# tocuda, Apache-2.0.
# The compute capabilities that kernels are compiled for.
set(TOCUDA_CUDA_ARCHITECTURES "" CACHE STRING "compute capabilities of the machine code, the last one also as PTX; \
all: every supported one, for what is installed elsewhere; empty: those of this machine's GPUs")

# Those of this machine's GPUs that nvcc can compile for: a V100 must not break the build.
function(tocuda_find_gpus result)
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
    OUTPUT_VARIABLE said ERROR_QUIET TIMEOUT 60)
  execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --list-gpu-arch OUTPUT_VARIABLE supported)
  string(REGEX MATCHALL "[0-9]+[.][0-9]+" found "${said}")
  list(TRANSFORM found REPLACE "[.]" "")
  list(REMOVE_DUPLICATES found)
  list(SORT found COMPARE NATURAL)
  string(REGEX MATCHALL "[0-9]+" supported "${supported}")
  set(both "")
  foreach(capability IN LISTS found)
    if(capability IN_LIST supported)
      list(APPEND both ${capability})
    endif()
  endforeach()
  set(${result} "${both}" PARENT_SCOPE)
endfunction()

# Compiling for every GPU takes as long as everything else together. Without a GPU 9.0 comes last, because its PTX also
# runs on whatever lies between it and 12.0.
function(tocuda_choose_architectures result)
  set(chosen ${TOCUDA_CUDA_ARCHITECTURES})
  if("${chosen}" STREQUAL all)
    set(chosen 75 80 86 89 90 100 110 120)
  elseif("${chosen}" STREQUAL "")
    tocuda_find_gpus(chosen)
    if(NOT chosen)
      set(chosen 120 90)
      message(STATUS "no GPU was found that kernels can be compiled for: they are compiled for compute capability 9.0 \
and newer; TOCUDA_CUDA_ARCHITECTURES=all adds the older ones")
    endif()
  endif()
  message(STATUS "tocuda-cuda: compute capabilities ${chosen}")
  set(${result} "${chosen}" PARENT_SCOPE)
endfunction()
