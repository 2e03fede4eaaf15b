# tocuda, Apache-2.0.
# The libraries that the build finds by name: a person's own where they are there, otherwise the distribution's.
# shellcheck shell=bash

declare -A package_of=([fmt]=libfmt-dev [nlohmann_json]=nlohmann-json3-dev [simdjson]=libsimdjson-dev [CLI11]=libcli11-dev
  [OpenSSL]=libssl-dev [GTest]=libgtest-dev [benchmark]=libbenchmark-dev)

find_missing() {  # folder to look in, beside the system's
  local folder=$prefix/.staging/probe log=$prefix/logs/probe.log
  rm -rf "$folder"
  run_logged "looking for libraries" "$log" "$cmake" -S "$set_up/probe" -B "$folder" -G Ninja \
    -DCMAKE_MAKE_PROGRAM="$ninja" -DCMAKE_PREFIX_PATH="$1" || fail "libraries: the C++ compiler or CMake does not work (log: $log)"
  rm -rf "$folder"
  mapfile -t missing < <(sed -nE 's/^-- missing library: //p' "$log")
}

# Always ends with the folder packages in place, empty where the system has everything.
bring_packages() {
  local library missing=() wanted=()
  step_begin packages
  find_missing "$stage"
  for library in "${missing[@]}"; do
    wanted+=("${package_of[$library]}")
  done
  if ((${#wanted[@]} > 0)); then
    if is_root; then
      apt_install "libraries" "${wanted[@]}"
    else
      apt_unpack "libraries" "$stage" "${wanted[@]}"
    fi
    find_missing "$stage/usr"
    ((${#missing[@]} == 0)) || fail "libraries: ${missing[*]} not found by CMake even so: install them yourself, then start again"
  fi
  step_end packages "$1"
}

packages_key() { echo "$(system_name) ${!package_of[*]}"; }

# Packages that somebody carried here, unpacked: any distribution, no package manager, no network.
choose_carried_packages() {
  local missing=()
  packages_prefix=$(readlink -f "$TOCUDA_PACKAGES") || packages_prefix=""
  if [[ -d $packages_prefix/usr/include ]]; then
    packages_prefix+=/usr
  fi
  [[ -d $packages_prefix/include ]] ||
    fail "libraries: TOCUDA_PACKAGES=$TOCUDA_PACKAGES holds no include and no usr/include"
  need_writable "$prefix/.staging"
  find_missing "$packages_prefix"
  ((${#missing[@]} == 0)) ||
    fail "libraries: ${missing[*]} not found in TOCUDA_PACKAGES=$TOCUDA_PACKAGES nor here:" \
      "carry what these packages hold:" \
      "$(for library in "${missing[@]}"; do printf '%s ' "${package_of[$library]}"; done)"
  packages_are_new=yes
}

choose_packages() {
  local key
  if [[ -n ${TOCUDA_PACKAGES:-} ]]; then
    choose_carried_packages
    return
  fi
  packages_prefix=$prefix/packages/usr
  key=$(packages_key)
  packages_are_new=""
  if ! step_done packages "$key"; then
    bring_packages "$key"
    packages_are_new=yes
  fi
}

# The system may have changed since: asked for when the build does not configure.
forget_packages() { rm -f "$prefix/packages/.done"; }
