#!/usr/bin/env bash
# A conversation with {{title}}, shared out over all devices: with Hugging Face's files, or CHAT_DIR=what convert_to_hf.sh wrote.
set -euo pipefail
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=/dev/null
source "$HERE/settings.sh"
# shellcheck source=/dev/null
source "$HERE/environment.sh"
CHAT_DIR="${CHAT_DIR:-$HF_DIR}"

mkdir -p "$LOG_DIR"
cd "$MINDSPEED_LLM"
torchrun "${LAUNCH_ARGS[@]}" inference_fsdp2.py "$HERE/pretrain.yaml" \
    --model.model_name_or_path "$CHAT_DIR" \
    --parallel.recompute false \
    --inference.infer_backend huggingface \
    --inference.max_new_tokens 512 \
    --inference.do_sample false 2>&1 | tee "$LOG_DIR/chat.$NODE_RANK.log"
