#!/bin/bash
# Convert a checkpoint on several machines with mpirun, one worker on each; both directories must be visible to all of them.
#
#     HOSTS=node1,node2,node3,node4 ./mpirun.sh
#
# Run it again when a worker was lost: shards that are complete are not written again.
set -eu

HOSTS=${HOSTS:-localhost}
LOAD_DIR=${LOAD_DIR:-/shared/Qwen3-235B-A22B}
SAVE_DIR=${SAVE_DIR:-/shared/qwen3-235b-mcore}

mpirun --host "$HOSTS" --map-by node --bind-to none \
    ckpt_convert --no-progress --load-dir "$LOAD_DIR" --save-dir "$SAVE_DIR" \
    --tp 4 --pp 4 --ep 8 --noop-layers 94,95 --moe-grouped-gemm --shard auto
