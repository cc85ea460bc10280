#!/usr/bin/env bash
# Texts, one JSON object with "text" on a line, into data for pre-training: PRETRAIN_PREFIX_text_document.bin and .idx.
set -euo pipefail
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# This machine alone makes the data.
export NNODES=1
# shellcheck source=/dev/null
source "$HERE/settings.sh"
# shellcheck source=/dev/null
source "$HERE/environment.sh"

mkdir -p "$(dirname "$PRETRAIN_PREFIX")"
cd "$MINDSPEED_LLM"
python3 preprocess_data.py \
    --input "$PRETRAIN_TEXT" \
    --tokenizer-type PretrainedFromHF \
    --tokenizer-name-or-path "$HF_DIR" \
    --handler-name GeneralPretrainHandler \
    --output-prefix "$PRETRAIN_PREFIX" \
    --workers 4 \
    --log-interval 1000 \
    --json-keys text \
    --append-eod
