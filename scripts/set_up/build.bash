# tocuda, Apache-2.0.
# Configures and builds one leg in its folder, with the tools and libraries that the other files here chose.
# shellcheck shell=bash

# Variables of the shell that would leak into the build or the tests.
clean_environment() {
  local name
  unset LIBRARY_PATH CPATH
  for name in "${!BENCHMARK_@}"; do
    unset "$name"
  done
}

# Limits the jobs by memory, because LibTorch's headers take over a gigabyte to compile. A sandbox such as gVisor's,
# whose kernel does not say who compiled it, gets memory only as it uses it: what is available at first is no limit.
kernel=/proc/version

build_jobs() {
  local cores memory
  if [[ -n ${TOCUDA_JOBS:-} ]]; then
    [[ $TOCUDA_JOBS =~ ^[1-9][0-9]{0,3}$ ]] ||
      fail "TOCUDA_JOBS is '$TOCUDA_JOBS': set it to the number of parallel build jobs, 1 to 9999"
    echo "$TOCUDA_JOBS"
    return
  fi
  cores=$(nproc)
  memory=$(awk '/^MemAvailable/ {print int($2 / 1500000)}' /proc/meminfo)
  if ! grep -q '(' "$kernel"; then
    memory=$cores
  fi
  echo $((memory < 1 ? 1 : memory < cores ? memory : cores))
}

configured_with_tests() {
  [[ -f $leg_folder/.configured && $(<"$leg_folder/.configured") == ON* ]]
}

# Starts from an empty CMake cache if tools or folders differ from the last time; object files are kept.
configure() {  # leg, ON for tests, or PROGRAM
  local log=$leg_folder/configure.log arguments depends fresh=() before=""
  arguments=("-DTOCUDA_TORCH=$torch_folder" "-DTOCUDA_PYTHON=$python" "-DCMAKE_PREFIX_PATH=$packages_prefix"
    "-DCMAKE_MAKE_PROGRAM=$ninja")
  if [[ $2 == PROGRAM ]]; then
    arguments+=("-DTOCUDA_WORKERS=OFF")
  fi
  if [[ -n ${TOCUDA_COMMIT:-} ]]; then
    arguments+=("-DTOCUDA_COMMIT=$(readlink -f "$TOCUDA_COMMIT")")
  fi
  if [[ -n $unsupported ]]; then
    arguments+=("-DTOCUDA_TORCH_IS=$unsupported")
  fi
  if [[ -n $nvcc ]]; then
    arguments+=("-DCMAKE_CUDA_COMPILER=$nvcc")
  fi
  if [[ -n ${TOCUDA_CUDA_ARCHITECTURES:-} ]]; then
    arguments+=("-DTOCUDA_CUDA_ARCHITECTURES=${TOCUDA_CUDA_ARCHITECTURES// /;}")
  fi
  if [[ -f $leg_folder/build.ninja && -f $leg_folder/.configured ]]; then
    before=$(<"$leg_folder/.configured")
  fi
  # CMake reads CXX only when it starts afresh, and a copied tree has the cache of another one.
  depends="${arguments[*]} ${CXX:-} $repository"
  if [[ $before == "$2 $depends" ]]; then
    return
  fi
  if [[ $before != *" $depends" ]]; then
    fresh=(--fresh)
  fi
  rm -f "$leg_folder/.configured"
  cd "$repository" || return
  run_logged "configuring ${leg_folder##*/}" "$log" "$cmake" "${fresh[@]}" --preset "$1" -B "$leg_folder" \
    "-DBUILD_TESTING=${2/PROGRAM/OFF}" "-DTOCUDA_CUOBJDUMP=$cuobjdump" "${arguments[@]}" || return
  sed -n 's/^-- \(no GPU was found.*\)/tocuda: \1/p' "$log" >&2
  printf '%s %s\n' "$2" "$depends" >"$leg_folder/.configured"
}

fail_build() {  # what, log
  grep -E -m 6 -A 2 'error:|CMake Error|undefined reference' "$2" | cut -c 1-240 | head -n 18 >&2 || true
  fail "$1 failed: fix the error, then start again (log: $2)"
}

configure_or_look_again() {  # leg, ON for tests, or PROGRAM
  if configure "$@"; then
    return
  fi
  if [[ -z $packages_are_new ]]; then
    lock_prefix
    forget_packages
    choose_packages
    lock_leg
    if configure "$@"; then
      return
    fi
  fi
  fail_build "configuring ${leg_folder##*/}" "$leg_folder/configure.log"
}

# The stamp gets the time at which the build started, so that sources changed meanwhile are built next time.
build() {  # leg, ON if configured with tests, ON if the tests are built, everything, libtorch or kernels
  local targets=() stamp=.built programs=programs other
  [[ $4 == everything ]] || stamp=.$4_built
  for other in .program_built .kernels_built .libtorch_built; do
    [[ $other == "$stamp" ]] || rm -f "$leg_folder/$other"
  done
  if [[ -f $leg_folder/$stamp ]]; then
    echo "not ended" >"$leg_folder/$stamp"
  fi
  touch "$leg_folder/.started"
  configure_or_look_again "$1" "$2"
  if [[ $4 == libtorch ]]; then
    programs=programs_without_kernels
  fi
  if [[ $3 == OFF ]] && grep -q "^build $programs: phony" "$leg_folder/build.ninja"; then
    targets=("$programs")
  fi
  run_ninja "${targets[@]}"
  if [[ $4 != everything ]]; then
    describe_missing_workers
  fi
  stamp "$stamp" "$settings" "${TOCUDA_PACKAGES:-$prefix/packages}" ${torch_folder:+"$torch_folder"} ${nvcc:+"$nvcc"}
}

# A folder that is configured for everything stays so: CMake would remove what was compiled for it.
build_program() {  # leg
  touch "$leg_folder/.started"
  if [[ ! -f $leg_folder/.configured || $(<"$leg_folder/.configured") == PROGRAM* ]]; then
    configure_or_look_again "$1" PROGRAM
  fi
  run_ninja tocuda
  describe_missing_workers
  stamp .program_built "$settings" "${TOCUDA_PACKAGES:-$prefix/packages}"
}

# What the workers hold is known before they are built: their descriptions are part of the sources.
describe_missing_workers() {
  local description worker verb
  for description in "$descriptions"/*; do
    worker=$leg_folder/${description##*/}
    worker=${worker%.describe.jsonl}
    if [[ -f $description && ! -e $worker ]]; then
      cp "$description" "$leg_folder/"
      verb=run
      [[ $worker != */tocuda-cuda ]] || verb=bench
      echo "not built yet; \`scripts/tocuda $verb\` builds it" >"$worker.left_out"
    fi
  done
}

run_ninja() {  # targets...
  local log=$leg_folder/build.log jobs
  jobs=$(build_jobs) || exit
  run_logged "building ${leg_folder##*/}" "$log" "$ninja" -C "$leg_folder" -j "$jobs" "$@" ||
    fail_build "building ${leg_folder##*/}" "$log"
}

stamp() {  # name, settings, folders that the build depends on...
  printf '%s\n' "${@:2}" >"$leg_folder/$1.new"
  touch -r "$leg_folder/.started" "$leg_folder/$1.new"
  mv "$leg_folder/$1.new" "$leg_folder/$1"
}
