#!/usr/bin/env bash
# Fetches the pinned C sources of tree-sitter (core) and tree-sitter-python into third_party/.
# From npm by name and version; without npm, the same versions as PyPI source distributions. Every archive is checked
# against its SHA-512 before anything is unpacked. Does nothing when the sources are already there, as their sums in
# cmake/third_party.sha256 say; whatever else is there goes.
set -euo pipefail
cd "$(dirname "$0")/.."

stop() {
    printf 'fetch_sources: %s\n' "$1" >&2
    printf 'By hand: copy the folder third_party of a machine where this has worked, then run this again.\n' >&2
    exit 1
}

# As cmake/Dependencies.cmake does at every build.
is_whole() {
    local sum
    [ -d third_party ] || return 1
    sum=$(cd third_party && find . -type f ! -path ./.fetched -printf '%P\n' | LC_ALL=C sort | xargs -d '\n' -r sha256sum | sha256sum)
    grep -q "^${sum%% *} " cmake/third_party.sha256
}
if is_whole; then exit 0; fi

command -v openssl >/dev/null || stop "openssl is needed to check the archives (apt-get install openssl)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

check() { # FILE SHA512-BASE64
    local found
    found=$(openssl dgst -sha512 -binary "$1" | base64 -w0)
    [ "$found" = "$2" ] || stop "$(basename "$1") has the wrong SHA-512: expected $2, found $found"
}

from_npm() { # NAME VERSION SHA512
    local file
    file=$(cd "$work" && npm pack --silent "$1@$2" 2>"$work/npm.log" | tail -n 1) || return 1
    check "$work/$file" "$3"
    mkdir -p "$work/$1"
    tar -xzf "$work/$file" -C "$work/$1" --strip-components=1
}

from_pypi() { # NAME VERSION ARCHIVE SHA512
    python3 -m pip download --quiet --no-deps --no-binary "$1" --dest "$work" "$1==$2" >"$work/pip.log" 2>&1 || return 1
    check "$work/$3" "$4"
    mkdir -p "$work/$1-$2"
    tar -xzf "$work/$3" -C "$work/$1-$2" --strip-components=1
}

place() { # CORE CORE_LIB_DIR PARSER SCANNER
    rm -rf third_party
    mkdir -p third_party/tree-sitter third_party/tree-sitter-python
    cp -R "$1/LICENSE" "$2/src" "$2/include" third_party/tree-sitter/
    cp -R "$3/LICENSE" "$3/src" third_party/tree-sitter-python/
    cp "$4" third_party/tree-sitter-python/src/scanner.c
    is_whole || stop "the sources are not those whose sums cmake/third_party.sha256 has"
}

if command -v npm >/dev/null && from_npm tree-sitter 0.25.0 \
    'PGZZzFW63eElZJDe/b/R/LbsjDDYJa5UEjLZJB59RQsMX+fo0j54fqBPn1MGKav/QNa0JR0zBiVaikYDWCj5KQ==' && from_npm tree-sitter-python 0.25.0 \
    'eCmJx6zQa35GxaCtQD+wXHOhYqBxEL+bp71W/s3fcDMu06MrtzkVXR437dRrCrbrDbyLuUDJpAgycs7ncngLXw=='; then
    place "$work/tree-sitter" "$work/tree-sitter/vendor/tree-sitter/lib" "$work/tree-sitter-python" \
        "$work/tree-sitter-python/src/scanner.c"
    exit 0
fi

# The PyPI archive of the grammar leaves scanner.c out; the one of 0.23.6 has it, with the same external tokens
# (0.25.0 only renamed a variable and narrowed an integer).
if command -v python3 >/dev/null && python3 -m pip --version >/dev/null 2>&1 && from_pypi tree-sitter 0.25.0 tree-sitter-0.25.0.tar.gz \
    'QEoQ8Lqo6f1hRFmGDVtBRCLSQ20lznVnv9pxWxJa4HXamfRWI9NM3pZPF7qq1gOUaB1yKmyZbmEgUYkd0W5z3g==' && from_pypi tree-sitter-python 0.25.0 tree_sitter_python-0.25.0.tar.gz \
    'GFYonrluHAWlqrH8W5WluSrUgOJ0pzCdAjwzZixjAX7gp/d+yiRztNbNHhiElP85S6d/t1ChSdpWnPYAYuiyGA==' && from_pypi tree-sitter-python 0.23.6 tree_sitter_python-0.23.6.tar.gz \
    '5wf0zwSiwQCVLMj9NkJMU15cfmB3vvOXEHW1FfSqRLs/6C5g3PmebBS45Ka5iuSUZdsRbXEPMR4JC4pw0HE/qQ=='; then
    place "$work/tree-sitter-0.25.0" "$work/tree-sitter-0.25.0/tree_sitter/core/lib" "$work/tree-sitter-python-0.25.0" \
        "$work/tree-sitter-python-0.23.6/src/scanner.c"
    exit 0
fi

cat "$work"/*.log >&2 2>/dev/null || true
stop "neither npm nor pip could fetch the sources (is there a network or a package mirror?)"
