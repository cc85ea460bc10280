import os
import subprocess

os.environ["ASCEND_RT_VISIBLE_DEVICES"] = "0,1"  # expect: env.renamed
os.environ.setdefault("ASCEND_GLOBAL_LOG_LEVEL", "1")  # expect: env.translated
if "ASCEND_LAUNCH_BLOCKING" in os.environ:  # expect: env.renamed
    del os.environ["ASCEND_LAUNCH_BLOCKING"]  # expect: env.renamed
count = len(os.getenv("ASCEND_RT_VISIBLE_DEVICES", "").split(","))  # expect: env.renamed
os.environ["TORCH_CUDA_ARCH_LIST"] = "8.0"  # expect: env.no_effect
os.environ["CUDA_DEVICE_MAX_CONNECTIONS"] = "1"  # expect: env.keep
subprocess.run(["train"], env=dict(os.environ, ASCEND_RT_VISIBLE_DEVICES="0"))  # expect: env.renamed
subprocess.run("ASCEND_RT_VISIBLE_DEVICES=0 python train.py", shell=True)  # expect: env.renamed
home = os.environ.get("CUDA_HOME")  # expect: env.similar
print("set CUDA_VISIBLE_DEVICES to choose")  # ok: env.renamed
SETTINGS = {"CUDA_VISIBLE_DEVICES": lambda: 1}  # ok: env.renamed
