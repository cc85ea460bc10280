DEVICE = "npu"
BACKEND = "hccl"
