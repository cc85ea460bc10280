#!/usr/bin/env bash
# Conversations (ShareGPT) into data for fine-tuning.
set -euo pipefail
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# This machine alone makes the data.
export NNODES=1
# shellcheck source=/dev/null
source "$HERE/settings.sh"
# shellcheck source=/dev/null
source "$HERE/environment.sh"

mkdir -p "$(dirname "$MULTI_TURN_PREFIX")"
cd "$MINDSPEED_LLM"
python3 preprocess_data.py \
    --input "$CONVERSATIONS" \
    --tokenizer-type PretrainedFromHF \
    --tokenizer-name-or-path "$HF_DIR" \
    --handler-name SharegptStyleInstructionHandler \
    --output-prefix "$MULTI_TURN_PREFIX" \
    --workers 4 \
    --log-interval 1000 \
    --prompt-type "$PROMPT_TYPE" \
    --map-keys '{"messages":"conversations", "tags":{"role_tag": "from", "content_tag": "value", "user_tag": "human", "assistant_tag": "gpt", "system_tag": "system"}}'
