#!/usr/bin/env bash
# Pre-trains {{title}} with FSDP2, from Hugging Face's own files: pretrain.yaml has the rest.
set -euo pipefail
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=/dev/null
source "$HERE/settings.sh"
# shellcheck source=/dev/null
source "$HERE/environment.sh"
OUTPUT_DIR="${OUTPUT_DIR:-$SAVE_DIR}"
if [ ! -f "$HF_DIR/config.json" ]; then
    echo "There is no model in $HF_DIR: say where it is: HF_DIR=/path $0" >&2
    exit 1
fi

mkdir -p "$OUTPUT_DIR" "$LOG_DIR"
cd "$MINDSPEED_LLM"
torchrun "${LAUNCH_ARGS[@]}" train_fsdp2.py "$HERE/pretrain.yaml" \
    --model.model_name_or_path "$HF_DIR" \
    --data.dataset "{\"file_name\": \"$PRETRAIN_TEXT\"}" \
    --training.output_dir "$OUTPUT_DIR" 2>&1 | tee "$LOG_DIR/pretrain.$NODE_RANK.log"
