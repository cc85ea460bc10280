#!/usr/bin/env bash
# Converts what a training run saved back to Hugging Face. Needs no device. #? !fsdp2
# Merges the shards that a run saved (torch.distributed.checkpoint) into a Hugging Face directory. Needs no device. #? fsdp2
set -euo pipefail
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=/dev/null
source "$HERE/settings.sh"
TRAINED_DIR="${TRAINED_DIR:-$SAVE_DIR}" #? !mindspeed_llm
TRAINED_DIR="${TRAINED_DIR:-$SAVE_DIR/full}" #? mindspeed_llm
OUTPUT_DIR="${OUTPUT_DIR:-$HERE/hf_trained}"

ckpt_convert convert "$TRAINED_DIR" "$OUTPUT_DIR" --to hf --hf-cfg-dir "$HF_DIR"
