import os
import subprocess
import sys

import torch

os.system("CUDA_VISIBLE_DEVICES=0,1 torchrun --nproc_per_node=gpu train.py --backend nccl")  # expect: env.renamed, launch.processes, backend.string
subprocess.run(["torchrun", "--nproc_per_node", "gpu", "train.py", "--backend", "nccl", "--device=cuda"])  # expect: launch.processes, backend.string, device.string
subprocess.check_output(["nvidia-smi", "-L"])  # expect: launch.nvidia_smi
for gpu in range(8):
    command = f"CUDA_VISIBLE_DEVICES={gpu} python test.py --device cuda:{gpu}"  # expect: env.renamed, device.string
    subprocess.Popen(command, shell=True)
subprocess.call(["mpirun", "-x", "NCCL_SOCKET_IFNAME", "python", "train.py"])  # expect: env.renamed
os.system("pip install flash-attn")  # expect: third_party.replacement
subprocess.run([sys.executable, "train.py", "--name", "cuda"])  # ok: device.string
os.system(torch.__version__ + " gpu nvcc")  # expect: launch.nvcc
parts = ["python", "--backend", "nccl"]  # expect: backend.string
print("torchrun --nproc_per_node=gpu, or nvidia-smi")  # ok: launch.processes, launch.nvidia_smi
