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

in_words() { [[ -n $1 ]] && echo "'$1'" || echo unset; }

# Names the first setting that differs from those of the last build.
what_changed() {  # the settings of the last build
  local names now before i
  names=(TOCUDA_PREFIX TOCUDA_PYTHON TOCUDA_TORCH_VERSION TOCUDA_CUDA TOCUDA_CUDA_ARCHITECTURES CXX TOCUDA_PACKAGES
    TOCUDA_COMMIT)
  IFS='|' read -ra now <<<"$settings|"
  IFS='|' read -ra before <<<"$1|"
  if ((${#before[@]} == ${#now[@]})); then
    for i in "${!names[@]}"; do
      if [[ ${now[i]} != "${before[i]}" ]]; then
        echo "${names[i]} was $(in_words "${before[i]}"), is $(in_words "${now[i]}")"
        return
      fi
    done
  fi
  echo "sources have changed, or the last build did not end"
}

announce() {  # everything, libtorch, kernels or program
  local stamp=.built
  [[ $1 == everything ]] || stamp=.$1_built
  if [[ -f $leg_folder/$stamp ]]; then
    say "$(what_changed "$(head -n 1 "$leg_folder/$stamp")"): building again"
  elif [[ $1 == program ]]; then
    say "setting up and building tocuda, only this once; this needs neither LibTorch nor CUDA;" \
      "downloads go to $prefix"
  elif [[ $1 == libtorch ]]; then
    say "setting up and building tocuda, its scenarios and its simulator, only this once; downloads go to $prefix"
  elif [[ $1 == kernels ]]; then
    say "setting up and building tocuda and its kernels, only this once; this needs no LibTorch;" \
      "downloads go to $prefix"
  else
    say "setting up and building, only this once; downloads go to $prefix"
  fi
}

# LibTorch, the largest by far, may still be on its way: see `await_torch`.
bring() {  # everything, libtorch, kernels or program, ON for tests
  nvcc="" cuobjdump="" torch_folder="" unsupported=""
  lock_prefix
  check_cxx_compiler
  choose_python
  if needs_torch "$1"; then
    choose_torch
  fi
  choose_tools
  choose_packages
  if [[ $1 != program ]]; then
    choose_compiler
  fi
  if [[ $2 == ON ]]; then
    choose_cuobjdump
    choose_plotting
    choose_pytest
  fi
  if [[ -z $beside && -w $prefix ]]; then
    rm -rf "$prefix/.staging"
  fi
}

needs_torch() { [[ $1 == everything || $1 == libtorch ]]; }  # goal

await_torch() {
  [[ -n $beside ]] || return 0
  local name=${torch_folder%/torch}
  name=${name##*/}
  await_beside "${name/-/ }: installing" "$prefix/logs/pip-$name.log"
  rm -rf "$prefix/.staging"
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
  stamp .doctor_built "${CXX:-}"
}

# What was once built is built again.
with_what_is_built() {  # goal
  local part
  if [[ -f $leg_folder/.built ]]; then
    echo everything
    return
  fi
  for part in kernels libtorch; do
    if [[ -f $leg_folder/.${part}_built && $1 != "$part" ]]; then
      [[ $1 == program ]] && echo "$part" || echo everything
      return
    fi
  done
  echo "$1"
}

# Afterwards the caller's variables hold the chosen tools and folders, the leg is built, and no lock is held.
set_up_and_build() {  # leg, ON for tests, everything, libtorch, kernels or program
  local tests=$2 goal
  catch_signals_and_errors
  clean_environment
  goal=$(with_what_is_built "$3")
  if [[ $goal == everything && $tests == OFF ]] && configured_with_tests; then
    tests=ON
  fi
  if ! is_current "$goal"; then
    announce "$goal"
  fi
  bring "$goal" "$tests"
  lock_leg
  if [[ $2 == OFF ]] && is_current "$goal"; then
    : # another start has built it meanwhile
  elif [[ $goal == program ]]; then
    build_program "$1"
  else
    if [[ -n $beside ]]; then
      build_program "$1"  # meanwhile: it needs no LibTorch, whose unpacking leaves cores idle
      await_torch
    fi
    build "$1" "$tests" "$2" "$goal"
  fi
  await_torch
  exec 9>&-
  trap - ERR INT TERM HUP
}
