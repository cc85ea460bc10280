from transformers import TrainingArguments  # expect: third_party.native
import torch_npu

arguments = TrainingArguments(
    "out",
    bf16=True,  # expect: launch.trainer_tf32
    optim="adamw_torch_npu_fused",  # expect: launch.trainer_optimizer
    ddp_backend="hccl",  # expect: backend.string
)
plain = TrainingArguments("out", tf32=False, optim="adamw_torch")  # ok: launch.trainer_tf32, launch.trainer_optimizer
