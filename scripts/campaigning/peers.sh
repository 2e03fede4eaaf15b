# tocuda, Apache-2.0.
# Fetches, builds and runs other programs that measure the same machine. None of their sources are kept here.
#
#   peers.sh NAME fetch INTO FROM    sources from a folder or a git repository (FROM empty: the public one) to INTO
#   peers.sh NAME build SOURCES      in the current folder; NVCC is the compiler
#   peers.sh NAME run                in the current folder; prints what the program prints
set -eu
name=$1 verb=$2

clone() {  # into, from
  git -c core.askPass=true clone --quiet --depth 1 "$2" "$1/tree"
  git -C "$1/tree" rev-parse HEAD >"$1/commit"
}

# Of Boost's thousands of headers those that are needed, and the static library.
boost_program_options() {  # into
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  "$(dirname "$0")/../set_up/carry" "$scratch" libboost-program-options-dev
  mkdir -p "$1/include" "$1/lib"
  echo '#include <boost/program_options.hpp>' >"$scratch/probe.cpp"
  "${CXX:-c++}" -std=c++17 -M -I "$scratch/usr/include" "$scratch/probe.cpp" | tr ' ' '\n' |
    sed -n "s|^$scratch/usr/include/||p" | (cd "$scratch/usr/include" && xargs cp --parents -t "$1/include")
  find "$scratch" -name libboost_program_options.a -exec cp {} "$1/lib" \;
}

# NVML's header from a toolkit, otherwise from the pip package of the release that set-up installs.
nvml_header() {  # into
  mkdir -p "$1/include"
  compiler=$(readlink -f "${CUDACXX:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}")
  header=$(find "${compiler%/bin/nvcc}" -name nvml.h 2>/dev/null | head -n 1)
  if [ -z "$header" ]; then
    scratch=$(mktemp -d)
    python3 -m pip download --quiet --no-deps --only-binary=:all: 'nvidia-nvml-dev==13.0.*' -d "$scratch"
    python3 -m zipfile -e "$scratch"/*.whl "$scratch"
    header=$(find "$scratch" -name nvml.h | head -n 1)
  fi
  cp "$header" "$1/include"
}

# What links with the driver's libraries, or with the toolkit's stubs of them.
driver_libraries() {
  toolkit=$(readlink -f "$NVCC")
  toolkit=${toolkit%/bin/nvcc}
  for folder in "$toolkit"/lib64/stubs "$toolkit"/lib/stubs "$toolkit"/targets/*/lib/stubs /usr/local/nvidia/lib64; do
    [ ! -d "$folder" ] || printf '%s ' "-L$folder"
  done
  library=$(ldconfig -p | sed -n 's/.*libnvidia-ml\.so\.1 .*=> //p' | head -n 1)
  if [ -z "$library" ] && [ -e /usr/local/nvidia/lib64/libnvidia-ml.so.1 ]; then
    library=/usr/local/nvidia/lib64/libnvidia-ml.so.1
  fi
  echo "${library:+-Xlinker }${library:--lnvidia-ml}"  # machines without a toolkit lack the name that -l looks for
}

nvcc() { "$NVCC" -O3 -arch=native "$@"; }

case $name-$verb in
  nvbandwidth-fetch)
    clone "$3" "${4:-https://github.com/NVIDIA/nvbandwidth.git}"
    boost_program_options "$3/needs"
    nvml_header "$3/needs"
    ;;
  nvbandwidth-build)
    # shellcheck disable=SC2046
    nvcc --threads 8 -std=c++17 -DGIT_VERSION="\"$(cat "$3/commit")\"" -I"$3/tree" -I"$3/needs/include" \
      "$3"/tree/*.cpp "$3"/tree/*.cu "$3"/tree/json/*.cpp "$3/needs/lib/libboost_program_options.a" \
      $(driver_libraries) -lcuda -o nvbandwidth
    ;;
  nvbandwidth-run)
    ./nvbandwidth --json --bufferSize 1024 --testcase host_to_device_memcpy_ce device_to_host_memcpy_ce \
      host_to_device_memcpy_sm device_to_host_memcpy_sm device_local_copy
    ;;
  babelstream-fetch)
    clone "$3" "${4:-https://github.com/UoB-HPC/BabelStream.git}"
    nvml_header "$3/needs"
    ;;
  babelstream-build)
    # shellcheck disable=SC2046
    nvcc -std=c++17 -x cu --extended-lambda -forward-unknown-to-host-compiler -DUNROLL_FACTOR=4 -DCUDA -DDEFAULT \
      -DGRID_STRIDE -I"$3/tree/src" -I"$3/tree/src/cuda" -I"$3/needs/include" "$3/tree/src/main.cpp" \
      "$3/tree/src/cuda/CUDAStream.cu" $(driver_libraries) -o babelstream
    ;;
  babelstream-run) ./babelstream --csv --arraysize 134217728 --numtimes 100 ;;  # 2^27 doubles: 1 GiB
esac
