#!/usr/bin/env bash
# Merges the LoRA adapter that a training run saved into the weights, and writes them for Hugging Face. Needs no device.
set -euo pipefail
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=/dev/null
source "$HERE/settings.sh"
LORA_DIR="${LORA_DIR:-$SAVE_DIR/lora}"
OUTPUT_DIR="${OUTPUT_DIR:-$HERE/hf_merged}"

ckpt_convert convert "$MCORE_DIR" "$OUTPUT_DIR" --to hf --hf-cfg-dir "$HF_DIR" --lora-load "$LORA_DIR"
