# tocuda, Apache-2.0.
# Where things are, and when a leg is current: all that a start needs which has nothing to set up. The caller sets repository.
# shellcheck shell=bash

set_up=$repository/scripts/set_up
prefix=${TOCUDA_PREFIX:-$repository/.tocuda}
[[ $prefix == /* ]] || prefix=$PWD/$prefix

# What a build depends on beyond its sources: with other settings, set-up has to look again.
settings="$prefix|${TOCUDA_PYTHON:-}|${TOCUDA_TORCH_VERSION:-}|${TOCUDA_CUDA:-}|${TOCUDA_CUDA_ARCHITECTURES:-}|${CXX:-}"
settings+="|${TOCUDA_PACKAGES:-}|${TOCUDA_COMMIT:-}"

# In one folder (TOCUDA_BUILD) two versions of LibTorch share what does not depend on it.
set_leg_folder() {  # leg
  leg_folder=$repository/build/${TOCUDA_BUILD:-$1${TOCUDA_TORCH_VERSION:+-$TOCUDA_TORCH_VERSION}}
}

# Built with these settings, from these sources, and what it stands on is still there. The commit is part of the program.
is_current() {
  local needed path sources
  [[ -x $leg_folder/tocuda && -f $leg_folder/.built ]] || return 1
  mapfile -t needed <"$leg_folder/.built"
  [[ ${needed[0]} == "$settings" ]] || return 1
  for path in "${needed[@]:1}"; do
    [[ -e $path ]] || return 1
  done
  sources=("$repository"/{CMakeLists.txt,CMakePresets.json,requirements.txt,cmake,framework,harness,kernels,scenarios,scripts/set_up,transfers})
  if [[ -f $repository/.git/logs/HEAD ]]; then
    sources+=("$repository/.git/logs/HEAD")
  fi
  if [[ -f ${TOCUDA_COMMIT:-} ]]; then
    sources+=("$TOCUDA_COMMIT")
  fi
  [[ -z $(find "${sources[@]}" -name __pycache__ -prune -o -newer "$leg_folder/.built" -print -quit 2>/dev/null) ]]
}
