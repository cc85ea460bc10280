# What every program must be told of {{title}} and of its layout, {{layout_title}}. Sourced by the scripts of this folder.
# The sizes come from config.json, the layout is that of the checkpoint: for another one run ckpt_convert launch again.
# shellcheck shell=bash disable=SC2034

MODEL_ARGS=(
{{model_args}}
    --tokenizer-type PretrainedFromHF
    --tokenizer-name-or-path "$HF_DIR"
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
    --context-parallel-algo megatron_cp_algo #? cp > 1
    --sequence-parallel #? tp > 1 & !without_sequence_parallel
    --use-distributed-optimizer #? !without_use_distributed_optimizer
    --overlap-grad-reduce #? dp > 1 & !dualpipev
    --overlap-param-gather #? dp > 1 & !dualpipev & !without_use_distributed_optimizer
    --moe-token-dispatcher-type alltoall #? experts > 0
    --use-fused-moe-token-permute-and-unpermute #? experts > 0
    --use-flash-attn #? !without_use_flash_attn
    --use-fused-rmsnorm #? rms_norm
    --use-fused-swiglu #? swiglu & !without_use_fused_swiglu
    --use-fused-rotary-pos-emb #? rope
    --attention-softmax-in-fp32
    --no-masked-softmax-fusion
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

# For programs that answer: one sample, nothing to save.
ANSWER_ARGS=(
    --seq-length "$SEQ_LENGTH"
    --micro-batch-size 1
    --load "$MCORE_DIR"
    --no-load-optim
    --no-load-rng
    --sequence-parallel #? tp > 1 & experts > 0
    --moe-token-dispatcher-type alltoall #? experts > 0
    --use-flash-attn
    --use-fused-rmsnorm #? rms_norm
    --use-fused-swiglu #? swiglu
    --use-fused-rotary-pos-emb #? rope
    --attention-softmax-in-fp32
    --no-masked-softmax-fusion
    --distributed-backend nccl
)
