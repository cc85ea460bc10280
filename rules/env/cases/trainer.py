from transformers import TrainingArguments  # expect: third_party.native

arguments = TrainingArguments(
    "out",
    bf16=True,
    tf32=True,  # expect: launch.trainer_tf32
    optim="adamw_torch_fused",  # expect: launch.trainer_optimizer
    ddp_backend="nccl",  # expect: backend.string
)
plain = TrainingArguments("out", tf32=False, optim="adamw_torch")  # ok: launch.trainer_tf32, launch.trainer_optimizer
