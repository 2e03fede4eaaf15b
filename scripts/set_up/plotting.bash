# tocuda, Apache-2.0.
# What scripts/plot draws with, where Python has no matplotlib that works.
# shellcheck shell=bash

python_can_draw() {
  PYTHONPATH="$prefix/plotting${PYTHONPATH:+:$PYTHONPATH}" "$python" -B "$repository/scripts/plotting" --can-draw >/dev/null 2>&1
}

choose_plotting() {
  local key
  key="$(requirement_key "$set_up/plotting.txt")$python_tag"
  if python_can_draw; then
    return
  fi
  if [[ -n ${TOCUDA_PACKAGES:-} ]]; then
    say "matplotlib: not here, and nothing is fetched where packages are carried: nothing can be drawn"
    return
  fi
  pip_fill "matplotlib" plotting "$key" 300 -r "$set_up/plotting.txt"
  step_end plotting "$key"
}

# All that a picture needs: no compiler, no LibTorch.
set_up_plotting() {
  catch_signals_and_errors
  choose_python
  lock_prefix
  choose_plotting
  rm -rf "$prefix/.staging"
  exec 9>&-
}
