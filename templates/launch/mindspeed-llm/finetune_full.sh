#!/usr/bin/env bash
# Fine-tunes all weights of {{title}} on instructions.
set -euo pipefail
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=/dev/null
source "$HERE/settings.sh"
# shellcheck source=/dev/null
source "$HERE/environment.sh"
OUTPUT_DIR="${OUTPUT_DIR:-$SAVE_DIR/full}"
# shellcheck source=/dev/null
source "$HERE/model.sh"
# PACKED=1: the data of data_packed.sh, whose samples must not see each other.
if [ "${PACKED:-0}" = 1 ]; then
    DATA_ARGS=(--data-path "$PACKED_PREFIX" --reset-attention-mask --neat-pack)
else
    DATA_ARGS=(--data-path "$INSTRUCTION_PREFIX" --variable-seq-lengths)
fi

mkdir -p "$OUTPUT_DIR" "$LOG_DIR"
cd "$MINDSPEED_LLM"
torchrun "${LAUNCH_ARGS[@]}" posttrain_gpt.py \
    "${MODEL_ARGS[@]}" \
    "${TRAIN_ARGS[@]}" \
    "${LOAD_ARGS[@]}" \
    --stage sft \
    --is-instruction-dataset \
    --prompt-type "$PROMPT_TYPE" \
    "${DATA_ARGS[@]}" \
    --save "$OUTPUT_DIR" 2>&1 | tee "$LOG_DIR/finetune_full.$NODE_RANK.log"
