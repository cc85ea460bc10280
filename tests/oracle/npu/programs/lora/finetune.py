"""Low-rank fine-tuning of a causal language model of transformers: frozen base, gradient accumulation, only the adapters are saved."""

import argparse
import json
import math
import os

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset
from transformers import LlamaConfig, LlamaForCausalLM, get_cosine_schedule_with_warmup, set_seed


class LoRALinear(nn.Module):
    def __init__(self, base, rank, alpha, dropout):
        super().__init__()
        self.base, self.scaling = base, alpha / rank
        self.dropout = nn.Dropout(dropout)
        self.lora_A = nn.Parameter(torch.empty(rank, base.in_features, device=base.weight.device))
        self.lora_B = nn.Parameter(torch.zeros(base.out_features, rank, device=base.weight.device))
        nn.init.kaiming_uniform_(self.lora_A, a=math.sqrt(5))

    def forward(self, x):
        update = self.dropout(x) @ self.lora_A.to(x.dtype).T @ self.lora_B.to(x.dtype).T
        return self.base(x) + update * self.scaling


def inject(model, names, rank=4, alpha=8, dropout=0.0):
    model.requires_grad_(False)
    for module in list(model.modules()):
        for name, child in list(module.named_children()):
            if name in names and isinstance(child, nn.Linear):
                setattr(module, name, LoRALinear(child, rank, alpha, dropout))
    return model


class Instructions(Dataset):
    def __init__(self, count=16, length=24, vocabulary=96):
        generator = torch.Generator().manual_seed(0)
        self.rows = torch.randint(4, vocabulary, (count, length), generator=generator)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        ids = self.rows[index]
        labels = ids.clone()
        labels[:8] = -100
        return {"input_ids": ids, "attention_mask": torch.ones_like(ids), "labels": labels}


def load_model(args):
    config = LlamaConfig(vocab_size=96, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
                         num_key_value_heads=2, max_position_embeddings=64, attn_implementation=args.attention)
    model = LlamaForCausalLM(config)
    dtype = torch.bfloat16 if torch.cuda.is_available() and torch.cuda.is_bf16_supported() else torch.float32
    return model.to(device=args.device, dtype=dtype if args.half else torch.float32)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", type=str, default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--attention", default="sdpa", choices=["eager", "sdpa", "flash_attention_2"])
    parser.add_argument("--output_dir", default="adapter")
    parser.add_argument("--gradient_accumulation_steps", type=int, default=2)
    parser.add_argument("--half", action="store_true")
    args = parser.parse_args()
    set_seed(0)
    model = inject(load_model(args), ("q_proj", "v_proj", "down_proj"))
    model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    model.enable_input_require_grads()
    model.train()
    trainable = [p for p in model.parameters() if p.requires_grad]
    print(f"trainable params: {sum(p.numel() for p in trainable)}")
    optimizer = torch.optim.AdamW(trainable, lr=1e-2)
    loader = DataLoader(Instructions(), batch_size=4, shuffle=False, pin_memory=args.device.startswith("cuda"))
    scheduler = get_cosine_schedule_with_warmup(optimizer, 1, 8)
    for epoch in range(2):
        for step, batch in enumerate(loader):
            batch = {k: v.to(model.device, non_blocking=True) for k, v in batch.items()}
            with torch.autocast(device_type=args.device.split(":")[0], dtype=torch.bfloat16):
                loss = model(**batch).loss / args.gradient_accumulation_steps
            loss.backward()
            if (step + 1) % args.gradient_accumulation_steps == 0:
                torch.nn.utils.clip_grad_norm_(trainable, 1.0)
                optimizer.step()
                scheduler.step()
                optimizer.zero_grad()
            print(f"epoch {epoch} step {step} loss {loss.item() * args.gradient_accumulation_steps:.6f}")
        torch.cuda.empty_cache()
    model.eval()
    with torch.no_grad():
        out = model.generate(input_ids=batch["input_ids"][:, :4], attention_mask=batch["attention_mask"][:, :4], max_new_tokens=4, do_sample=False, pad_token_id=0)
    print("generated loss %.6f" % out.float().mean().item())
    os.makedirs(args.output_dir, exist_ok=True)
    adapter = {k: v.detach().cpu() for k, v in model.state_dict().items() if "lora_" in k}
    torch.save(adapter, os.path.join(args.output_dir, "adapter.bin"))
    with open(os.path.join(args.output_dir, "config.json"), "w") as file:
        json.dump({"rank": 4, "device": str(model.device.type)}, file)


if __name__ == "__main__":
    main()
