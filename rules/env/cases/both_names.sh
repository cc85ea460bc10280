export CUDA_VISIBLE_DEVICES=0,1 # expect: env.renamed
export ASCEND_RT_VISIBLE_DEVICES=$CUDA_VISIBLE_DEVICES # expect: env.renamed
NCCL_SOCKET_IFNAME=eth0 python train.py # expect: env.renamed
