# tocuda, Apache-2.0.
# Python, pip, and what pip installs into folders of the prefix.
# shellcheck shell=bash

choose_python() {
  python=$(command -v "${TOCUDA_PYTHON:-python3}") ||
    fail "Python: ${TOCUDA_PYTHON:-python3} not found: install python3, or set TOCUDA_PYTHON"
  python=$("$python" -c 'import sys; assert sys.version_info >= (3, 10); print(sys.executable)' 2>/dev/null) ||
    fail "Python: ${TOCUDA_PYTHON:-python3} does not start or is older than 3.10: set TOCUDA_PYTHON to another one"
  python_tag=$("$python" -c 'import sys; print(sys.implementation.cache_tag)')
}

# Fresh systems have Python without pip, but their distributions package pip as a wheel that runs without installation.
choose_pip() {
  local wheel folder
  pip=("$python" -m pip)
  if "${pip[@]}" --version >/dev/null 2>&1; then
    return
  fi
  for folder in /usr/share/python-wheels "$prefix/pip/usr/share/python-wheels"; do
    for wheel in "$folder"/pip-*.whl; do
      if [[ -f $wheel ]]; then
        pip=(env "PYTHONPATH=$wheel" "$python" -m pip)
        return
      fi
    done
  done
  bring_pip
  choose_pip
}

bring_pip() {
  if is_root; then
    apt_install "pip" python3-pip-whl
  else
    step_begin pip
    apt_unpack "pip" "$stage" python3-pip-whl
    step_end pip "$(system_name)"
  fi
  compgen -G '/usr/share/python-wheels/pip-*.whl' >/dev/null ||
    compgen -G "$prefix/pip/usr/share/python-wheels/pip-*.whl" >/dev/null ||
    fail "pip: no wheel in the package python3-pip-whl: install pip for $python, then start again"
}

# Temporary files stay on the prefix's disk: /tmp is often too small for torch, and renaming on one disk copies nothing.
pip_fill() {  # what, folder, key, MiB needed, pip's arguments...
  local what=$1 folder=$2 key=$3 room=$4 log=$prefix/logs/pip-$2.log
  shift 4
  must_download "$what" "it"
  need_room "$what" "$room"
  choose_pip
  say "$what: installing with pip into $prefix/$folder (needs up to $room MiB)"
  step_begin "$folder"
  local scratch=$prefix/.staging/tmp-$folder
  mkdir -p "$scratch"
  TMPDIR=$scratch PIP_USER=0 PIP_REQUIRE_VIRTUALENV=0 PIP_ROOT_USER_ACTION=ignore \
    run_logged "$what: installing" "$log" "${pip[@]}" install --target "$stage" --no-cache-dir --no-input --retries 2 \
    --progress-bar off --disable-pip-version-check --only-binary :all: "$@" || fail_download "$what" "$log" "$what"
  rm -rf "$scratch"
}

# The same for pinned programs that need nothing else.
fill_once() {  # what, folder and requirement file, MiB needed
  if ! step_done "$2" "$(pinned_key "$2")"; then
    pip_fill "$1" "$2" "$(pinned_key "$2")" "$3" --no-deps -r "$set_up/$2.txt"
    step_end "$2" "$(pinned_key "$2")"
  fi
}

pinned_key() { printf '%s' "$(requirement_key "$set_up/$1.txt")$python_tag"; }  # folder

requirement_key() {  # requirement files...
  grep -hvE '^(#|$)' "$@" | tr '\n' ' '
}

pinned_torch() { sed -nE 's/^torch==//p' "$repository/requirements.txt"; }

# LibTorch: a supported torch that Python already has, otherwise the pinned one in its own folder, which `await_beside`
# waits for.
choose_torch() {
  local wanted=${TOCUDA_TORCH_VERSION:-} answer version key
  torch_folder="" unsupported=""
  if [[ $wanted == none ]]; then
    return
  fi
  if [[ -n $wanted && ! $wanted =~ ^2\.1[1-5]\.[0-9]+$ ]]; then
    fail "torch $wanted: not supported: TOCUDA_TORCH_VERSION is 2.11.0 to 2.15.0, or none to build without LibTorch"
  fi
  if answer=$("$python" "$set_up/installed_torch.py" "$wanted"); then
    torch_folder=${answer%%$'\n'*}
    return
  fi
  version=${wanted:-$(pinned_torch)}
  torch_folder=$prefix/torch-$version/torch
  key="$(requirement_key "$repository/requirements.txt" | sed "s/torch==[^ ]*/torch==$version/")$python_tag"
  if step_done "torch-$version" "$key"; then
    return
  fi
  if [[ -n $answer ]]; then
    say "torch: $answer"
  fi
  if is_offline; then
    without "torch $version" "what needs LibTorch is left out"
    torch_folder="" unsupported=$answer
    return
  fi
  need_writable "$prefix/.staging"
  sed "s/^torch==.*/torch==$version/" "$repository/requirements.txt" >"$prefix/.staging/requirements.txt"
  need_room "torch $version" 9500
  choose_pip  # here, because it may call the package manager
  go_on_beside bring_torch "$version" "$key"
}

bring_torch() {  # version, key
  local version=$1
  pip_fill "torch $version" "torch-$version" "$2" 9500 -r "$prefix/.staging/requirements.txt"
  [[ -f $stage/torch/lib/libtorch_cuda.so ]] ||
    fail "torch $version: the package index has a build without CUDA: use the default index," \
      "or set TOCUDA_PYTHON to a Python with torch"
  step_end "torch-$version" "$2"
}

# matplotlib for scripts/plot, if Python has none that works.
python_can_draw() {
  PYTHONPATH="$prefix/plotting${PYTHONPATH:+:$PYTHONPATH}" "$python" -B "$repository/scripts/plotting" --can-draw \
    >/dev/null 2>&1
}

choose_plotting() {
  python_can_draw || fill_unless_offline "matplotlib" plotting 300 "nothing can be drawn"
}

# pytest for the tests of its plugin, if Python has none.
choose_pytest() {
  if "$python" -c 'import pytest' 2>/dev/null || step_done pytest "$(pinned_key pytest)"; then
    return
  fi
  fill_unless_offline "pytest" pytest 30 "its plugin is not tested"
}

fill_unless_offline() {  # what, folder and requirement file, MiB needed, what happens without it
  if is_offline; then
    without "$1" "$4"
    return
  fi
  pip_fill "$1" "$2" "$(pinned_key "$2")" "$3" -r "$set_up/$2.txt"
  step_end "$2" "$(pinned_key "$2")"
}

# Sets up only what drawing needs: no compiler, no LibTorch.
set_up_plotting() {
  catch_signals_and_errors
  choose_python
  lock_prefix
  choose_plotting
  rm -rf "$prefix/.staging"
  exec 9>&-
}

# What PyTorch's database of operators imports, for scripts/operators.
set_up_operators() {
  local key
  catch_signals_and_errors
  choose_python
  lock_prefix
  key="$(requirement_key "$set_up/operators.txt")$python_tag"
  pip_fill "expecttest, hypothesis and psutil" operators "$key" 50 -r "$set_up/operators.txt"
  step_end operators "$key"
  rm -rf "$prefix/.staging"
  exec 9>&-
}
