# tocuda, Apache-2.0.
# What set-up says, all of it on stderr, and how it waits: a long command's output goes to a log, its progress to the person.
# shellcheck shell=bash

child=""                        # the process group that is being waited for
exec {silence}<> <(:)           # a pipe on which nothing ever comes: reading it with a deadline sleeps without a process

say() { printf 'tocuda: %s\n' "$*" >&2; }

fail() {
  say "$*"
  exit 4
}

# Asked first, then ended: a package manager wants to leave things in order.
stop_child() {
  local killer
  if [[ -n $child ]]; then
    kill -TERM -- "-$child" 2>/dev/null || true
    (read -rt 5 -u "$silence" || kill -KILL -- "-$child") 2>/dev/null &
    killer=$!
    wait "$child" 2>/dev/null || true
    kill "$killer" 2>/dev/null || true
    child=""
  fi
}

catch_signals_and_errors() {
  trap 'stop_child; say "stopped; the next start goes on from here"; exit 5' INT TERM HUP
  trap 'fail "set-up: unexpected error at ${BASH_SOURCE[0]##*/}:$LINENO: start again, and report it if it comes back"' ERR
}

# The newest thing that a log names: how far a build is, or what is being downloaded.
newest_in() {
  tail -c 2000 "$1" 2>/dev/null | tr '\r' '\n' | sed -nE \
    -e 's/^(\[[0-9]+\/[0-9]+\]).*/ \1/p' -e 's/^ *Downloading ([^ ]*\/)?([A-Za-z0-9_.]+-[0-9][^-]*)-.*(\([0-9.]+ [kMG]B\)).*/ (\2 \3)/p' \
    -e 's/^Installing collected packages.*/ (unpacking)/p' | tail -n 1
}

show_progress() {  # what, seconds so far, log
  if [[ -t 2 ]]; then
    printf '\r\033[Ktocuda: %s ... %d s%s' "$1" "$2" "$(newest_in "$3")" >&2
  elif (($2 == 2 || $2 % 10 == 0)); then
    say "$1 ... $2 s$(newest_in "$3")"
  fi
}

# Runs a command in a process group of its own, which ends when this script does. Its exit code is the command's.
run_logged() {  # what, log, command...
  local what=$1 log=$2 start=$SECONDS shown=0 code
  shift 2
  need_writable "${log%/*}"
  setsid setpriv --pdeathsig TERM "$@" >"$log" 2>&1 </dev/null &
  child=$!
  while kill -0 "$child" 2>/dev/null; do
    read -rt 0.1 -u "$silence" || true
    if ((SECONDS - start >= 2 && SECONDS - start > shown)); then
      shown=$((SECONDS - start))
      show_progress "$what" "$shown" "$log"
    fi
  done
  if [[ -t 2 ]] && ((shown > 0)); then
    printf '\r\033[K' >&2
  fi
  wait "$child" && code=0 || code=$?
  child=""
  return "$code"
}

# Why a download failed and what to do, from its log.
cause_in() {
  if grep -qiE 'no space left on device' "$1"; then
    echo "the disk is full: make room, or name a folder on another disk with TOCUDA_PREFIX"
  elif grep -qiE 'name resolution|failure resolving|name or service not known|could not resolve|cannot connect|network is unreachable|connection refused|NewConnectionError|timed out' "$1"; then
    echo "the network cannot be reached: connect, or name a folder set up elsewhere with TOCUDA_PREFIX"
  elif grep -qE 'HTTP error [45]|[45][0-9][0-9] (Client|Server) Error|  40[0-9] +' "$1"; then
    echo "the server refused it: try later, or name another index in pip's or apt's own configuration"
  elif grep -qE 'Unable to locate package|no installation candidate' "$1"; then
    echo "the distribution's configured sources do not have it: enable them (on Ubuntu: universe), or install it yourself"
  elif grep -qE 'No matching distribution|Could not find a version' "$1"; then
    echo "the package index has none for this Python: name another with TOCUDA_PYTHON, or another index in pip's configuration"
  else
    echo "see the log, then start again"
  fi
}

# Which package a download failed on, as far as its log tells.
package_in() {
  local named
  named=$(sed -nE -e 's/^ERROR: (No matching distribution found for|Could not find a version that satisfies the requirement) ([^ ]+).*/\2/p' \
    -e 's/^E: Unable to locate package (.*)/\1/p' -e "s/^E: Package '([^']+)' has no installation.*/\1/p" \
    -e 's/^E: Failed to fetch [^ ]*\/([^\/_ ]+)_[^ ]* .*/\1/p' "$1" | sort -u | head -n 3 | tr '\n' ' ')
  echo "${named% }"
}

fail_download() {  # what, log, packages...
  local what=$1 log=$2 package
  shift 2
  package=$(package_in "$log")
  fail "$what: ${package:-$*}: $(cause_in "$log") (log: $log)"
}
