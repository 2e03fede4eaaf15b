# tocuda, Apache-2.0.
# The libraries that the build finds by name: those already installed, otherwise the distribution's packages.
# shellcheck shell=bash

declare -A package_of=([fmt]=libfmt-dev [nlohmann_json]=nlohmann-json3-dev [simdjson]=libsimdjson-dev
  [tl-expected]=libexpected-dev [OpenSSL]=libssl-dev [GTest]=libgtest-dev
  [benchmark]=libbenchmark-dev)

find_missing() {  # folder to search besides the system's
  local folder=$prefix/.staging/probe log=$prefix/logs/probe.log
  rm -rf "$folder"
  run_logged "looking for libraries" "$log" "$cmake" -S "$set_up/probe" -B "$folder" -G Ninja \
    -DCMAKE_MAKE_PROGRAM="$ninja" -DCMAKE_PREFIX_PATH="$1" ||
    fail "libraries: the C++ compiler or CMake does not work (log: $log)"
  rm -rf "$folder"
  mapfile -t missing < <(sed -nE 's/^-- missing library: //p' "$log")
}

# Always creates the folder `packages`; it is empty if the system has all libraries.
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
    ((${#missing[@]} == 0)) ||
      fail "libraries: CMake still does not find ${missing[*]}: install them yourself, then start again"
  fi
  step_end packages "$1"
}

packages_key() { echo "$(system_name) ${!package_of[*]}"; }

# Uses unpacked packages that were carried here: works on any distribution, without package manager or network.
choose_carried_packages() {
  local missing=()
  packages_prefix=$(readlink -f "$TOCUDA_PACKAGES") || packages_prefix=""
  if [[ -d $packages_prefix/usr/include ]]; then
    packages_prefix+=/usr
  fi
  [[ -d $packages_prefix/include ]] ||
    fail "libraries: TOCUDA_PACKAGES=$TOCUDA_PACKAGES has neither include nor usr/include"
  need_writable "$prefix/.staging"
  find_missing "$packages_prefix"
  ((${#missing[@]} == 0)) ||
    fail "libraries: ${missing[*]} not found in TOCUDA_PACKAGES=$TOCUDA_PACKAGES nor here:" \
      "add the contents of these packages:" \
      "$(for library in "${missing[@]}"; do printf '%s ' "${package_of[$library]}"; done)"
  packages_are_new=yes
}

choose_packages() {
  local key
  if is_offline; then
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

# Makes set-up look for the libraries again. Called if configuring fails, because the system may have changed.
forget_packages() { rm -f "$prefix/packages/.done"; }
