import os
import subprocess

os.environ["ASCEND_GLOBAL_LOG_LEVEL"] = "1"  # expect: env.translated
os.environ.setdefault("ASCEND_GLOBAL_LOG_LEVEL", "2")  # expect: env.translated
os.environ["NCCL_DEBUG"] = "VERSION"  # expect: env.translated
os.environ["NCCL_IB_TIMEOUT"] = "22"  # expect: env.renamed
os.environ["HCCL_RDMA_TIMEOUT"] = "18"  # expect: env.renamed
os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True,max_split_size_mb:128"  # expect: env.renamed
os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "backend:cudaMallocAsync"  # expect: env.renamed
os.environ["HCCL_CONNECT_TIMEOUT"] = "60"  # expect: env.bad_value
os.environ["HCCL_CONNECT_TIMEOUT"] = "600"  # ok: env.bad_value
subprocess.run(["python", "a.py"], env={"ASCEND_GLOBAL_LOG_LEVEL": "0", "HCCL_RDMA_SL": "9"})  # expect: env.translated, env.bad_value
subprocess.run(["python", "a.py"], env=dict(os.environ, ACL_OP_COMPILER_CACHE_MODE="disable"))  # expect: env.translated
