# tocuda, Apache-2.0.
# Paths, and whether a leg is up to date: everything that a start without set-up needs. The caller sets `repository`.
# shellcheck shell=bash

set_up=$repository/scripts/set_up
descriptions=$repository/harness/supervisor/request/descriptions
prefix=${TOCUDA_PREFIX:-$repository/.tocuda}
[[ $prefix == /* ]] || prefix=$PWD/$prefix
prefix=${prefix%/}

# The settings that a build depends on besides its sources. If they change, set-up runs again.
settings="$prefix|${TOCUDA_PYTHON:-}|${TOCUDA_TORCH_VERSION:-}|${TOCUDA_CUDA:-}|${TOCUDA_CUDA_ARCHITECTURES:-}|${CXX:-}"
settings+="|${TOCUDA_PACKAGES:-}|${TOCUDA_COMMIT:-}"

# With TOCUDA_BUILD, two versions of LibTorch share one folder and what does not depend on LibTorch.
set_leg_folder() {  # leg
  leg_folder=$repository/build/${TOCUDA_BUILD:-$1${TOCUDA_TORCH_VERSION:+-$TOCUDA_TORCH_VERSION}}
}

# Sets `goal` to what these words need: `doctor` alone; `program`, which is tocuda without workers (neither LibTorch nor
# CUDA); `kernels`, with the benchmarks that need no LibTorch; `libtorch`, with scenarios and simulator, but without
# kernels; or `everything`.
choose_goal() {  # words...
  local word
  goal=program  # a misspelt verb builds nothing more, either
  case ${1:-} in
    doctor) goal=doctor ;;
    run | judge | simulate | fit | replay) goal=libtorch ;;
    bench) goal=everything && choose_goal_of_bench "${@:2}" ;;
    reproduce | set-up) goal=everything ;;
  esac
  for word in "${@:2}"; do
    case $goal:$word in
      *:--) break ;;
      doctor:--deep | doctor:--simulate | doctor:--simulate=*) goal=everything ;;
      everything:--help | everything:-h | libtorch:--help | libtorch:-h | kernels:--help | kernels:-h) goal=program ;;
    esac
  done
  goal=${TOCUDA_GOAL:-$goal}  # scripts/plot reads files, and has no use for workers
}

# `kernels` if these words name benchmarks of the worker without LibTorch only.
choose_goal_of_bench() {  # words...
  local word
  for word in "$@"; do
    if [[ $word == characterise ]] || is_named_in "$descriptions/tocuda-torch.describe.jsonl" "$word"; then
      goal=everything
      return
    elif is_named_in "$descriptions/tocuda-cuda.describe.jsonl" "$word"; then
      goal=kernels
    fi
  done
}

# An empty word names nothing.
is_named_in() { grep -qsF "\"name\":\"${2:--}" "$1"; }  # descriptions, the beginning of a name

# True if what the words need is built. Sets `program`. What was once built whole is kept whole, but doctor answers
# before that is built again.
is_current() {  # everything, libtorch, kernels, program or doctor
  local stamp=.built
  if [[ $1 != everything && ! -f $leg_folder/.built ]]; then
    stamp=.program_built
    [[ ! -f $leg_folder/.kernels_built ]] || stamp=.kernels_built
    [[ ! -f $leg_folder/.libtorch_built ]] || stamp=.libtorch_built
    [[ $1 != kernels && $1 != libtorch ]] || stamp=.$1_built
  fi
  program=$leg_folder/tocuda
  if ! is_built "$stamp" "$settings"; then
    program=$leg_folder/doctor/tocuda
    [[ $1 == doctor ]] && is_built .doctor_built "${CXX:-}"
  fi
}

# True if `program` was built with these settings from these sources, and everything it depends on still exists. The
# commit counts as a source because it is compiled into the program.
is_built() {  # stamp, settings
  local needed path sources
  [[ -x $program && -f $leg_folder/$1 ]] || return 1
  mapfile -t needed <"$leg_folder/$1"
  [[ ${needed[0]} == "$2" ]] || return 1
  for path in "${needed[@]:1}"; do
    [[ -e $path ]] || return 1
  done
  sources=("$repository"/{CMakeLists.txt,CMakePresets.json,requirements.txt}
    "$repository"/{benchmarks,cmake,harness,kernels,scenarios,simulator,scripts/set_up})
  if [[ -f $repository/.git/logs/HEAD ]]; then
    sources+=("$repository/.git/logs/HEAD")
  fi
  if [[ -f ${TOCUDA_COMMIT:-} ]]; then
    sources+=("$TOCUDA_COMMIT")
  fi
  [[ -z $(find "${sources[@]}" -name __pycache__ -prune -o -newer "$leg_folder/$1" -print -quit 2>/dev/null) ]]
}
