# tocuda, Apache-2.0.
# Sets `result` to the options in ARGN if this is a compiler that the tests are run with, otherwise to nothing: warnings
# that only another compiler has must not end the build of somebody who cannot mend them.
function(tocuda_errors result compiler version)
  set(before_GNU 13)
  set(before_Clang 15)
  set(before_NVIDIA 13.1)
  if(before_${compiler} AND version VERSION_LESS before_${compiler})
    set(${result} "${ARGN}" PARENT_SCOPE)
  else()
    set(${result} "" PARENT_SCOPE)
  endif()
endfunction()
