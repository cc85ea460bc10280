import os

os.environ["CUDA_VISIBLE_DEVICES"] = "0"  # expect: env.renamed
os.environ["ASCEND_RT_VISIBLE_DEVICES"] = os.environ["CUDA_VISIBLE_DEVICES"]  # expect: env.renamed
os.environ["NCCL_SOCKET_IFNAME"] = "eth0"  # expect: env.renamed
