export ASCEND_RT_VISIBLE_DEVICES=0,1,2,3,4,5,6,7
export ASCEND_GLOBAL_LOG_LEVEL=3
python -m torch.distributed.launch --nproc_per_node=8 main.py /data/imagenet
