# tocuda, Apache-2.0.
# All of set-up in its order, under locks: one for the prefix, one for the folder that is built in.
# shellcheck shell=bash

set -Eeuo pipefail
for part in talk step distribution python plotting cuda tools packages build; do
  # shellcheck source=/dev/null
  . "$set_up/$part.bash"
done

# A shared prefix that is complete may be read-only.
lock_prefix() {
  if [[ ! -d $prefix || -w $prefix ]]; then
    lock "$prefix/.lock" "sets up in $prefix"
    rm -rf "$prefix/.staging"
  fi
}

lock_leg() { lock "$leg_folder/.lock" "builds in $leg_folder"; }

announce() {
  if [[ -f $leg_folder/.built ]]; then
    say "sources or settings have changed: building again"
  else
    say "setting up and building, once; what is not the system's own goes to $prefix"
  fi
}

bring_everything() {  # leg, ON for tests
  lock_prefix
  check_cxx_compiler
  choose_python
  choose_tools
  choose_packages
  if [[ $1 == clang ]]; then
    choose_clang
  fi
  choose_compiler
  cuobjdump=""
  if [[ $2 == ON ]]; then
    choose_cuobjdump
    choose_plotting
  fi
  choose_torch
  if [[ -w $prefix ]]; then
    rm -rf "$prefix/.staging"
  fi
}

# Leaves the tools and folders chosen in the caller's variables, the leg built, and no lock held.
set_up_and_build() {  # leg, ON for tests
  local tests=$2
  catch_signals_and_errors
  clean_environment
  if [[ $tests == OFF ]] && configured_with_tests; then
    tests=ON
  fi
  if ! is_current; then
    announce
  fi
  bring_everything "$1" "$tests"
  lock_leg
  build "$1" "$tests" "$2"
  exec 9>&-
  trap - ERR INT TERM HUP
}
