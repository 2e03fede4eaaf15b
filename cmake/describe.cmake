# tocuda, Apache-2.0.
# Writes a worker's description: `describe` runs once after the worker is linked, and its output is kept beside it, so
# that `list` never loads LibTorch.
function(tocuda_describe worker)
  add_custom_command(TARGET ${worker} POST_BUILD
    COMMAND sh -c "\"$1\" describe 3>\"$1.describe.jsonl.new\" && mv \"$1.describe.jsonl.new\" \"$1.describe.jsonl\""
      sh $<TARGET_FILE:${worker}>
    VERBATIM)
endfunction()
