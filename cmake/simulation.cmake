# tocuda, Apache-2.0.
# Simulated GPUs for a test, made when everything is built: SPEC as --simulate takes it, FILE for TOCUDA_SIMULATION. A
# profile that SPEC names stands behind them.
function(tocuda_simulation target file spec)
  add_custom_command(OUTPUT ${file}
    COMMAND sh -c "\"$1\" __simulation \"$2\" > \"$3\"" sh $<TARGET_FILE:tocuda> ${spec} ${file}
    DEPENDS tocuda ${ARGN} VERBATIM)
  add_custom_target(${target} ALL DEPENDS ${file})
endfunction()
