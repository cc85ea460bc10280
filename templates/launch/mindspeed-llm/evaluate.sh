#!/usr/bin/env bash
# Measures {{title}} on a benchmark: TASK is mmlu, gsm8k, ceval, boolq and others.
set -euo pipefail
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=/dev/null
source "$HERE/settings.sh"
# shellcheck source=/dev/null
source "$HERE/environment.sh"
# shellcheck source=/dev/null
source "$HERE/model.sh"
TASK="${TASK:-mmlu}"
TASK_DATA="${TASK_DATA:-$DATA_DIR/$TASK/test}"

mkdir -p "$LOG_DIR"
cd "$MINDSPEED_LLM"
torchrun "${LAUNCH_ARGS[@]}" evaluation.py \
    "${MODEL_ARGS[@]}" \
    "${ANSWER_ARGS[@]}" \
    --task "$TASK" \
    --task-data-path "$TASK_DATA" \
    --max-new-tokens 8 2>&1 | tee "$LOG_DIR/evaluate_$TASK.$NODE_RANK.log"
