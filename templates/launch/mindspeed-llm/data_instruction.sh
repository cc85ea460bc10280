#!/usr/bin/env bash
# Instructions (Alpaca: instruction, input, output) into data for fine-tuning; training is given the prefix alone.
set -euo pipefail
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# This machine alone makes the data.
export NNODES=1
# shellcheck source=/dev/null
source "$HERE/settings.sh"
# shellcheck source=/dev/null
source "$HERE/environment.sh"

mkdir -p "$(dirname "$INSTRUCTION_PREFIX")"
cd "$MINDSPEED_LLM"
python3 preprocess_data.py \
    --input "$INSTRUCTIONS" \
    --tokenizer-type PretrainedFromHF \
    --tokenizer-name-or-path "$HF_DIR" \
    --handler-name AlpacaStyleInstructionHandler \
    --output-prefix "$INSTRUCTION_PREFIX" \
    --workers 4 \
    --log-interval 1000 \
    --prompt-type "$PROMPT_TYPE"
