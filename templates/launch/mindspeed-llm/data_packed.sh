#!/usr/bin/env bash
# The same, with several samples packed into a sequence: training then needs --reset-attention-mask, which finetune_full.sh has with PACKED=1.
set -euo pipefail
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# This machine alone makes the data.
export NNODES=1
# shellcheck source=/dev/null
source "$HERE/settings.sh"
# shellcheck source=/dev/null
source "$HERE/environment.sh"

mkdir -p "$(dirname "$PACKED_PREFIX")"
cd "$MINDSPEED_LLM"
python3 preprocess_data.py \
    --input "$INSTRUCTIONS" \
    --tokenizer-type PretrainedFromHF \
    --tokenizer-name-or-path "$HF_DIR" \
    --handler-name AlpacaStyleInstructionHandler \
    --output-prefix "$PACKED_PREFIX" \
    --workers 4 \
    --log-interval 1000 \
    --prompt-type "$PROMPT_TYPE" \
    --pack \
    --neat-pack \
    --seq-length "$SEQ_LENGTH"
