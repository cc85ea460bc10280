#!/usr/bin/env bash
# Train on the GPUs of one server, or of several when MASTER_ADDR, NNODES and NODE_RANK are set.
# Further arguments go to train.py:  scripts/train.sh --max-steps 100
set -euo pipefail
cd "$(dirname "$0")/.."

export CUDA_VISIBLE_DEVICES=${CUDA_VISIBLE_DEVICES:-0,1,2,3,4,5,6,7}
export CUDA_DEVICE_MAX_CONNECTIONS=1
export NCCL_DEBUG=${NCCL_DEBUG:-WARN}
export NCCL_SOCKET_IFNAME=${NCCL_SOCKET_IFNAME:-eth0}
export NCCL_IB_DISABLE=${NCCL_IB_DISABLE:-0}
export NCCL_IB_TIMEOUT=22
export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-8}

nvidia-smi --query-gpu=index,name,memory.total --format=csv

IFS=, read -ra devices <<< "$CUDA_VISIBLE_DEVICES"
torchrun \
    --nnodes="${NNODES:-1}" \
    --node_rank="${NODE_RANK:-0}" \
    --nproc_per_node="${#devices[@]}" \
    --master_addr="${MASTER_ADDR:-127.0.0.1}" \
    --master_port="${MASTER_PORT:-29500}" \
    train.py --config "${CONFIG:-configs/base.yaml}" "$@"
