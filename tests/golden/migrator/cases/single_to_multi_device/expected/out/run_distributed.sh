#!/bin/sh
# Starts one process per device. How many: NPROC_PER_NODE=4 ./run_distributed.sh ARGUMENTS OF THE SCRIPT
# On several machines also: NNODES=2 NODE_RANK=0 MASTER_ADDR=10.0.0.1 ./run_distributed.sh ...
set -eu
cd "$(dirname "$0")"
exec torchrun --nnodes "${NNODES:-1}" --node_rank "${NODE_RANK:-0}" --nproc_per_node "${NPROC_PER_NODE:-8}" \
    --master_addr "${MASTER_ADDR:-127.0.0.1}" --master_port "${MASTER_PORT:-29500}" main.py "$@"
