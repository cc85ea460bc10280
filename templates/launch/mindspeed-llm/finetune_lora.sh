#!/usr/bin/env bash
# Trains a LoRA adapter of {{title}} on instructions.
set -euo pipefail
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=/dev/null
source "$HERE/settings.sh"
# shellcheck source=/dev/null
source "$HERE/environment.sh"
OUTPUT_DIR="${OUTPUT_DIR:-$SAVE_DIR/lora}"
# With RESUME=1 the adapter of the last run goes on, over the same weights.
ADAPTER_ARGS=()
if [ "${RESUME:-0}" = 1 ]; then
    ADAPTER_ARGS=(--lora-load "$OUTPUT_DIR")
    RESUME=0
fi
# shellcheck source=/dev/null
source "$HERE/model.sh"

mkdir -p "$OUTPUT_DIR" "$LOG_DIR"
cd "$MINDSPEED_LLM"
torchrun "${LAUNCH_ARGS[@]}" posttrain_gpt.py \
    "${MODEL_ARGS[@]}" \
    "${TRAIN_ARGS[@]}" \
    "${LOAD_ARGS[@]}" \
    ${ADAPTER_ARGS[@]+"${ADAPTER_ARGS[@]}"} \
    --stage sft \
    --is-instruction-dataset \
    --prompt-type "$PROMPT_TYPE" \
    --data-path "$INSTRUCTION_PREFIX" \
    --variable-seq-lengths \
    --lora-r "$LORA_R" \
    --lora-alpha "$LORA_ALPHA" \
    --lora-fusion \
    --lora-target-modules linear_qkv linear_proj linear_fc1 linear_fc2 \
    --save "$OUTPUT_DIR" 2>&1 | tee "$LOG_DIR/finetune_lora.$NODE_RANK.log"
