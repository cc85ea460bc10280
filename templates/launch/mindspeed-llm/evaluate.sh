#!/usr/bin/env bash
# Measures {{title}} on a benchmark: TASK is {{benchmarks}}. TUNED=1: after instruction tuning.
set -euo pipefail
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
# shellcheck source=/dev/null
source "$HERE/settings.sh"
# shellcheck source=/dev/null
source "$HERE/environment.sh"
# shellcheck source=/dev/null
source "$HERE/model.sh"
TASK="${TASK:-mmlu}"
# The length of an answer is that of the benchmark's own documents: too few tokens cut answers, and the score falls without an error.
while read -r NAME FOLDER TOKENS PROMPTED ANSWER_LANGUAGE; do
    if [ "$NAME" = "$TASK" ]; then break; fi
done <<'BENCHMARKS'
{{benchmark_table}}
BENCHMARKS
if [ -z "$FOLDER" ]; then
    echo "evaluate.sh: TASK is $TASK, and evaluation.py knows {{benchmarks}}" >&2
    exit 2
fi
TASK_DATA="${TASK_DATA:-$DATA_DIR/$FOLDER}"
MAX_NEW_TOKENS="${MAX_NEW_TOKENS:-$TOKENS}"
if [ ! -d "$TASK_DATA" ]; then
    echo "evaluate.sh: $TASK_DATA is missing: TASK_DATA names the folder with the questions of $TASK" >&2
    exit 2
fi
# A model that was tuned gets the prompts of its training, or else the chat template of its tokenizer; any other one the bare questions.
PROMPT=()
if [ "${TUNED:-0}" != 1 ]; then
    PROMPT=(--no-chat-template)
elif [ "$PROMPTED" = yes ]; then
    PROMPT=(--prompt-type "$PROMPT_TYPE")
fi

mkdir -p "$LOG_DIR"
cd "$MINDSPEED_LLM"
torchrun "${LAUNCH_ARGS[@]}" evaluation.py \
    "${MODEL_ARGS[@]}" \
    "${ANSWER_ARGS[@]}" \
    ${PROMPT[@]+"${PROMPT[@]}"} \
    --eval-language "$ANSWER_LANGUAGE" \
    --broadcast \ #? ep > 1
    --task "$TASK" \
    --task-data-path "$TASK_DATA" \
    --max-new-tokens "$MAX_NEW_TOKENS" 2>&1 | tee "$LOG_DIR/evaluate_$TASK.$NODE_RANK.log"
