# tocuda, Apache-2.0.
# The messages of set-up, all on stderr, and how it runs long commands: their output goes to a log, their progress to
# stderr.
# shellcheck shell=bash

child=""                        # the process group that set-up waits for
beside=""                       # a step that goes on in a process of its own meanwhile
why_beside_failed=""            # a file that is empty unless it did
exec {silence}<> <(:)           # a pipe without input: reading it with a timeout sleeps without starting a process

say() { printf 'tocuda: %s\n' "$*" >&2; }

fail() {
  say "$*"
  if [[ -n $beside ]]; then
    kill -TERM "$beside" 2>/dev/null || true
  fi
  exit 4
}

# Sends SIGTERM before SIGKILL, so that a package manager can clean up.
stop_child() {
  local killer
  if [[ -n $beside ]]; then
    kill -TERM "$beside" 2>/dev/null || true
  fi
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
  trap 'stop_child; say "stopped; the next start continues from here"; exit 5' INT TERM HUP
  trap 'fail "set-up: unexpected error at ${BASH_SOURCE[0]##*/}:$LINENO: start again; if it recurs, report it"' ERR
}

# The latest progress in a log: how far a build is, or what is being downloaded.
newest_in() {
  tail -c 2000 "$1" 2>/dev/null | tr '\r' '\n' | sed -nE \
    -e 's/^(\[[0-9]+\/[0-9]+\]).*/ \1/p' \
    -e 's/^ *Downloading ([^ ]*\/)?([A-Za-z0-9_.]+-[0-9][^-]*)-.*(\([0-9.]+ [kMG]B\)).*/ (\2 \3)/p' \
    -e 's/^Installing collected packages.*/ (unpacking)/p' | tail -n 1
}

# About how long it still takes, if as much of the work takes as long as so far.
time_left() {  # seconds so far, progress: " [15/197]"
  local left
  if (($1 >= 10)) && [[ $2 =~ \[([0-9]+)/([0-9]+)\] ]] && ((20 * BASH_REMATCH[1] >= BASH_REMATCH[2])); then
    left=$(($1 * (BASH_REMATCH[2] - BASH_REMATCH[1]) / BASH_REMATCH[1]))
    if ((left >= 120)); then
      printf ', about %d minutes left' $((left / 60))
    else
      printf ', about %d s left' "$left"
    fi
  fi
}

show_progress() {  # what, seconds so far, log
  local newest
  newest=$(newest_in "$3")
  newest+=$(time_left "$2" "$newest")
  if [[ -t 2 ]]; then
    printf '\r\033[Ktocuda: %s ... %d s%s' "$1" "$2" "$newest" >&2
  elif (($2 == 2 || $2 % 10 == 0)); then
    say "$1 ... $2 s$newest"
  fi
}

# Shows progress until a process ends, or the step beside it has failed.
watch() {  # process, what, log
  local start=$SECONDS shown=0
  while kill -0 "$1" 2>/dev/null && [[ ! -s $why_beside_failed ]]; do
    read -rt 0.1 -u "$silence" || true
    if ((SECONDS - start >= 2 && SECONDS - start > shown)); then
      shown=$((SECONDS - start))
      show_progress "$2" "$shown" "$3"
    fi
  done
  if [[ -t 2 ]] && ((shown > 0)); then
    printf '\r\033[K' >&2
  fi
}

# Runs a command in its own process group, which ends when this script does. Returns the command's exit code.
run_logged() {  # what, log, command...
  local what=$1 log=$2 code
  shift 2
  need_writable "${log%/*}"
  setsid setpriv --pdeathsig TERM "$@" >"$log" 2>&1 </dev/null &
  child=$!
  watch "$child" "$what" "$log"
  if [[ -s $why_beside_failed ]]; then
    stop_child
    fail "$(<"$why_beside_failed")"
  fi
  wait "$child" && code=0 || code=$?
  child=""
  return "$code"
}

# Runs a step in a process of its own. Whoever watches shows its progress, and says why it failed.
go_on_beside() {  # function...
  need_writable "$prefix/.staging"
  why_beside_failed=$prefix/.staging/failed
  : >"$why_beside_failed"
  (
    trap 'stop_child; exit 5' INT TERM HUP
    failed=$why_beside_failed why_beside_failed=""
    show_progress() { :; }
    fail() {
      printf '%s\n' "$*" >"$failed"
      exit 4
    }
    "$@"
  ) &
  beside=$!
}

await_beside() {  # what, log
  local code why
  [[ -n $beside ]] || return 0
  watch "$beside" "$1" "$2"
  wait "$beside" && code=0 || code=$?
  why=$(cat "$why_beside_failed" 2>/dev/null || true)
  beside="" why_beside_failed=""
  [[ -z $why ]] || fail "$why"
  ((code == 0)) || exit "$code"
}

# With TOCUDA_PACKAGES, which were brought to a machine without a network, nothing is downloaded.
is_offline() { [[ -n ${TOCUDA_PACKAGES:-} ]]; }

without() {  # what was not found, what that means
  say "$1: not found, and nothing is downloaded with TOCUDA_PACKAGES: $2"
}

must_download() {  # what, what to install otherwise
  if is_offline; then
    without "$1" "install $2, then start again"
    exit 4
  fi
}

# Why a download failed and what to do, from its log.
cause_in() {
  local offline="name resolution|failure resolving|name or service not known|could not resolve|cannot connect"
  offline+="|network is unreachable|connection refused|NewConnectionError|timed out"
  if grep -qiE 'no space left on device' "$1"; then
    echo "the disk is full: make room, or set TOCUDA_PREFIX to a folder on another disk"
  elif grep -qiE "$offline" "$1"; then
    echo "no network: connect, or set TOCUDA_PREFIX to a folder that was set up elsewhere"
  elif grep -qE 'HTTP error [45]|[45][0-9][0-9] (Client|Server) Error|  40[0-9] +' "$1"; then
    echo "the server refused the download: try later, or configure another index in pip or apt"
  elif grep -qE 'Unable to locate package|no installation candidate' "$1"; then
    echo "not in the distribution's configured sources: enable more (on Ubuntu: universe), or install it yourself"
  elif grep -qE 'No matching distribution|Could not find a version' "$1"; then
    echo "not in the package index for this Python: set TOCUDA_PYTHON to another one, or configure another index in pip"
  else
    echo "see the log, then start again"
  fi
}

# The package on which a download failed, if its log names it.
package_in() {
  local named
  named=$(sed -nE \
    -e 's/^ERROR: No matching distribution found for ([^ ]+).*/\1/p' \
    -e 's/^ERROR: Could not find a version that satisfies the requirement ([^ ]+).*/\1/p' \
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
