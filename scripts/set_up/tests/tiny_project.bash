# tocuda, Apache-2.0.
# For set_up_test: a tiny project in a temporary folder, a Python with a fake pip, and checks of a start. Reads $real,
# the checkout under test, and $place, the folder.
# shellcheck shell=bash disable=SC2154

expect() {  # what, command...
  local what=$1
  shift
  if ! "$@"; then
    echo "failed: $what"
    sed 's/^/  stderr: /' "$place/stderr" 2>/dev/null
    exit 1
  fi
}

not() { ! "$@"; }

# A Python without torch, whose fake pip behaves as PIP_BEHAVES says.
write_python() {
  cat >"$TOCUDA_PYTHON" <<'END'
#!/usr/bin/env bash
if [[ $1 == *installed_torch.py ]]; then echo "${TORCH_IS:-}"; exit 1; fi
if [[ $1 == -c ]]; then
  if [[ $2 == *executable* ]]; then echo "$0"; else echo cpython-0; fi
fi
if [[ "$*" == *scripts/plotting* ]]; then
  [[ -f $TOCUDA_PREFIX/plotting/.done ]] || exit 77
  echo drawn; exit 0
fi
if [[ "$*" != "-m pip install"* ]]; then exit 0; fi
echo "$PIP_BEHAVES" >>"$PLACE/installations"
while [[ $1 != --target ]]; do shift; done
mkdir -p "$2/torch/lib"
touch "$2/half"
case $PIP_BEHAVES in
  well) touch "$2/torch/lib/libtorch_cuda.so" ;;
  slowly) sleep 1; touch "$2/torch/lib/libtorch_cuda.so" ;;
  never) echo $PPID >"$PLACE/starter"; echo $$ >"$PLACE/hanging"; exec sleep 1000 ;;
  offline)
    echo "WARNING: Retrying after connection broken by" \
      "'NewConnectionError(... [Errno -3] Temporary failure in name resolution)'"
    echo "ERROR: Could not find a version that satisfies the requirement torch==2.15.0 (from versions: none)"
    exit 1 ;;
  refused) echo "ERROR: HTTP error 403 while getting torch-2.15.0.whl"; exit 1 ;;
  full) echo "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device"; exit 1 ;;
  absent) echo "ERROR: No matching distribution found for numpy==2.4.6"; exit 1 ;;
esac
END
  chmod +x "$TOCUDA_PYTHON"
}

# A fake df, because the tests install next to nothing and must pass on a full disk.
write_df() {
  mkdir -p "$place/bin"
  printf '#!/bin/sh\necho Avail\necho "${FREE_MIB:-100000}"\n' >"$place/bin/df"
  chmod +x "$place/bin/df"
  PATH=$place/bin:$PATH
}

write_program() {  # its output
  echo "#include <cstdio>
int main() { std::puts(\"$1\"); }" >"$project/harness/main.cpp"
}

described=$project/harness/supervisor/request/descriptions

write_project() {
  mkdir -p "$project"/{cmake,harness,kernels,scenarios,scripts}
  cp -r "$real"/scripts/{tocuda,test,plot,set_up} "$project/scripts/"
  cp "$real"/{CMakePresets.json,requirements.txt} "$project/"
  cat >"$project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25.1)
project(tocuda LANGUAGES CXX)
include(CTest)
add_subdirectory(harness)
add_test(NAME says COMMAND tocuda)
END
  cat >"$project/harness/CMakeLists.txt" <<'END'
add_executable(tocuda main.cpp)
set_target_properties(tocuda PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
END
  write_program first
  write_python
  write_df
  # Marks the libraries as found, as they were when this checkout was set up; looking again could need the network.
  mkdir -p "$TOCUDA_PREFIX/packages"
  (
    # shellcheck source=scripts/set_up/distribution.bash
    . "$real/scripts/set_up/distribution.bash"
    # shellcheck source=scripts/set_up/packages.bash
    . "$real/scripts/set_up/packages.bash"
    packages_key >"$TOCUDA_PREFIX/packages/.done"
  )
}

# A system that lacks fmt, with a fake package manager that records its calls.
need_packages() {
  rm -r "$TOCUDA_PREFIX/packages"
  cat >"$project/scripts/set_up/probe/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25.1)
project(probe LANGUAGES CXX)
if(NOT EXISTS ${CMAKE_PREFIX_PATH}/include/fmt)
  message(STATUS "missing library: fmt")
endif()
END
  printf '#!/bin/sh\necho "$*" >>"%s"\nexit 100\n' "$place/asked" >"$place/bin/apt-get"
  chmod +x "$place/bin/apt-get"
}

nobody_asked() { [[ ! -e $place/asked ]]; }

start() { timeout 60 "$project/scripts/tocuda" "${@:-run}" >"$place/stdout" 2>"$place/stderr"; }

is_gone() {  # process; a zombie counts as gone
  [[ ! -e /proc/$1 ]] || grep -q '^State:.*Z' "/proc/$1/status" 2>/dev/null || [[ ! -e /proc/$1 ]]
}

says() { [[ $(<"$place/stdout") == "$1" ]]; }

last_line_has() { [[ $(tail -n 1 "$place/stderr") == *"$1"* ]]; }

installations() { grep -cs '' "$place/installations" || true; }

wait_for() {  # file
  local waited=0
  until [[ -s $1 ]] || ((waited++ > 600)); do
    sleep 0.05
  done
  [[ -s $1 ]]
}

# What the first start of these words builds.
goal_is() (  # goal, words...
  repository=$real
  # shellcheck source=scripts/set_up/folders.bash
  . "$real/scripts/set_up/folders.bash"
  choose_goal "${@:2}"
  [[ $goal == "$1" ]]
)

is_current_now() (
  repository=$project
  # shellcheck source=scripts/set_up/folders.bash
  . "$real/scripts/set_up/folders.bash"
  set_leg_folder default
  is_current libtorch
)

# Whether a torch counts as usable, without importing it.
torch_is() {  # version, cuda, wanted version
  mkdir -p "$place/site/torch/lib"
  touch "$place/site/torch/__init__.py" "$place/site/torch/lib/libtorch_cuda.so"
  printf '__version__ = "%s"\ncuda = %s\n' "$1" "$2" >"$place/site/torch/version.py"
  PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$place/site \
    python3 "$project/scripts/set_up/installed_torch.py" "${3:-}" >"$place/stdout"
}

torch_is_not() { ! torch_is "$@"; }
