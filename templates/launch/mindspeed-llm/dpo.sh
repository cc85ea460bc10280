#!/usr/bin/env bash
# Trains {{title}} on pairs of answers (DPO), with itself as the reference.
set -euo pipefail
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=/dev/null
source "$HERE/settings.sh"
# shellcheck source=/dev/null
source "$HERE/environment.sh"
OUTPUT_DIR="${OUTPUT_DIR:-$SAVE_DIR/dpo}"
# shellcheck source=/dev/null
source "$HERE/model.sh"

mkdir -p "$OUTPUT_DIR" "$LOG_DIR"
cd "$MINDSPEED_LLM"
torchrun "${LAUNCH_ARGS[@]}" posttrain_gpt.py \
    "${MODEL_ARGS[@]}" \
    "${TRAIN_ARGS[@]}" \
    "${LOAD_ARGS[@]}" \
    --stage dpo \
    --is-pairwise-dataset \
    --dpo-loss-type sigmoid \
    --dpo-beta 0.1 \
    --ref-model "$MCORE_DIR" \
    --prompt-type "$PROMPT_TYPE" \
    --variable-seq-lengths \
    --data-path "$PAIRWISE_PREFIX" \
    --save "$OUTPUT_DIR" 2>&1 | tee "$LOG_DIR/dpo.$NODE_RANK.log"
