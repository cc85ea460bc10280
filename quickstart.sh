#!/usr/bin/env bash
# From a fresh clone to both tools at work: installs what is missing, builds, and runs both main jobs on the samples.
# Can be run again at any time; what is there already is not done twice.
set -euo pipefail
cd "$(dirname "$0")"
source cmake/setup.sh

if [ $# -gt 0 ]; then
    say "Usage: ./quickstart.sh    (no options; results go to out/, programs to build/release/bin/)"
    [ "$1" = --help ] || [ "$1" = -h ] || exit 2
    exit 0
fi

step "1/4 Tools and libraries"
ensure_build_tools
say "all there; compiler: $($CXX --version | head -n 1)"

step "2/4 Sources of tree-sitter"
cmake/fetch_sources.sh
say "third_party/: the C sources of tree-sitter, checked by their sums"

step "3/4 Build (the first time about 4.5 minutes on two cores, of about 5 in all)"
started=$SECONDS
MIGRATION_SHOW_PROGRESS=1 configure_and_build release -- migrator ckpt_convert
say "build/release/bin/ is up to date ($((SECONDS - started)) s); log: build/release.log"

migrator=build/release/bin/migrator
ckpt_convert=build/release/bin/ckpt_convert

run() { # the command as a reader would type it, then its output, indented
    printf '\n$ %s\n' "$*"
    local status=0
    "$@" 2>&1 | sed 's/^/    /' || status=$?
    [ "$status" -eq 0 ] || stop "this command ended with exit code $status" "Meanings: docs/reference/exit-codes.md"
}

step "4/4 Both jobs on the samples"
# Only what this script itself makes below out/.
rm -rf out/gpt_train_npu out/gpt_train_report out/tiny_llama2 out/tiny_llama2_mcore out/tiny_qwen3 out/tiny_qwen3_mcore*
mkdir -p out
run "$migrator" migrate samples/gpt_train -o out/gpt_train_npu --report out/gpt_train_report
for family in llama2 qwen3; do
    run python3 samples/checkpoints/make_tiny.py "$family" "out/tiny_$family"
    run "$ckpt_convert" --load-dir "out/tiny_$family" --save-dir "out/tiny_${family}_mcore" --tp 2 --pp 2
done
printf '\n$ %s inspect out/tiny_qwen3_mcore\n' "$ckpt_convert"
"$ckpt_convert" inspect out/tiny_qwen3_mcore >out/tiny_qwen3_mcore.txt
sed -n '1,4s/^/    /p' out/tiny_qwen3_mcore.txt
say "    ..."
grep -A 8 'tensors in' out/tiny_qwen3_mcore.txt | sed 's/^/    /'
say "    ... (all of it: out/tiny_qwen3_mcore.txt)"

step "Done. Where to look"
say "The sample project for the NPU    out/gpt_train_npu/"
say "What was found and changed        out/gpt_train_report/report.html   (open it in a browser)"
say "  the same as data, and as a diff out/gpt_train_report/report.json, out/gpt_train_report/report.diff"
say "The checkpoints for Megatron      out/tiny_llama2_mcore/, out/tiny_qwen3_mcore/"
say "  what is in the second one       out/tiny_qwen3_mcore.txt"
say "The programs                      $migrator, $ckpt_convert   (each is one file; try --help)"
say "Tutorial, guides                  docs/tutorial.md, docs/index.md; in Chinese docs/zh/index.md"
