# tocuda, Apache-2.0.
# Run by the build: writes a weak function for each name that a library of NVIDIA's exports; names that the simulated
# library defines itself take precedence.
execute_process(COMMAND ${NM} -D --defined-only ${LIBRARY} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL " T cublas[A-Za-z0-9_]+" names "${symbols}")
list(TRANSFORM names REPLACE "^ T " "")
list(REMOVE_DUPLICATES names)
set(text "// Written by blas_names.cmake at build time.\nextern \"C\" {\nint tocuda_blas_called(const char* name);\n")
foreach(name IN LISTS names)
  string(APPEND text "__attribute__((weak)) int ${name}() { return tocuda_blas_called(\"${name}\"); }\n")
endforeach()
file(WRITE ${OUTPUT} "${text}}\n")
