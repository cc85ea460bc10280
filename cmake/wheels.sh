#!/usr/bin/env bash
# Makes what a release consists of, below dist/: for each architecture a wheel and an archive with both programs, and SHA-256 sums.
# With --key the sums are signed.
# The programs need no shared library, so a wheel is for every Linux and every Python of its architecture.
set -euo pipefail
cd "$(dirname "$0")/.."
source cmake/setup.sh

usage="Usage: cmake/wheels.sh [--programs DIR] [--output DIR] [--key FILE] [ARCHITECTURE...]
  ARCHITECTURE   x86_64, aarch64 (default: this machine's); the other one is built with Debian's
                 cross compiler
  --programs     a directory with portable programs: nothing is built
  --output       instead of dist
  --key          a private key in PEM form (EC or RSA): SHA256SUMS is signed with it, as SHA256SUMS.sig"
programs=
output=dist
key=
architectures=()
while [ $# -gt 0 ]; do
    case $1 in
        --programs) programs=$(realpath "$2") && shift 2 ;;
        --output) output=$2 && shift 2 ;;
        --key) key=$(realpath "$2") && shift 2 ;;
        -h | --help) say "$usage" && exit 0 ;;
        x86_64 | aarch64) architectures+=("$1") && shift ;;
        *) printf '%s\n' "$usage" >&2 && exit 2 ;;
    esac
done
[ ${#architectures[@]} -gt 0 ] || architectures=("$(uname -m)")

ensure_packaging_tools() {
    local python=build/packaging/bin/python
    if "$python" -c 'import scikit_build_core, wheel' 2>/dev/null; then return 0; fi
    python3 -c 'import ensurepip, venv' 2>/dev/null || install_packages python3-venv
    python3 -m venv --clear build/packaging
    "$python" -m pip install --quiet --disable-pip-version-check --only-binary :all: --require-hashes -r cmake/packaging.txt </dev/null ||
        stop "pip could not install the files of cmake/packaging.txt, which make the wheels"
}

build_programs() { # ARCHITECTURE: prints the directory of its programs
    if [ "$1" = "$(uname -m)" ]; then
        configure_and_build portable -- migrator ckpt_convert >&2
        echo build/portable/bin
        return 0
    fi
    [ "$1" = aarch64 ] || stop "programs for $1 cannot be built on this machine"
    command -v aarch64-linux-gnu-g++ >/dev/null || install_packages g++-aarch64-linux-gnu >&2
    [ -d "dependencies/$1" ] || cmake/gather_dependencies.sh "$1" >&2
    configure_and_build portable -B "build/portable-$1" --toolchain cmake/aarch64.cmake -- migrator ckpt_convert >&2
    echo "build/portable-$1/bin"
}

make_wheel() { # ARCHITECTURE PROGRAMS
    local work=build/packaging/$1 file
    rm -rf "$work"
    build/packaging/bin/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir "$work" \
        --config-settings=build-dir="$work/cmake" --config-settings=cmake.define.MIGRATION_PROGRAMS="$2" . </dev/null
    for file in "$work"/*.whl; do
        build/packaging/bin/python -m wheel tags --remove --platform-tag "manylinux_2_17_$1.manylinux2014_$1" "$file" >/dev/null
    done
    mv "$work"/*.whl "$output/"
}

make_archive() { # ARCHITECTURE PROGRAMS
    local version name work
    version=$(sed -n 's/^project(.* VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
    name=ascend-migration-toolkit-$version-linux-$1
    work=build/packaging/$1/$name
    mkdir -p "$work"
    cp "$2/migrator" "$2/ckpt_convert" LICENSE templates/licenses.txt "$work/"
    tar -czf "$output/$name.tar.gz" --owner=0 --group=0 -C "build/packaging/$1" "$name"
}

mkdir -p build "$output"
output=$(realpath "$output")
ensure_packaging_tools
[ -n "$programs" ] || { ensure_build_tools && cmake/fetch_sources.sh; }
for architecture in "${architectures[@]}"; do
    directory=$(realpath "${programs:-$(build_programs "$architecture")}")
    make_wheel "$architecture" "$directory"
    make_archive "$architecture" "$directory"
done
cd "$output"
sha256sum -- *.whl *.tar.gz >SHA256SUMS
cat SHA256SUMS
rm -f SHA256SUMS.sig
[ -z "$key" ] || openssl dgst -sha256 -sign "$key" -out SHA256SUMS.sig SHA256SUMS || stop "openssl could not sign with $key"
