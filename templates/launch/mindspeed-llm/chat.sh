#!/usr/bin/env bash
# A conversation with {{title}}.
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
    --task chat \
    --prompt-type "$PROMPT_TYPE" \
    --max-new-tokens 512 2>&1 | tee "$LOG_DIR/chat.$NODE_RANK.log"
