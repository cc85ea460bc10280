#!/usr/bin/env bash
#SBATCH --nodes=2 --gres=gpu:8 # expect: launch.slurm
#SBATCH --gpus-per-node=8 # expect: launch.slurm
# --gres=gpu:8 in a comment is none
srun --gpus-per-task=1 torchrun --nproc-per-node npu train.py # expect: launch.slurm, launch.processes
torchrun --nproc_per_node=npu train.py --tf32 False --optim adamw_torch_npu_fused # expect: launch.processes, launch.trainer_tf32_setting, launch.trainer_optimizer
mpirun -np 8 -x HCCL_SOCKET_IFNAME -x ASCEND_RT_VISIBLE_DEVICES=0,1 python train.py # expect: env.renamed, env.renamed
docker run --runtime=ascend -e ASCEND_RT_VISIBLE_DEVICES image # expect: launch.container_runtime, env.renamed
compute-sanitizer python train.py # expect: launch.debug_tools
torchrun --nproc_per_node=8 train.py --optim adamw_torch # ok: launch.processes, launch.trainer_optimizer
