# tocuda, Apache-2.0.
# The simulated cuBLAS: computes nothing, so that whole training scripts run and their memory can be measured.
find_file(TOCUDA_CUBLAS libcublas.so.13 PATHS ${runtime_places} ${toolkit}/lib64 ${toolkit}/lib NO_DEFAULT_PATH)
find_file(TOCUDA_CUBLASLT libcublasLt.so.13 PATHS ${runtime_places} ${toolkit}/lib64 ${toolkit}/lib NO_DEFAULT_PATH)
find_file(TOCUDA_CUBLAS_HEADER cublas_api.h
  PATHS ${runtime_places} ${toolkit} PATH_SUFFIXES ../include include NO_DEFAULT_PATH)
if(NOT TOCUDA_CUBLAS OR NOT TOCUDA_CUBLASLT OR NOT TOCUDA_CUBLAS_HEADER)
  message(STATUS "tocuda: simulated cuBLAS is not built: the real cuBLAS was not found")
  return()
endif()
file(STRINGS ${TOCUDA_CUBLAS_HEADER} version_lines REGEX "define CUBLAS_VER_(MAJOR|MINOR|PATCH) ")
string(REGEX MATCHALL "[0-9]+" version_parts "${version_lines}")
list(GET version_parts 0 major)
list(GET version_parts 1 minor)
list(GET version_parts 2 patch)
math(EXPR blas_version "${major} * 10000 + ${minor} * 100 + ${patch}")

set(libraries blas blas_lt)
set(reals ${TOCUDA_CUBLAS} ${TOCUDA_CUBLASLT})
foreach(library real IN ZIP_LISTS libraries reals)
  get_filename_component(name ${real} NAME)
  add_custom_command(OUTPUT ${generated}/${library}_names.cpp
    COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DLIBRARY=${real} -DPREFIX=cublas -DCALLED=tocuda_blas_called
            -DOUTPUT=${generated}/${library}_names.cpp -P ${CMAKE_CURRENT_SOURCE_DIR}/names.cmake
    DEPENDS ${real} names.cmake VERBATIM)
  tocuda_simulator_library(tocuda_simulated_${library} ${name} simulated
    EXPORTS blas/${library}.map SOURCES blas/blas.cpp ${generated}/${library}_names.cpp)
  target_compile_definitions(tocuda_simulated_${library} PRIVATE TOCUDA_BLAS_VERSION=${blas_version})
  target_link_libraries(tocuda_simulated_${library} PRIVATE ${CMAKE_DL_LIBS})
endforeach()
