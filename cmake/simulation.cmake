# tocuda, Apache-2.0.
# Writes the file of a simulated machine for a test at build time: FILE for TOCUDA_SIMULATION, SPEC as --simulate takes
# it. Profiles that SPEC names follow as further arguments, as dependencies.
function(tocuda_simulation target file spec)
  add_custom_command(OUTPUT ${file}
    COMMAND sh -c "\"$1\" __simulation \"$2\" > \"$3\"" sh $<TARGET_FILE:tocuda> ${spec} ${file}
    DEPENDS tocuda ${ARGN} VERBATIM)
  add_custom_target(${target} ALL DEPENDS ${file})
endfunction()
