#!/usr/bin/env bash
# CUDA_VISIBLE_DEVICES in a comment stays
export ASCEND_RT_VISIBLE_DEVICES=${ASCEND_RT_VISIBLE_DEVICES:-0,1} # expect: env.renamed, env.renamed
export CUDA_HOME=/usr/local/cuda # expect: env.similar, launch.cuda_path
NCCL_IB_DISABLE=1 HCCL_SOCKET_IFNAME=eth0 python train.py --device npu:0 --backend=hccl # expect: env.no_effect, env.renamed, device.string, backend.string
echo "choose with CUDA_VISIBLE_DEVICES" # expect: env.renamed
unset ASCEND_LAUNCH_BLOCKING # expect: env.renamed
nvidia-smi --query-gpu=name # expect: launch.nvidia_smi
pip install flash-attn --no-build-isolation && pip install -U "torch==2.1.0+cu121" # expect: third_party.replacement, launch.cuda_wheels
docker run --gpus all nvcr.io/nvidia/pytorch:24.01-py3 # expect: launch.gpus_option, launch.nvidia_image
nsys profile python train.py train.device=npu # expect: launch.nsys, device.string
nvcc -c kernel.cu # expect: launch.nvcc
python train.py --cuda --name cuda # ok: device.string
docker run --runtime nvidia -e NVIDIA_VISIBLE_DEVICES=0 image bash -c "python train.py --device cuda" # expect: launch.container_runtime, env.similar, device.string
