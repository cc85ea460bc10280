export HCCL_INTRA_ROCE_ENABLE=1
export HCCL_INTRA_PCIE_ENABLE=0 # ok: env.bad_value
if [ "$LOW" = 1 ]; then
    export PYTORCH_NPU_ALLOC_CONF=max_split_size_mb:64
else
    export PYTORCH_NPU_ALLOC_CONF=expandable_segments:True # ok: env.bad_value
fi
