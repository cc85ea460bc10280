export ASCEND_RT_VISIBLE_DEVICES=0,1
python -m torch.distributed.launch --nproc_per_node=2 main.py --device npu --backend hccl
