export PYTORCH_NPU_ALLOC_CONF=garbage_collection_threshold:0.8,per_process_memory_fraction:0.9 # ok: advice.memory_threshold
