# Processes on this machine, and machines. On several also: NODE_RANK=0 MASTER_ADDR=10.0.0.1
processes="${NPROC_PER_NODE:-@PROCESSES@}"
nodes="${NNODES:-${SLURM_NNODES:-1}}"
cores="$(nproc)"
