#!/usr/bin/env bash
# Puts what a build needs next to the sources, so that it runs without a network and without the packages of libraries: Debian's
# packages of the libraries below dependencies/ARCHITECTURE, the C sources of tree-sitter below third_party/. Needs a system with apt;
# pack the folder afterwards and build it elsewhere with cmake --preset portable.
set -euo pipefail
cd "$(dirname "$0")/.."
source cmake/setup.sh

usage="Usage: cmake/gather_dependencies.sh [ARCHITECTURE...]     (x86_64, aarch64; default: this machine's)"
[ $# -gt 0 ] || set -- "$(uname -m)"

gather() { # ARCHITECTURE
    local debian package apt target=dependencies/$1
    case $1 in
        x86_64) debian=amd64 ;;
        aarch64) debian=arm64 ;;
        *) stop "the architecture $1 is not supported" "$usage" ;;
    esac
    # Lists and packages of its own: the other architecture stays unknown to the system.
    apt=(apt-get -qq -o Dir::State::Lists="$work/lists" -o Dir::Cache="$work/cache" -o APT::Architecture="$debian"
        -o APT::Architectures="$debian" -o APT::Sandbox::User=root
        # Lists that the distribution has signed, and packages with the sums in them.
        -o APT::Get::AllowUnauthenticated=false -o Acquire::AllowInsecureRepositories=false)
    mkdir -p "$work/$1" "$work/lists/partial" "$work/cache/archives/partial"
    "${apt[@]}" update || stop "apt-get has no package lists for $debian"
    (cd "$work/$1" && for package in $all_libraries; do
        "${apt[@]}" download "$package" && dpkg-deb --extract "$package"_*.deb . || exit 1
    done) || stop "apt-get could not download the libraries for $debian: $all_libraries"
    rm -rf "$target"
    mkdir -p "$target/lib" "$target/licenses"
    cp -R "$work/$1/usr/include" "$target/"
    find "$work/$1/usr/lib" \( -name libdeflate.a -o -name libz.a -o -name libsqlite3.a \) -exec cp {} "$target/lib/" \;
    for package in $all_libraries; do cp "$work/$1/usr/share/doc/$package/copyright" "$target/licenses/$package"; done
    say "$target: $all_libraries"
}

case $1 in -h | --help) say "$usage" && exit 0 ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake/fetch_sources.sh
for architecture; do gather "$architecture"; done
