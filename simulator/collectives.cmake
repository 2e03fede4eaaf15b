# tocuda, Apache-2.0.
# The simulated NCCL: collectives between simulated GPUs of one process or of several on one machine.
find_path(TOCUDA_NCCL_INCLUDE nccl.h PATHS ${runtime_places} PATH_SUFFIXES ../include NO_DEFAULT_PATH)
find_file(TOCUDA_NCCL libnccl.so.2 PATHS ${runtime_places} NO_DEFAULT_PATH)
if(NOT TOCUDA_NCCL OR NOT TOCUDA_NCCL_INCLUDE)
  message(STATUS "tocuda: simulated NCCL is not built: the real NCCL was not found beside LibTorch")
  return()
endif()
file(STRINGS ${TOCUDA_NCCL_INCLUDE}/nccl.h version_line REGEX "define NCCL_VERSION_CODE ")
string(REGEX MATCH "[0-9]+" nccl_version "${version_line}")

add_custom_command(OUTPUT ${generated}/nccl_names.cpp
  COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DLIBRARY=${TOCUDA_NCCL} -DPREFIX=p?nccl -DCALLED=tocuda_nccl_called
          -DOUTPUT=${generated}/nccl_names.cpp -P ${CMAKE_CURRENT_SOURCE_DIR}/names.cmake
  DEPENDS ${TOCUDA_NCCL} names.cmake VERBATIM)
set(collectives_sources collectives/reduction.cpp collectives/board.cpp collectives/communicator.cpp
  collectives/group.cpp collectives/split.cpp collectives/api_communicator.cpp collectives/api_collective.cpp)
tocuda_simulator_library(tocuda_simulated_nccl libnccl.so.2 simulated
  EXPORTS collectives/collectives.map SOURCES ${collectives_sources} ${generated}/nccl_names.cpp)
target_include_directories(tocuda_simulated_nccl SYSTEM PRIVATE ${TOCUDA_NCCL_INCLUDE} ${TOCUDA_CUDA_INCLUDE})
target_compile_definitions(tocuda_simulated_nccl PRIVATE TOCUDA_NCCL_VERSION=${nccl_version})
set_source_files_properties(${generated}/nccl_names.cpp PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
tocuda_compile_together(tocuda_simulated_nccl)
target_link_libraries(tocuda_simulated_nccl PRIVATE tocuda_simulated_runtime Threads::Threads)
set_target_properties(tocuda_simulated_nccl PROPERTIES INSTALL_RPATH $ORIGIN)
