#!/usr/bin/env bash
#SBATCH --nodes=2 --gres=gpu:8 # expect: launch.slurm
#SBATCH --gpus-per-node=8 # expect: launch.slurm
# --gres=gpu:8 in a comment is none
srun --gpus-per-task=1 torchrun --nproc-per-node gpu train.py # expect: launch.slurm, launch.processes
torchrun --nproc_per_node=gpu train.py --tf32 True --optim adamw_torch_fused # expect: launch.processes, launch.trainer_tf32_setting, launch.trainer_optimizer
mpirun -np 8 -x NCCL_SOCKET_IFNAME -x CUDA_VISIBLE_DEVICES=0,1 python train.py # expect: env.renamed, env.renamed
docker run --runtime=nvidia -e CUDA_VISIBLE_DEVICES image # expect: launch.container_runtime, env.renamed
compute-sanitizer python train.py # expect: launch.debug_tools
torchrun --nproc_per_node=8 train.py --optim adamw_torch # ok: launch.processes, launch.trainer_optimizer
