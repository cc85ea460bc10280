export PYTORCH_ALLOC_CONF=expandable_segments:True # expect: env.keep
export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True # expect: env.renamed
