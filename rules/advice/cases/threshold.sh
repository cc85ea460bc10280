export PYTORCH_NPU_ALLOC_CONF=garbage_collection_threshold:0.8 # expect: advice.memory_threshold
