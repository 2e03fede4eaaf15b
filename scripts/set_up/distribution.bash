# tocuda, Apache-2.0.
# Gets packages of the distribution: installs them as root, otherwise unpacks them into the prefix.
# shellcheck shell=bash

is_root() { ((EUID == 0)); }

system_name() {
  # shellcheck source=/dev/null
  (. /etc/os-release 2>/dev/null && echo "${ID:-unknown}-${VERSION_ID:-}-$(uname -m)")
}

need_apt() {  # what, packages...
  local what=$1
  shift
  command -v apt-get >/dev/null ||
    fail "$what: this distribution has no apt-get: install the contents of these Debian packages, then start again: $*"
}

apt_install() {  # what, packages...
  local what=$1 log=$prefix/logs/apt-${1//[^a-z0-9]/-}.log
  shift
  must_download "$what" "$*"
  need_apt "$what" "$@"
  say "$what: installing with apt-get: $*"
  export DEBIAN_FRONTEND=noninteractive
  if ! apt-get -s install --no-install-recommends "$@" >/dev/null 2>&1 ||
    ! run_logged "$what: apt-get install" "$log" apt-get -y install --no-install-recommends "$@"; then
    run_logged "$what: apt-get update" "$log" apt-get -o APT::Update::Error-Mode=any update ||
      fail_download "$what" "$log" "$@"
    run_logged "$what: apt-get install" "$log" apt-get -y install --no-install-recommends "$@" ||
      fail_download "$what" "$log" "$@"
  fi
}

# Configures apt with its own lists and archives, without the hooks, which are for root. It reads from the system what
# is installed.
write_apt_configuration() {  # folder
  mkdir -p "$1/lists/partial" "$1/archives/partial"
  cat >"$1/apt.conf" <<END
Dir::State::Lists "$1/lists/";
Dir::State::status "/var/lib/dpkg/status";
Dir::State::extended_states "$1/extended_states";
Dir::Cache "$1/";
Dir::Cache::Archives "$1/archives/";
Debug::NoLocking "true";
Acquire::Languages "none";
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear APT::Update::Pre-Invoke;
#clear DPkg::Pre-Install-Pkgs;
#clear DPkg::Post-Invoke;
END
}

# Merges headers that Debian keeps apart by architecture, and libraries of an unmerged /lib. Redirects links whose
# library was not unpacked because the system has it.
join_unpacked() {  # root of the unpacked packages
  local triplet folder link library
  triplet=$(c++ -dumpmachine 2>/dev/null || g++ -dumpmachine)
  for folder in "$1"/usr/include/*-linux-gnu; do
    if [[ -d $folder ]]; then
      cp -rln "$folder/." "$1/usr/include/"
    fi
  done
  if [[ -d $1/lib ]]; then
    cp -rln "$1/lib/." "$1/usr/lib/"
  fi
  while IFS= read -r link; do
    library=$(readlink "$link")
    if [[ -e /usr/lib/$triplet/${library##*/} ]]; then
      ln -sf "/usr/lib/$triplet/${library##*/}" "$link"
    fi
  done < <(find "$1/usr" -xtype l -name '*.so*')
}

apt_unpack() {  # what, folder to unpack into, packages...
  local what=$1 into=$2 state=$prefix/.staging/apt log archive
  log=$prefix/logs/apt-${1//[^a-z0-9]/-}.log
  shift 2
  must_download "$what" "$*"
  need_apt "$what" "$@"
  say "$what: unpacking into ${into/\/.staging/} because you are not root: $*"
  rm -rf "$state"
  write_apt_configuration "$state"
  run_logged "$what: reading the distribution's lists" "$log" \
    apt-get -c "$state/apt.conf" -o APT::Update::Error-Mode=any update || fail_download "$what" "$log" "$@"
  run_logged "$what: downloading" "$log" \
    apt-get -c "$state/apt.conf" -y --download-only --no-install-recommends install "$@" ||
    fail_download "$what" "$log" "$@"
  for archive in "$state"/archives/*.deb; do
    case ${archive##*/} in
      libc6* | libc-* | libstdc++* | libgcc* | gcc-* | g++-* | linux-libc-dev*) continue ;;  # the compiler has its own
    esac
    dpkg -x "$archive" "$into" >>"$log" 2>&1 || fail "$what: cannot unpack ${archive##*/}: start again (log: $log)"
  done
  rm -rf "$state"
  join_unpacked "$into"
}
