#!/bin/bash
export CUDA_DEVICE_MAX_CONNECTIONS=${CUDA_DEVICE_MAX_CONNECTIONS:-1}
export NCCL_P2P_NET_CHUNKSIZE=${NCCL_P2P_NET_CHUNKSIZE:-2097152}
CHECKPOINT=${1:-"checkpoints/8b"}
PRETRAIN_SCRIPT="pretrain.py"
GPUS_PER_NODE=8
DISTRIBUTED_ARGS=(
    --nproc_per_node $GPUS_PER_NODE
    --nnodes ${NNODES:-1}
)
TRAINING_ARGS=(
    --bf16
    --distributed-backend hccl
    --transformer-impl transformer_engine
    --use-pytorch-profiler
)
DTYPE_ARGS=()
if [[ "${DTYPE:-bf16}" == "fp8" ]]; then
    DTYPE_ARGS+=("--fp8-format hybrid" "--fp8-param-gather")
fi
torchrun "${DISTRIBUTED_ARGS[@]}" "$PRETRAIN_SCRIPT" "${TRAINING_ARGS[@]}" "${DTYPE_ARGS[@]}" --save "$CHECKPOINT"
