# What every program must be told of {{title}} and of its layout, {{layout_title}}. Sourced by the scripts of this folder.
# The sizes come from config.json, the layout is that of the checkpoint: for another one run ckpt_convert launch again.
# shellcheck shell=bash disable=SC2034

MODEL_ARGS=(
{{model_args}}
    --tensor-model-parallel-size {{tp}}
    --pipeline-model-parallel-size {{pp}}
    --expert-model-parallel-size {{ep}} #? experts > 0
    --expert-tensor-parallel-size {{etp}} #? experts > 0
    --ckpt-format torch_dist
    --dist-ckpt-strictness assume_ok_unexpected
    --tokenizer-type HuggingFaceTokenizer
    --tokenizer-model "$HF_DIR"
)

# How training runs, whatever it trains.
TRAIN_ARGS=(
    --seq-length "$SEQ_LENGTH"
    --micro-batch-size "$MICRO_BATCH_SIZE"
    --global-batch-size "$GLOBAL_BATCH_SIZE"
    --train-iters "$TRAIN_ITERS"
    --lr "$LR"
    --min-lr "$MIN_LR"
    --lr-decay-style cosine
    --lr-warmup-fraction 0.01
    --weight-decay 0.1
    --adam-beta1 0.9
    --adam-beta2 0.95
    --clip-grad 1.0
    --context-parallel-size {{cp}} #? cp > 1
    --sequence-parallel #? tp > 1 & !without_sequence_parallel
    --use-distributed-optimizer #? !without_use_distributed_optimizer
    --overlap-grad-reduce #? dp > 1 & !dualpipev
    --overlap-param-gather #? dp > 1 & !dualpipev & !without_use_distributed_optimizer
    --moe-token-dispatcher-type alltoall #? experts > 0
    --attention-backend flash #? !with_no_flash_attention
{{choice_args}}
    --distributed-backend nccl
    --log-interval 1
    --log-throughput
    --save-interval "$SAVE_INTERVAL"
    --eval-interval "$SAVE_INTERVAL"
    --eval-iters 0
)

# A program that finds no checkpoint begins with random weights and says so in one line of many.
needs_checkpoint() {
    if [ ! -f "$1/latest_checkpointed_iteration.txt" ]; then
        echo "There is no checkpoint in $1: make it with ./convert_to_mcore.sh, or say where it is: MCORE_DIR=/path $0" >&2 #? converts
        echo "There is no checkpoint in $1. Say where it is: MCORE_DIR=/path $0" >&2 #? !converts
        exit 1
    fi
}

# From the converted checkpoint; with RESUME=1 from what the last run saved, with the state of its optimizer.
if [ "${RESUME:-0}" = 1 ]; then
    needs_checkpoint "${OUTPUT_DIR:-$SAVE_DIR}"
    LOAD_ARGS=(--load "${OUTPUT_DIR:-$SAVE_DIR}")
else
    needs_checkpoint "$MCORE_DIR"
    LOAD_ARGS=(--load "$MCORE_DIR" --finetune --no-load-optim --no-load-rng)
fi
