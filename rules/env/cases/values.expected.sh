export ASCEND_GLOBAL_LOG_LEVEL=1 # expect: env.translated
ASCEND_GLOBAL_LOG_LEVEL="2" TASK_QUEUE_ENABLE=3 python train.py # expect: env.translated, env.bad_value
export NCCL_IB_TC=106 # expect: env.renamed
export HCCL_RDMA_TC=$CLASS # expect: env.renamed
export PATH=/usr/local/cuda/bin:$PATH # expect: launch.cuda_path
