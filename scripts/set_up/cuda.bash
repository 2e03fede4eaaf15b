# tocuda, Apache-2.0.
# The CUDA compiler: the machine's toolkit if its release is supported, otherwise NVIDIA's pip packages.
# shellcheck shell=bash

is_release() {  # path of nvcc, pattern
  [[ -x $1 ]] && "$1" --version 2>/dev/null | grep -qE "release ($2),"
}

# Nothing is downloaded with TOCUDA_PACKAGES: a later release is tried, and an older one cannot compile the sources.
choose_carried_compiler() {  # candidates...
  local candidate
  for candidate in "$@"; do
    if is_release "$candidate" '13\.([3-9]|[1-9][0-9]+)|1[4-9]\.[0-9]+|[2-9][0-9]\.[0-9]+'; then
      say "CUDA compiler: $candidate is of a later release than the supported ones, 13.0 to 13.2: trying it"
      nvcc=$candidate
      return
    fi
  done
  without "CUDA compiler" "no kernels are built (it must be of release 13.0 or later)"
  nvcc=""
}

choose_compiler() {
  local candidate candidates key
  nvcc=""
  if [[ ${TOCUDA_CUDA:-} == none ]]; then
    return
  fi
  candidates=("${CUDACXX:-}" "${CUDA_HOME:-}/bin/nvcc" "${CUDA_PATH:-}/bin/nvcc" "$(command -v nvcc || true)"
    /usr/local/cuda/bin/nvcc)
  for candidate in "${candidates[@]}"; do
    if is_release "$candidate" '13\.[0-2]'; then
      nvcc=$candidate
      return
    fi
  done
  key=$(requirement_key "$set_up/compiler.txt")
  nvcc=$prefix/cuda/bin/nvcc
  if step_done cuda "$key"; then
    return
  fi
  if is_offline; then
    choose_carried_compiler "${candidates[@]}"
  else
    pip_fill "CUDA compiler 13.0" cuda "$key" 1000 -r "$set_up/compiler.txt"
    arrange_toolkit
    step_end cuda "$key"
  fi
}

# Adds what the wheels lack: lib64, which nvcc.profile names, and the file name that the linker looks for.
arrange_toolkit() {
  mv "$stage"/nvidia/cu13/* "$stage/"
  ln -s lib "$stage/lib64"
  ln -s libcudart.so.13 "$stage/lib/libcudart.so"
}

# cuobjdump, which prints machine code for the tests. It looks for its disassembler on PATH.
choose_cuobjdump() {
  local key
  cuobjdump=""
  if [[ -z $nvcc ]]; then
    return
  fi
  cuobjdump=${nvcc%/*}/cuobjdump
  if [[ -x $cuobjdump && -x ${nvcc%/*}/nvdisasm ]]; then
    return
  fi
  if is_offline; then
    without "cuobjdump" "the tests of machine code are skipped"
    cuobjdump=""
    return
  fi
  key=$(requirement_key "$set_up/cuobjdump.txt")
  cuobjdump=$prefix/cuobjdump/cuobjdump
  if ! step_done cuobjdump "$key"; then
    pip_fill "cuobjdump" cuobjdump "$key" 200 --no-deps -r "$set_up/cuobjdump.txt"
    # shellcheck disable=SC2016  # expanded by the script that is written
    printf '#!/bin/sh\nhere=$(dirname "$0")/nvidia/cu13/bin\nPATH=$here:$PATH exec "$here/cuobjdump" "$@"\n' \
      >"$stage/cuobjdump"
    chmod +x "$stage/cuobjdump"
    step_end cuobjdump "$key"
  fi
}
