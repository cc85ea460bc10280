# Shell functions that quickstart.sh, test.sh and .ci/run share. Sourced by bash with the project's root as directory.

say() { printf '%s\n' "$*"; }
step() { printf '\n== %s\n' "$*"; }
stop() { # MESSAGE [WHAT TO DO]...
    printf '\n%s: %s\n' "$(basename "$0")" "$1" >&2
    shift
    [ $# -eq 0 ] || printf '  %s\n' "$@" >&2
    exit 1
}

jobs_count() { nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2; }

# The code needs C++20 as g++ 12 and clang 14 have it; some releases have an older g++ as their default.
is_new_enough() { # COMPILER
    local version
    version=$("$1" -dumpversion 2>/dev/null) || return 1
    if "$1" --version 2>/dev/null | grep -q clang; then [ "${version%%.*}" -ge 14 ]; else [ "${version%%.*}" -ge 12 ]; fi
}

find_compiler() { # prints the C++ compiler to use; fails when there is none that is new enough
    local candidate
    for candidate in ${CXX:+"$CXX"} g++ c++ g++-14 g++-13 g++-12 clang++; do
        if command -v "$candidate" >/dev/null && is_new_enough "$candidate"; then
            echo "$candidate"
            return 0
        fi
    done
    return 1
}

# Prints the packages whose header the compiler does not find.
missing_libraries() { # COMPILER
    "$1" -std=c++20 -x c++ -E -P - <<'HEADERS' | grep -o 'package:[a-z0-9.+-]*' | cut -d: -f2
#if !__has_include(<nlohmann/json.hpp>)
package:nlohmann-json3-dev
#endif
#if !__has_include(<fmt/format.h>)
package:libfmt-dev
#endif
#if !__has_include(<tl/expected.hpp>)
package:libexpected-dev
#endif
#if !__has_include(<CLI/CLI.hpp>)
package:libcli11-dev
#endif
#if !__has_include(<doctest/doctest.h>)
package:doctest-dev
#endif
#if !__has_include(<toml++/toml.h>)
package:libtomlplusplus-dev
#endif
#if !__has_include(<libdeflate.h>)
package:libdeflate-dev
#endif
#if !__has_include(<zlib.h>)
package:zlib1g-dev
#endif
#if !__has_include(<sqlite3.h>)
package:libsqlite3-dev
#endif
HEADERS
}

all_libraries="nlohmann-json3-dev libfmt-dev libexpected-dev libcli11-dev doctest-dev libdeflate-dev zlib1g-dev libsqlite3-dev libtomlplusplus-dev"

# Prints what the build lacks, as Debian and Ubuntu name it.
missing_build_packages() {
    local compiler
    if compiler=$(find_compiler); then
        missing_libraries "$compiler" || true
    else
        if command -v g++ >/dev/null; then echo g++-12; else echo g++; fi
        local library
        for library in $all_libraries; do echo "$library"; done
    fi
    command -v cmake >/dev/null || echo cmake
    command -v ninja >/dev/null || echo ninja-build
    command -v git >/dev/null || echo git
    command -v openssl >/dev/null || echo openssl
    command -v python3 >/dev/null || echo python3
    [ -e /etc/ssl/certs/ca-certificates.crt ] || [ -e /etc/ssl/cert.pem ] || [ -d /etc/pki ] || echo ca-certificates
    # The tree-sitter sources come from npm, or else from PyPI; pip is the smaller of the two to install.
    if [ ! -e third_party ] && ! command -v npm >/dev/null && ! python3 -m pip --version >/dev/null 2>&1; then
        echo python3-pip
    fi
}

# Installs the packages. Stops with the line to run by hand when it may not or cannot.
install_packages() { # PACKAGE...
    [ $# -gt 0 ] || return 0
    say "missing: $*"
    command -v apt-get >/dev/null || stop "there is no apt-get on this machine, so these must be installed by hand: $*" \
        "The names are those of Debian and Ubuntu; other systems have the same libraries under similar names."
    local as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || stop "installing packages needs root or sudo, and neither is here" \
            "Ask an administrator to run:  apt-get install -y $*" "Then run this again."
        as_root=(sudo)
    fi
    local apt=(${as_root[@]+"${as_root[@]}"} env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=120)
    "${apt[@]}" update </dev/null || say "apt-get update failed; going on with the package lists that are here"
    "${apt[@]}" install -y --no-install-recommends "$@" </dev/null >/dev/null ||
        stop "apt-get could not install: $*" \
            "By hand:  apt-get update && apt-get install -y $*" \
            "On Ubuntu some of them are in the universe component:  add-apt-repository universe"
    say "installed: $*"
}

ensure_build_tools() {
    local missing round
    # More than one look: only a compiler can say which headers are there, and the default one may be too old.
    for round in 1 2 3; do
        mapfile -t missing < <(missing_build_packages)
        [ ${#missing[@]} -gt 0 ] || break
        [ "$round" -lt 3 ] || break
        install_packages "${missing[@]}"
    done
    [ ${#missing[@]} -eq 0 ] || stop "still missing after the installation: ${missing[*]}" \
        "Install them by hand and run this again."
    CXX=$(find_compiler)
    export CXX
    if [ -z "${CC:-}" ]; then
        # The C compiler of the same family and version.
        CC=${CXX/clang++/clang}
        CC=${CC/g++/gcc}
        CC=${CC/c++/cc}
        export CC
    fi
}

# Warnings are errors where the compiler is known: in CI. A newer compiler's new warning must not stop a newcomer.
# Of the lines of a build, where MIGRATION_SHOW_PROGRESS asks for it, one every 15 seconds: "[41/96]".
show_progress() {
    local line said=$SECONDS
    while IFS= read -r line; do
        if [ -n "${MIGRATION_SHOW_PROGRESS:-}" ] && [ $((SECONDS - said)) -ge 15 ] && [[ $line == \[*/*\]* ]]; then
            said=$SECONDS
            say "  ${line%%]*}] after $SECONDS s"
        fi
    done
}

configure_and_build() { # PRESET [-B DIRECTORY] [CMAKE ARGUMENT...] [-- TARGET...]
    local preset=$1 directory=build/$1 options=() targets=() log
    shift
    if [ "${1:-}" = -B ]; then directory=$2 && shift 2; fi
    log=$directory.log
    while [ $# -gt 0 ] && [ "$1" != -- ]; do options+=("$1") && shift; done
    [ $# -eq 0 ] || shift
    if [ $# -gt 0 ]; then targets=(--target "$@"); fi
    options+=(-DMIGRATION_UNITY=ON)
    [ -z "${CI:-}" ] || options+=(-DMIGRATION_WERROR=ON)
    mkdir -p build
    cmake --preset "$preset" -B "$directory" ${options[@]+"${options[@]}"} >"$log" 2>&1 || {
        cat "$log" >&2
        stop "CMake could not configure the $preset preset (see above)" \
            "If the compiler or a package has changed, remove $directory and run this again."
    }
    (
        set -o pipefail
        cmake --build "$directory" --parallel "${CMAKE_BUILD_PARALLEL_LEVEL:-$(jobs_count)}" ${targets[@]+"${targets[@]}"} 2>&1 |
            tee -a "$log" | show_progress
    ) || {
        tail -n 80 "$log" >&2
        stop "the build of the $preset preset in $directory failed (whole log: $log)"
    }
}
