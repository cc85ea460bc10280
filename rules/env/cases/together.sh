export HCCL_INTRA_ROCE_ENABLE=1
export HCCL_INTRA_PCIE_ENABLE=1 # expect: env.bad_value
export PYTORCH_NPU_ALLOC_CONF=expandable_segments:True
export PYTORCH_NPU_ALLOC_CONF=base_addr_aligned_kb:0 # expect: env.bad_value
export PYTORCH_NPU_ALLOC_CONF=$PYTORCH_NPU_ALLOC_CONF,page_size:1g # ok: env.bad_value
