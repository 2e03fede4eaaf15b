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

foreach(library blas blas_lt)
  set(real ${TOCUDA_CUBLAS})
  set(name libcublas.so.13)
  if(library STREQUAL "blas_lt")
    set(real ${TOCUDA_CUBLASLT})
    set(name libcublasLt.so.13)
  endif()
  add_custom_command(OUTPUT ${generated}/${library}_names.cpp
    COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DLIBRARY=${real} -DOUTPUT=${generated}/${library}_names.cpp
            -P ${CMAKE_CURRENT_SOURCE_DIR}/blas_names.cmake
    DEPENDS ${real} blas_names.cmake VERBATIM)
  tocuda_simulator_library(tocuda_simulated_${library} ${name} simulated SONAME ${name}
    EXPORTS ${CMAKE_CURRENT_SOURCE_DIR}/blas/${library}.map
    SOURCES blas/${library}.cpp blas/blas_call.cpp ${generated}/${library}_names.cpp)
  target_compile_definitions(tocuda_simulated_${library} PRIVATE TOCUDA_BLAS_VERSION=${blas_version})
  target_link_libraries(tocuda_simulated_${library} PRIVATE ${CMAKE_DL_LIBS})
endforeach()
