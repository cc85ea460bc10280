import os
import subprocess

os.environ["NCCL_DEBUG"] = "INFO"  # expect: env.translated
os.environ.setdefault("NCCL_DEBUG", "WARN")  # expect: env.translated
os.environ["NCCL_DEBUG"] = "VERSION"  # expect: env.translated
os.environ["NCCL_IB_TIMEOUT"] = "22"  # expect: env.renamed
os.environ["NCCL_IB_TIMEOUT"] = "18"  # expect: env.renamed
os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True,max_split_size_mb:128"  # expect: env.renamed
os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "backend:cudaMallocAsync"  # expect: env.renamed
os.environ["HCCL_CONNECT_TIMEOUT"] = "60"  # expect: env.bad_value
os.environ["HCCL_CONNECT_TIMEOUT"] = "600"  # ok: env.bad_value
subprocess.run(["python", "a.py"], env={"NCCL_DEBUG": "TRACE", "HCCL_RDMA_SL": "9"})  # expect: env.translated, env.bad_value
subprocess.run(["python", "a.py"], env=dict(os.environ, CUDA_CACHE_DISABLE="1"))  # expect: env.translated
