# tocuda, Apache-2.0.
# The compute capabilities that kernels are compiled for.
set(TOCUDA_CUDA_ARCHITECTURES "" CACHE STRING "compute capabilities of the machine code, the last one also as PTX; \
all: every supported one, for what is installed elsewhere; empty: those of this machine's GPUs")

# Those of this machine's GPUs as nvidia-smi or the driver says them, 9.0 as 90.
function(tocuda_find_gpus result)
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
    OUTPUT_VARIABLE said ERROR_QUIET TIMEOUT 60)
  string(REGEX MATCHALL "[0-9]+[.][0-9]+" found "${said}")
  list(TRANSFORM found REPLACE "[.]" "")
  if(NOT found)
    set(python ${TOCUDA_PYTHON})
    if(NOT python)
      set(python python3)
    endif()
    set(script ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../scripts/set_up/compute_capabilities.py)
    execute_process(COMMAND ${python} -E ${script} OUTPUT_VARIABLE said ERROR_QUIET TIMEOUT 60)
    string(REGEX MATCHALL "[0-9]+" found "${said}")
  endif()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

# The newest architecture that nvcc knows for each of these GPUs: the driver compiles its PTX for a newer GPU. One older
# than all of them, such as a V100, gets no kernels and does not break the build. 9.0 alone has instructions that no
# other GPU has (wgmma): they need 90a.
function(tocuda_nearest_known result)
  execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --list-gpu-arch OUTPUT_VARIABLE said)
  string(REGEX MATCHALL "[0-9]+" known "${said}")
  list(SORT known COMPARE NATURAL)
  set(chosen "")
  foreach(gpu IN LISTS ARGN)
    set(nearest "")
    foreach(one IN LISTS known)
      if(NOT one GREATER gpu)
        set(nearest ${one})
      endif()
    endforeach()
    if(gpu EQUAL 90 AND nearest EQUAL 90)
      set(nearest 90a)
    endif()
    list(APPEND chosen ${nearest})
  endforeach()
  list(REMOVE_DUPLICATES chosen)
  list(SORT chosen COMPARE NATURAL)
  set(${result} "${chosen}" PARENT_SCOPE)
endfunction()

# Compiling for every GPU takes as long as everything else together. Without a GPU 9.0 comes last, because its PTX also
# runs on whatever lies between it and 12.0.
function(tocuda_choose_architectures result)
  set(chosen ${TOCUDA_CUDA_ARCHITECTURES})
  if("${chosen}" STREQUAL all)
    set(chosen 75 80 86 89 90 100 110 120)
  elseif("${chosen}" STREQUAL "")
    tocuda_find_gpus(gpus)
    tocuda_nearest_known(chosen ${gpus})
    if(NOT chosen)
      set(chosen 120 90)
      message(STATUS "no GPU was found that kernels can be compiled for: they are compiled for compute capability 9.0 \
and newer; TOCUDA_CUDA_ARCHITECTURES=all adds the older ones")
    endif()
  endif()
  message(STATUS "tocuda-cuda: compute capabilities ${chosen}")
  set(${result} "${chosen}" PARENT_SCOPE)
endfunction()
