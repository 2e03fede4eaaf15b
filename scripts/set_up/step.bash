# tocuda, Apache-2.0.
# A step fills one folder of the prefix. It is staged, stamped and renamed into place, so that a folder is complete or
# absent.
# shellcheck shell=bash

step_done() {  # folder, key
  [[ -f $prefix/$1/.done && $(<"$prefix/$1/.done") == "$2" ]]
}

step_begin() {  # folder
  stage=$prefix/.staging/$1
  rm -rf "$stage"
  need_writable "$stage"
}

step_end() {  # folder, key
  printf '%s\n' "$2" >"$stage/.done"
  if [[ -e $prefix/$1 ]]; then
    mv -T "$prefix/$1" "$prefix/.staging/$1.old"
  fi
  mv -T "$stage" "$prefix/$1"
  rm -rf "$prefix/.staging/$1.old"
}

need_writable() {  # folder, created if missing
  local hint=""
  if [[ $1 == "$prefix"* ]]; then
    hint=", or set TOCUDA_PREFIX to another folder"
  fi
  if ! mkdir -p "$1" 2>/dev/null || [[ ! -w $1 ]]; then
    fail "cannot write $1: make it writable$hint"
  fi
}

# Lets one start at a time set up a prefix or build in a folder. The lock is released when its holder ends, in whatever
# way.
lock() {  # file, what
  local start=$SECONDS said=-10
  need_writable "${1%/*}"
  [[ ! -e $1 || -w $1 ]] || fail "cannot write $1: it belongs to another user"
  exec 9>"$1"
  until flock -w 1 9; do
    if ((SECONDS - said >= 10)); then
      said=$SECONDS
      say "another start $2: waiting ... $((SECONDS - start)) s"
    fi
  done
}

need_room() {  # what, MiB
  local free
  free=$(df --output=avail -m "$prefix" 2>/dev/null | tail -n 1)
  if [[ -n $free ]] && ((free < $2)); then
    fail "$1: needs $2 MiB in $prefix, which has $((free)): make room, or set TOCUDA_PREFIX to a folder on another disk"
  fi
}
