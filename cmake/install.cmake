# tocuda, Apache-2.0.
# What a user needs, without the tests: built by the target `programs`, and installed by `cmake --install` as a tree
# that can be moved (docs/install.md). LibTorch is not part of it: tocuda starts its workers with that of the user's
# Python. The target `programs_without_kernels` is what scenarios and programs on simulated GPUs need.
set(programs tocuda tocuda-torch tocuda-torch-without-cuda tocuda-cuda tocuda-cuda-simulated)
set(simulator tocuda_broken_driver tocuda_recorder tocuda_simulated_runtime tocuda_simulated_driver
  tocuda_simulated_management tocuda_simulated_blas tocuda_simulated_blas_lt tocuda_simulated_nccl tocuda_thread_end
  tocuda_computing)
add_custom_target(programs)
add_custom_target(programs_without_kernels)
foreach(target ${programs} ${simulator} tocuda_python tocuda_replay)
  if(TARGET ${target})
    add_dependencies(programs ${target})
    if(NOT target MATCHES "^tocuda-cuda")
      add_dependencies(programs_without_kernels ${target})
    endif()
  endif()
endforeach()

set(folder lib/tocuda)  # everything that belongs beside the program
foreach(program ${programs})
  if(NOT TARGET ${program})
    install(FILES ${CMAKE_BINARY_DIR}/${program}.left_out DESTINATION ${folder} OPTIONAL)
    continue()
  endif()
  # The runtime has a folder of its own, because tocuda-torch must get LibTorch's.
  set_target_properties(${program} PROPERTIES INSTALL_RPATH "$ORIGIN/lib")
  if(program MATCHES "^tocuda-cuda")
    set_target_properties(${program} PROPERTIES INSTALL_RPATH "$ORIGIN/lib:$ORIGIN/runtime")
  endif()
  install(TARGETS ${program} RUNTIME_DEPENDENCY_SET libraries RUNTIME DESTINATION ${folder})
endforeach()
# Nodes rarely have these libraries of the distribution.
install(RUNTIME_DEPENDENCY_SET libraries
  PRE_INCLUDE_REGEXES "^lib(benchmark|crypto|fmt|simdjson)[.]so" PRE_EXCLUDE_REGEXES .
  LIBRARY DESTINATION ${folder}/lib)
if(TARGET tocuda-cuda)
  file(REAL_PATH ${TOCUDA_TOOLKIT_CUDART} runtime)
  install(FILES ${runtime} DESTINATION ${folder}/runtime RENAME libcudart.so.13)
endif()

foreach(library ${simulator})
  if(TARGET ${library})
    get_target_property(place ${library} LIBRARY_OUTPUT_DIRECTORY)
    file(RELATIVE_PATH place ${CMAKE_BINARY_DIR} ${place})
    install(TARGETS ${library} LIBRARY DESTINATION ${folder}/${place})
  endif()
endforeach()
foreach(empty absent/libcuda.so.1 absent/libnvidia-ml.so.1 driver/libnvidia-ml.so.1)
  cmake_path(GET empty PARENT_PATH place)
  install(FILES ${CMAKE_BINARY_DIR}/simulator/${empty} DESTINATION ${folder}/simulator/${place})
endforeach()

if(TARGET tocuda_python)
  set(launched_by "/usr/bin/env -S \${TOCUDA_PYTHON} -B")  # never writes to the tree
  set(torch_parent "os.path.dirname(os.environ[\"TOCUDA_TORCH\"])")
  configure_file(harness/workers/worker_python/launcher.py.in ${CMAKE_BINARY_DIR}/generated/tocuda-python @ONLY)
  install(PROGRAMS ${CMAKE_BINARY_DIR}/generated/tocuda-python DESTINATION ${folder})
  install(DIRECTORY ${CMAKE_BINARY_DIR}/python DESTINATION ${folder} PATTERN __pycache__ EXCLUDE)
else()
  install(FILES ${CMAKE_BINARY_DIR}/tocuda-python.left_out DESTINATION ${folder} OPTIONAL)
endif()
install(DIRECTORY ${CMAKE_BINARY_DIR}/replay DESTINATION ${folder} PATTERN __pycache__ EXCLUDE)
if(TARGET tocuda-torch)
  file(STRINGS ${TOCUDA_TORCH}/version.py version REGEX "^__version__")
  string(REGEX MATCH "[0-9]+[.][0-9]+" version "${version}")
  file(WRITE ${CMAKE_BINARY_DIR}/generated/libtorch_version "${version}\n")
  install(FILES ${CMAKE_BINARY_DIR}/generated/libtorch_version scripts/set_up/installed_torch.py DESTINATION ${folder})
endif()
install(DIRECTORY simulator/profiles DESTINATION share/tocuda FILES_MATCHING PATTERN "*.json")
# What is normal for a GPU, for `tocuda compare NEW`.
install(DIRECTORY results DESTINATION share/tocuda FILES_MATCHING PATTERN "*.jsonl" PATTERN "numbers.json"
        PATTERN local EXCLUDE)
install(FILES LICENSE DESTINATION share/doc/tocuda)

# After the programs, whose RPATH was changed: descriptions with the digests of what is installed.
install(CODE "
  set(tocuda \"$<TARGET_FILE:tocuda>\")
  set(programs \"$<TARGET_FILE_DIR:tocuda>\")
  set(folder ${folder})")
install(SCRIPT cmake/install_written.cmake)
