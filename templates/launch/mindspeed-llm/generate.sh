#!/usr/bin/env bash
# Lets {{title}} continue texts. MCORE_DIR=DIR ./generate.sh takes another checkpoint.
set -euo pipefail
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=/dev/null
source "$HERE/settings.sh"
# shellcheck source=/dev/null
source "$HERE/environment.sh"
# shellcheck source=/dev/null
source "$HERE/model.sh"

mkdir -p "$LOG_DIR"
cd "$MINDSPEED_LLM"
torchrun "${LAUNCH_ARGS[@]}" inference.py \
    "${MODEL_ARGS[@]}" \
    "${ANSWER_ARGS[@]}" \
    --task greedy \
    --max-new-tokens 256 2>&1 | tee "$LOG_DIR/generate.$NODE_RANK.log"
