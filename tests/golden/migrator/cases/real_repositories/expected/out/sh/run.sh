#!/bin/bash
export NCCL_P2P_NET_CHUNKSIZE=2097152
export NCCL_TUNER_PLUGIN=""
export NCCL_DETERMINISTIC=1
NCCL_TREE_THRESHOLD=0 deepspeed train.py
apt-get install -y cuda-toolkit-12-8 libcudnn9-cuda-12 libnccl2
pip install nvidia-cublas-cu12 cupy-cuda12x flash-attn
docker run --gpus all --runtime=ascend img
