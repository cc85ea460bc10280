#!/usr/bin/env bash
# Fine-tunes all weights of {{title}} on instructions with FSDP2: finetune_full.yaml has the rest.
set -euo pipefail
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=/dev/null
source "$HERE/settings.sh"
# shellcheck source=/dev/null
source "$HERE/environment.sh"
OUTPUT_DIR="${OUTPUT_DIR:-$SAVE_DIR/full}"
if [ ! -f "$HF_DIR/config.json" ]; then
    echo "There is no model in $HF_DIR: say where it is: HF_DIR=/path $0" >&2
    exit 1
fi

mkdir -p "$OUTPUT_DIR" "$LOG_DIR"
cd "$MINDSPEED_LLM"
torchrun "${LAUNCH_ARGS[@]}" train_fsdp2.py "$HERE/finetune_full.yaml" \
    --model.model_name_or_path "$HF_DIR" \
    --data.dataset "{\"file_name\": \"$INSTRUCTIONS\"}" \
    --data.template "$TEMPLATE" \
    --training.output_dir "$OUTPUT_DIR" 2>&1 | tee "$LOG_DIR/finetune_full.$NODE_RANK.log"
