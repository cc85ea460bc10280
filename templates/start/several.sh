# Processes on this machine, and machines. On several also: NODE_RANK=0 MASTER_ADDR=10.0.0.1
processes="${NPROC_PER_NODE:-@PROCESSES@}"
nodes="${NNODES:-${SLURM_NNODES:-1}}"
cores="$(nproc)"
if [ "$processes" -lt 1 ]; then
    echo "$0: no NPU was found in /dev. Say how many processes there are to be: NPROC_PER_NODE=8 $0" >&2
    exit 1
fi
