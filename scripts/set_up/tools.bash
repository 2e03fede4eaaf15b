# tocuda, Apache-2.0.
# The build tools: the C++ compiler, which must be installed, and CMake and Ninja, which set-up installs.
# shellcheck shell=bash

check_cxx_compiler() {
  local compiler=${CXX:-c++}
  if ! command -v "${compiler%% *}" >/dev/null; then
    fail "C++ compiler: ${compiler%% *} not found: install g++ 12 or later (Debian, Ubuntu: apt-get install g++)"
  fi
}

enough_cmake() {  # path
  local version
  version=$("$1" --version 2>/dev/null | sed -nE '1s/.* ([0-9]+\.[0-9]+\.[0-9]+).*/\1/p')
  [[ -n $version && $(printf '%s\n' 3.25.1 "$version" | sort -V | head -n 1) == 3.25.1 ]]
}

find_tools() {
  cmake=$(command -v cmake || true)
  ninja=$(command -v ninja || true)
  enough_cmake "${cmake:-cmake}" || cmake=""
  [[ -n $cmake && -n $ninja ]]
}

choose_tools() {
  local wanted=()
  if find_tools; then
    return
  fi
  if ! step_done tools "$(pinned_key tools)" && is_root && command -v apt-get >/dev/null; then
    [[ -n $cmake ]] || wanted+=(cmake)
    [[ -n $ninja ]] || wanted+=(ninja-build)
    apt_install "build tools" "${wanted[@]}"
    hash -r
    if find_tools; then
      return
    fi
  fi
  fill_once "build tools" tools 500
  cmake=$prefix/tools/cmake/data/bin/cmake
  ninja=$(find "$prefix/tools" -type f -name ninja -perm -u+x -path '*bin*' | head -n 1)
  [[ -x $cmake && -x $ninja ]] || fail "build tools: $prefix/tools is damaged: remove it and start again"
}
