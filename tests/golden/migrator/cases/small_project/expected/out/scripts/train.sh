#!/bin/bash
export ASCEND_RT_VISIBLE_DEVICES=0,1
export ASCEND_GLOBAL_LOG_LEVEL=1
torchrun --nproc_per_node 2 train.py "$@"
