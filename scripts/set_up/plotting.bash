# tocuda, Apache-2.0.
# matplotlib for scripts/plot, if Python has none that works.
# shellcheck shell=bash

python_can_draw() {
  PYTHONPATH="$prefix/plotting${PYTHONPATH:+:$PYTHONPATH}" "$python" -B "$repository/scripts/plotting" --can-draw \
    >/dev/null 2>&1
}

choose_plotting() {
  local key
  key="$(requirement_key "$set_up/plotting.txt")$python_tag"
  if python_can_draw; then
    return
  fi
  if [[ -n ${TOCUDA_PACKAGES:-} ]]; then
    say "matplotlib: not found, and nothing is downloaded with TOCUDA_PACKAGES: nothing can be drawn"
    return
  fi
  pip_fill "matplotlib" plotting "$key" 300 -r "$set_up/plotting.txt"
  step_end plotting "$key"
}

# Sets up only what drawing needs: no compiler, no LibTorch.
set_up_plotting() {
  catch_signals_and_errors
  choose_python
  lock_prefix
  choose_plotting
  rm -rf "$prefix/.staging"
  exec 9>&-
}
