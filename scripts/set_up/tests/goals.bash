# tocuda, Apache-2.0.
# For set_up_test: what each verb builds, and that nothing is built twice.
# shellcheck shell=bash disable=SC2154

test_verbs_need_what_they_use() {
  local verb
  for verb in "" --help --version help list show compare verify cite report merge import completion man; do
    expect "'$verb' needs no worker" goal_is program $verb
  done
  expect "nor does a misspelt one" goal_is program benhc copy/
  for verb in run judge simulate fit replay; do
    expect "'$verb' needs no kernels" goal_is libtorch "$verb" --json
    expect "its help needs no worker" goal_is program "$verb" --help
    expect "the help of its command is another matter" goal_is libtorch "$verb" -- --help
  done
  for verb in bench reproduce set-up; do
    expect "'$verb' needs everything" goal_is everything "$verb" --json
    expect "its help does not" goal_is program "$verb" --help
    expect "the help of its command is another matter" goal_is everything "$verb" -- --help
  done
  expect "benchmarks of the runtime need no LibTorch" goal_is kernels bench --simulate 1xH200 copy/ memory/read
  expect "their help needs no worker" goal_is program bench copy/ --help
  expect "those of LibTorch do" goal_is everything bench copy/ framework/to
  expect "so does a machine's data sheet" goal_is everything bench characterise
  TOCUDA_GOAL=program expect "pictures need no worker" goal_is program judge FILE --json
  expect "doctor is compiled alone" goal_is doctor doctor --message --json
  expect "but not to use GPUs" goal_is everything doctor --json --deep
  expect "and not to simulate them" goal_is everything doctor --simulate=1xH200
}

touched() { stat -c %Y "$project/build/default/harness/CMakeFiles/tocuda.dir/main.cpp.o"; }

test_without_workers_nothing_is_installed_and_nothing_is_compiled_twice() {
  mkdir -p "$described"
  echo described >"$described/tocuda-torch.describe.jsonl"
  expect "list starts" start list
  expect "the program ran" says first
  expect "nothing was installed" [ ! -e "$place/installations" ]
  expect "the worker is described" [ -f "$project/build/default/tocuda-torch.describe.jsonl" ]
  expect "it is said why it is not there" grep -q "not built yet" "$project/build/default/tocuda-torch.left_out"
  expect "the workers are not configured" \
    grep -q "^TOCUDA_WORKERS:.*=OFF$" "$project/build/default/CMakeCache.txt"
  local compiled
  compiled=$(touched)
  expect "the second start succeeds" start show
  expect "set-up prints nothing" [ ! -s "$place/stderr" ]
  expect "doctor uses what is there" start doctor
  expect "set-up prints nothing for it" [ ! -s "$place/stderr" ]
  sleep 1.1
  expect "run sets up the rest" start run
  expect "torch is installed" [ "$(installations)" = 1 ]
  expect "what was compiled is kept" [ "$(touched)" = "$compiled" ]
  expect "list uses what is there" start list
  expect "set-up prints nothing for it either" [ ! -s "$place/stderr" ]
  write_program second
  expect "list still starts" start list
  expect "what was built whole is built whole again" [ ! -e "$project/build/default/.program_built" ]
}

test_benchmarks_of_the_runtime_are_built_without_libtorch() {
  mkdir -p "$described"
  echo '{"name":"framework/to"}' >"$described/tocuda-torch.describe.jsonl"
  echo '{"name":"copy/pinned"}' >"$described/tocuda-cuda.describe.jsonl"
  expect "bench starts" start bench copy/
  expect "the program ran" says first
  expect "torch is not installed" [ ! -e "$TOCUDA_PREFIX/torch-2.15.0" ]
  expect "it is said that it is not needed" grep -q "this needs no LibTorch" "$place/stderr"
  expect "the worker with LibTorch is described" [ -f "$project/build/default/tocuda-torch.describe.jsonl" ]
  expect "the workers are configured" \
    not grep -q "^TOCUDA_WORKERS:.*=OFF$" "$project/build/default/CMakeCache.txt"
  expect "list uses what is there" start list
  expect "set-up prints nothing for it" [ ! -s "$place/stderr" ]
  write_program second
  expect "list starts with changed sources" start list
  expect "the kernels are built again, too" [ -f "$project/build/default/.kernels_built" ]
  expect "run sets up the rest" start run
  expect "torch is installed" [ -d "$TOCUDA_PREFIX/torch-2.15.0" ]
  expect "bench uses what is there" start bench copy/
  expect "set-up prints nothing for it" [ ! -s "$place/stderr" ]
}

test_scenarios_are_built_without_kernels() {
  mkdir -p "$described"
  echo '{"name":"framework/to"}' >"$described/tocuda-torch.describe.jsonl"
  echo '{"name":"copy/pinned"}' >"$described/tocuda-cuda.describe.jsonl"
  expect "run starts" start run
  expect "the program ran" says first
  expect "torch is installed" [ -d "$TOCUDA_PREFIX/torch-2.15.0" ]
  expect "it is said what builds the kernels" \
    grep -q 'scripts/tocuda bench` builds it' "$project/build/default/tocuda-cuda.left_out"
  expect "simulate uses what is there" start simulate
  expect "set-up prints nothing for it" [ ! -s "$place/stderr" ]
  expect "list uses what is there" start list
  expect "set-up prints nothing for it" [ ! -s "$place/stderr" ]
  write_program second
  expect "list starts with changed sources" start list
  expect "what run needs is built again, too" [ -f "$project/build/default/.libtorch_built" ]
  expect "bench sets up the rest" start bench copy/
  expect "of everything" [ -f "$project/build/default/.built" ]
  expect "run uses what is there" start run
  expect "set-up prints nothing for it" [ ! -s "$place/stderr" ]
}

# LibTorch is unpacked on one core: the program is compiled meanwhile.
test_program_is_built_while_libtorch_comes() {
  PIP_BEHAVES=never "$project/scripts/tocuda" run >"$place/stdout" 2>"$place/stderr" &
  expect "the installer starts" wait_for "$place/hanging"
  expect "the program is built" wait_for "$project/build/default/.program_built"
  kill -TERM "$(<"$place/starter")"
  wait $!
  expect "it exits as stopped" [ $? = 5 ]
  local compiled
  compiled=$(touched)
  sleep 1.1
  expect "the next start succeeds" start run
  expect "what was compiled is kept" [ "$(touched)" = "$compiled" ]
}

test_installer_that_fails_stops_the_build() {
  printf '#!/bin/sh\ncase "$*" in *harness/main.cpp*) exec sleep 1000 ;; esac\nexec c++ "$@"\n' >"$place/endless"
  chmod +x "$place/endless"
  CXX=$place/endless problem_is_one_line offline torch==2.15.0 "connect, or set TOCUDA_PREFIX"
}

compile_doctor_by() {  # a line of shell
  printf '#!/bin/sh\n%s\n' "$1" >"$project/scripts/set_up/compile_doctor"
}

test_doctor_is_compiled_alone() {
  compile_doctor_by 'mkdir -p "$1" && printf "#!/bin/sh\necho alone\n" >"$1/tocuda" && chmod +x "$1/tocuda"'
  TOCUDA_PYTHON=/nowhere expect "doctor starts without Python" start doctor
  expect "it was compiled alone" says alone
  expect "it says that nothing is downloaded" grep -q "nothing is downloaded" "$place/stderr"
  expect "nothing was configured" [ ! -e "$project/build/default/build.ninja" ]
  expect "no prefix was set up" [ ! -e "$TOCUDA_PREFIX/logs" ]
  expect "the second start succeeds" start doctor
  expect "set-up prints nothing" [ ! -s "$place/stderr" ]
  expect "a verb of the whole program starts" start run
  expect "it is the whole program" says first
  expect "doctor starts then too" start doctor
  expect "of what is there" says first
  write_program second
  expect "doctor starts with changed sources" start doctor
  expect "it is compiled alone again" says alone
  expect "the next verb builds the rest" start run
  expect "with the changed sources" says second
}

test_doctor_that_cannot_be_compiled_alone_is_built() {
  compile_doctor_by 'echo "unknown option -std=c++23" && exit 1'
  expect "doctor starts" start doctor
  expect "of the whole program" says first
  expect "the log is named" grep -q "doctor.log" "$place/stderr"
  expect "nothing was installed" [ ! -e "$place/installations" ]
}
