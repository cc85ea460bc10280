# Paths, names and sizes of {{title}}: everything that you may want to change. Sourced by the scripts of this folder.
# What is set already stays, so that one run can have it otherwise: TRAIN_ITERS=10 ./pretrain.sh
# shellcheck shell=bash disable=SC2034

# Programs. CANN is looked for in its usual places, see environment.sh; elsewhere: the path of its set_env.sh
CANN_SET_ENV="${CANN_SET_ENV:-}"
MINDSPEED_LLM="${MINDSPEED_LLM:-$HOME/MindSpeed-LLM}" #? !megatron
MEGATRON_LM="${MEGATRON_LM:-$HOME/Megatron-LM}" #? megatron

# The model and what becomes of it
HF_DIR="${HF_DIR:-{{hf_dir}}}"
MCORE_DIR="${MCORE_DIR:-{{mcore_dir}}}" #? !fsdp2
SAVE_DIR="${SAVE_DIR:-$HERE/saved}"
LOG_DIR="${LOG_DIR:-$HERE/logs}"

# Data: what is read, and the prefix of what the data scripts write
DATA_DIR="${DATA_DIR:-$HERE/data}"
PRETRAIN_TEXT="${PRETRAIN_TEXT:-$DATA_DIR/pretrain.jsonl}"
INSTRUCTIONS="${INSTRUCTIONS:-$DATA_DIR/alpaca.json}" #? !megatron
CONVERSATIONS="${CONVERSATIONS:-$DATA_DIR/sharegpt.json}" #? mindspeed_llm
PAIRS="${PAIRS:-$DATA_DIR/pairs.json}" #? mindspeed_llm
PRETRAIN_PREFIX="${PRETRAIN_PREFIX:-$DATA_DIR/pretrain}" #? !fsdp2
INSTRUCTION_PREFIX="${INSTRUCTION_PREFIX:-$DATA_DIR/instruction}" #? mindspeed_llm
PACKED_PREFIX="${PACKED_PREFIX:-$DATA_DIR/packed}" #? mindspeed_llm
MULTI_TURN_PREFIX="${MULTI_TURN_PREFIX:-$DATA_DIR/multi_turn}" #? mindspeed_llm
PAIRWISE_PREFIX="${PAIRWISE_PREFIX:-$DATA_DIR/pairwise}" #? mindspeed_llm
# How a conversation becomes text: a name of configs/finetune/templates.json #? mindspeed_llm
PROMPT_TYPE="${PROMPT_TYPE:-{{prompt_type}}}" #? mindspeed_llm
# How a conversation becomes text: a name of MindSpeed-LLM's templates #? fsdp2
TEMPLATE="${TEMPLATE:-{{prompt_type}}}" #? fsdp2

# Machines: on each of several start the same script, with its own NODE_RANK and the address of the first
NPUS_PER_NODE="${NPUS_PER_NODE:-{{per_node}}}"
NNODES="${NNODES:-{{nodes}}}"
NODE_RANK="${NODE_RANK:-0}"
if [ "$NNODES" -gt 1 ]; then
    MASTER_ADDR="${MASTER_ADDR:-}"
else
    MASTER_ADDR="${MASTER_ADDR:-127.0.0.1}"
fi
MASTER_PORT="${MASTER_PORT:-6000}"

# Sizes of a run
SEQ_LENGTH="${SEQ_LENGTH:-{{seq}}}"
MICRO_BATCH_SIZE="${MICRO_BATCH_SIZE:-{{mbs}}}"
GLOBAL_BATCH_SIZE="${GLOBAL_BATCH_SIZE:-{{gbs}}}"
TRAIN_ITERS="${TRAIN_ITERS:-2000}"
SAVE_INTERVAL="${SAVE_INTERVAL:-500}"
LR="${LR:-1e-5}"
MIN_LR="${MIN_LR:-1e-6}"
LORA_R="${LORA_R:-16}" #? mindspeed_llm
LORA_ALPHA="${LORA_ALPHA:-32}" #? mindspeed_llm

LAUNCH_ARGS=(
    --nproc_per_node "$NPUS_PER_NODE"
    --nnodes "$NNODES"
    --node_rank "$NODE_RANK"
    --master_addr "$MASTER_ADDR"
    --master_port "$MASTER_PORT"
)
