export ASCEND_GLOBAL_LOG_LEVEL=1 # expect: env.translated
ASCEND_GLOBAL_LOG_LEVEL="2" TASK_QUEUE_ENABLE=3 python train.py # expect: env.translated, env.bad_value
export NCCL_IB_TC=106 # expect: env.renamed
export HCCL_RDMA_TC=$CLASS # expect: env.renamed
export PATH=/usr/local/cuda/bin:$PATH # expect: launch.cuda_path
export CPU_AFFINITY_CONF=7 # expect: env.bad_value
export CPU_AFFINITY_CONF=1,force:2 # expect: env.bad_value
export CPU_AFFINITY_CONF=2,force:1,npu0:0-3,npu_affine:1 # ok: env.bad_value
export NPU_ASD_CONFIG=enable:on # expect: env.bad_value
export NPU_ASD_CONFIG=enable:true,upper_thresh2:100 # ok: env.bad_value
export NPU_ASD_SIGMA_THRESH=100000 # expect: env.bad_value
export NPU_ASD_UPPER_THRESH=1000000,10000 # ok: env.bad_value
export TORCH_NPU_DEVICE_CAPABILITY=8 # expect: env.bad_value
export TORCH_NPU_DEVICE_CAPABILITY=9.0 # ok: env.bad_value
