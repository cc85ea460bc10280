#!/bin/bash
# Convert a checkpoint with a Slurm array of 8 tasks; the last one publishes the output.
#
#     sbatch --array=1-8 slurm_array.sh
#     sbatch --array=3,5 slurm_array.sh      # tasks 3 and 5 again, if they were lost
#
#SBATCH --job-name=ckpt_convert
#SBATCH --cpus-per-task=16
#SBATCH --mem=4G
#SBATCH --time=02:00:00
#SBATCH --requeue
set -eu

SHARDS=8  # as many as the array has tasks: the shard is named, so that a part of the array can run again
LOAD_DIR=${LOAD_DIR:-/shared/DeepSeek-V3}
SAVE_DIR=${SAVE_DIR:-/shared/deepseek-v3-mcore}

ckpt_convert --no-progress --load-dir "$LOAD_DIR" --save-dir "$SAVE_DIR" --dequantize bf16 \
    --tp 2 --pp 8 --noop-layers 61,62,63 --ep 32 --moe-grouped-gemm \
    --shard "$SLURM_ARRAY_TASK_ID/$SHARDS" --threads "$SLURM_CPUS_PER_TASK"
