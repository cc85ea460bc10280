#!/bin/bash
export CUDA_VISIBLE_DEVICES=0,1
export NCCL_DEBUG=INFO
torchrun --nproc_per_node 2 train.py "$@"
