#!/usr/bin/env bash
# Pre-trains {{title}}, from the converted checkpoint.
set -euo pipefail
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=/dev/null
source "$HERE/settings.sh"
# shellcheck source=/dev/null
source "$HERE/environment.sh"
OUTPUT_DIR="${OUTPUT_DIR:-$SAVE_DIR}"
# shellcheck source=/dev/null
source "$HERE/model.sh"

mkdir -p "$OUTPUT_DIR" "$LOG_DIR"
cd "$MEGATRON_LM"
torchrun "${LAUNCH_ARGS[@]}" "$HERE/start_megatron.py" pretrain_gpt.py \
    "${MODEL_ARGS[@]}" \
    "${TRAIN_ARGS[@]}" \
    "${LOAD_ARGS[@]}" \
    --data-path "${PRETRAIN_PREFIX}_text_document" \
    --split 100,0,0 \
    --save "$OUTPUT_DIR" 2>&1 | tee "$LOG_DIR/pretrain.$NODE_RANK.log"
