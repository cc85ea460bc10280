#!/usr/bin/env bash
#SBATCH --job-name={{family}}
#SBATCH --nodes={{nodes}}
#SBATCH --ntasks-per-node=1
#SBATCH --exclusive
#SBATCH --output=%x-%j.log
# Starts one of the scripts of this folder on the machines that Slurm gives: sbatch slurm.sh pretrain.sh
# Nothing here asks for devices: how a cluster calls its NPUs (--gres) is up to it.
set -euo pipefail
script="${1:?which script: sbatch slurm.sh pretrain.sh}"
# Slurm runs a copy of this file; the others are where it was submitted from.
cd "${SLURM_SUBMIT_DIR:-.}"
MASTER_ADDR="$(scontrol show hostnames "$SLURM_JOB_NODELIST" | head -n 1)"
# A port of this job's own, as others may share the machine.
MASTER_PORT="$((20000 + SLURM_JOB_ID % 20000))"
NNODES="$SLURM_JOB_NUM_NODES"
export MASTER_ADDR MASTER_PORT NNODES SCRIPT="$script"
# The number of the machine is known on the machine only.
# shellcheck disable=SC2016
srun --ntasks-per-node=1 bash -c 'NODE_RANK="$SLURM_NODEID" bash "./$SCRIPT"'
