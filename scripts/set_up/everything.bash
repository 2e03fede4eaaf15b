# tocuda, Apache-2.0.
# Runs all of set-up in order, under two locks: one for the prefix, one for the build folder.
# shellcheck shell=bash

set -Eeuo pipefail
for part in talk step distribution python cuda tools packages build; do
  # shellcheck source=/dev/null
  . "$set_up/$part.bash"
done

# A complete shared prefix may be read-only; it is then not locked.
lock_prefix() {
  if [[ ! -d $prefix || -w $prefix ]]; then
    lock "$prefix/.lock" "is setting up $prefix"
    rm -rf "$prefix/.staging"
  fi
}

lock_leg() { lock "$leg_folder/.lock" "is building in $leg_folder"; }

announce() {
  if [[ -f $leg_folder/.built ]]; then
    say "sources or settings have changed: building again"
  else
    say "setting up and building, only this once; downloads go to $prefix"
  fi
}

bring_everything() {  # ON for tests
  lock_prefix
  check_cxx_compiler
  choose_python
  choose_tools
  choose_packages
  choose_compiler
  cuobjdump=""
  if [[ $1 == ON ]]; then
    choose_cuobjdump
    choose_plotting
    choose_pytest
  fi
  choose_torch
  if [[ -w $prefix ]]; then
    rm -rf "$prefix/.staging"
  fi
}

# Compiles doctor alone, without a library, CMake or Python. Returns 1 if this compiler cannot.
set_up_doctor() {
  local jobs log
  catch_signals_and_errors
  clean_environment
  check_cxx_compiler
  jobs=$(build_jobs) || exit
  say "compiling doctor, only this once; nothing is downloaded (40 CPU seconds where this was measured)"
  lock_leg
  touch "$leg_folder/.started"
  log=$leg_folder/doctor.log
  if ! run_logged "compiling doctor" "$log" "$set_up/compile_doctor" "$leg_folder/doctor" "$jobs"; then
    say "${CXX:-c++} does not compile doctor alone (log: $log)"
    return 1
  fi
  printf '%s\n' "${CXX:-}" >"$leg_folder/.doctor_built"
  touch -r "$leg_folder/.started" "$leg_folder/.doctor_built"
}

# Afterwards the caller's variables hold the chosen tools and folders, the leg is built, and no lock is held.
set_up_and_build() {  # leg, ON for tests
  local tests=$2
  catch_signals_and_errors
  clean_environment
  if [[ $tests == OFF ]] && configured_with_tests; then
    tests=ON
  fi
  if ! is_current everything; then
    announce
  fi
  bring_everything "$tests"
  lock_leg
  build "$1" "$tests" "$2"
  exec 9>&-
  trap - ERR INT TERM HUP
}
