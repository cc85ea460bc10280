#!/usr/bin/env bash
# Pairs of a chosen and a rejected answer (Alpaca) into data for DPO.
set -euo pipefail
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# This machine alone makes the data.
export NNODES=1
# shellcheck source=/dev/null
source "$HERE/settings.sh"
# shellcheck source=/dev/null
source "$HERE/environment.sh"

mkdir -p "$(dirname "$PAIRWISE_PREFIX")"
cd "$MINDSPEED_LLM"
python3 preprocess_data.py \
    --input "$PAIRS" \
    --tokenizer-type PretrainedFromHF \
    --tokenizer-name-or-path "$HF_DIR" \
    --handler-name AlpacaStylePairwiseHandler \
    --output-prefix "$PAIRWISE_PREFIX" \
    --workers 4 \
    --log-interval 1000 \
    --prompt-type "$PROMPT_TYPE"
