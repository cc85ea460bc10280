import os

os.environ["PYTORCH_NPU_ALLOC_CONF"] = "expandable_segments:True"  # expect: env.renamed
os.environ["PYTORCH_NPU_ALLOC_CONF"] = "max_split_size_mb:128,garbage_collection_threshold:0.8"  # expect: env.renamed
os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True,garbage_collection_threshold:0.8"  # expect: env.renamed
