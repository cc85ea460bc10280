export NCCL_DEBUG=INFO # expect: env.translated
NCCL_DEBUG="WARN" TASK_QUEUE_ENABLE=3 python train.py # expect: env.translated, env.bad_value
export NCCL_IB_TC=106 # expect: env.renamed
export NCCL_IB_TC=$CLASS # expect: env.renamed
export PATH=/usr/local/cuda/bin:$PATH # expect: launch.cuda_path
