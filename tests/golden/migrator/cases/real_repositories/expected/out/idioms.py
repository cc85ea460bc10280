import os, subprocess, torch
import torch_npu
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP, fully_shard
from transformers import AutoModelForCausalLM, pipeline, TrainingArguments
import pytorch_lightning as pl
pg = None
m1 = DeviceMesh.from_group(pg, "npu")
m2 = init_device_mesh("npu", (8,))
m3 = DeviceMesh("npu", [0, 1])
s1 = torch.amp.GradScaler("npu")
s2 = torch.amp.autocast("npu")
f1 = torch.amp.custom_fwd(device_type="npu")
d1 = torch.get_device_module("npu")
g1 = torch.Generator("npu")
torch.set_default_device("npu")
a1 = torch.amp.autocast_mode.is_autocast_available("npu")
l1 = torch.utils.data.DataLoader([], pin_memory=True, pin_memory_device="npu")
h1 = AutoModelForCausalLM.from_pretrained("x").npu()
h2 = AutoModelForCausalLM.from_pretrained("x", device_map="npu", attn_implementation="flash_attention_2")
h3 = AutoModelForCausalLM.from_pretrained("x", device_map={"": "npu:0"})
h4 = pipeline("text-generation", model="x", device="npu")
t1 = TrainingArguments("o", ddp_backend="hccl")
p1 = pl.Trainer(accelerator="gpu", devices=8, strategy="ddp")
c1 = torch.load("f", map_location=lambda s, l: s.npu(0))
y = torch.zeros(3).type("torch.npu.FloatTensor")
def dev(device):
    if str(device).startswith("npu"):
        return 1
    if "npu" in str(device):
        return 2
    if device.type != "cpu" and torch.device(device).type == "npu":
        return 3
os.system("nvidia-smi")
subprocess.run(["nvidia-smi", "-L"])
out = subprocess.check_output("nvidia-smi --query-gpu=memory.used --format=csv", shell=True)
st = torch.npu.Stream(); ev = torch.npu.Event(); gp = torch.npu.NPUGraph()
with torch.npu.graph(gp): pass
with torch.backends.cuda.sdp_kernel(enable_flash=True): pass
from torch.nn.attention import sdpa_kernel, SDPBackend
with sdpa_kernel(SDPBackend.FLASH_ATTENTION): pass
torch.cuda.nvtx.range_push("a")
v = torch.version.cuda
n = torch.backends.cudnn.version()
b = torch.backends.cudnn.is_available()
x = torch.utils.checkpoint.get_device_states
torch.npu.memory._record_memory_history()
torch.compile(nn.Linear(1, 1), backend="inductor", mode="reduce-overhead")
r = dist.new_group(backend="hccl")
dist.init_process_group("cpu:gloo,npu:hccl")
dist.barrier(device_ids=[0])
fsdp = FSDP(nn.Linear(1, 1), device_id=torch.npu.current_device())
z = torch.zeros(3, device=0); w = torch.zeros(3).to(0); q = torch.device(0)
o = torch._C._cuda_getDeviceCount()
k = torch.cuda.comm.broadcast
dd = nn.parallel.DistributedDataParallel(nn.Linear(1, 1), device_ids=[0])
oom = RuntimeError("NPU out of memory")
torch.multiprocessing.set_sharing_strategy("file_system")
e = isinstance(y, torch.npu.FloatTensor)
fl = torch.nn.functional.scaled_dot_product_attention
torch.backends.cuda.preferred_linalg_library("magma")
torch.backends.cuda.enable_flash_sdp(True)
torch.set_float32_matmul_precision("high")
