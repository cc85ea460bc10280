"""Denoising diffusion: U-Net, checkpointed blocks, EMA, bf16 autocast, generators on the device, sampling."""

import argparse
import copy
import math
from contextlib import nullcontext
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint


@dataclass
class Config:
    device: str = "cuda"
    timesteps: int = 50
    width: int = 16
    steps: int = 5
    mixed_precision: str = "bf16"
    compile: bool = False


def timestep_embedding(t, dim):
    freqs = torch.exp(-math.log(10000) * torch.arange(dim // 2, dtype=torch.float32, device=t.device) / (dim // 2))
    angles = t[:, None].float() * freqs[None]
    return torch.cat([angles.cos(), angles.sin()], dim=-1)


class ResBlock(nn.Module):
    def __init__(self, inside, outside, emb):
        super().__init__()
        self.norm1, self.conv1 = nn.GroupNorm(4, inside), nn.Conv2d(inside, outside, 3, padding=1)
        self.norm2, self.conv2 = nn.GroupNorm(4, outside), nn.Conv2d(outside, outside, 3, padding=1)
        self.emb = nn.Linear(emb, outside)
        self.skip = nn.Conv2d(inside, outside, 1) if inside != outside else nn.Identity()

    def block(self, x, emb):
        h = self.conv1(F.silu(self.norm1(x))) + self.emb(F.silu(emb))[:, :, None, None]
        return self.skip(x) + self.conv2(F.silu(self.norm2(h)))

    def forward(self, x, emb):
        if self.training:
            return checkpoint(self.block, x, emb, use_reentrant=False)
        return self.block(x, emb)


class SelfAttention(nn.Module):
    def __init__(self, width, heads=2):
        super().__init__()
        self.norm, self.qkv, self.proj, self.heads = nn.GroupNorm(4, width), nn.Conv1d(width, 3 * width, 1), nn.Conv1d(width, width, 1), heads

    def forward(self, x):
        b, c, h, w = x.shape
        q, k, v = self.qkv(self.norm(x).reshape(b, c, -1)).reshape(b, 3, self.heads, c // self.heads, -1).transpose(-1, -2).unbind(1)
        out = F.scaled_dot_product_attention(q, k, v)
        return x + self.proj(out.transpose(-1, -2).reshape(b, c, -1)).reshape(b, c, h, w)


class UNet(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width
        self.time = nn.Sequential(nn.Linear(width, 4 * width), nn.SiLU(), nn.Linear(4 * width, 4 * width))
        self.inp = nn.Conv2d(1, width, 3, padding=1)
        self.down = ResBlock(width, 2 * width, 4 * width)
        self.mid = SelfAttention(2 * width)
        self.up = ResBlock(3 * width, width, 4 * width)
        self.out = nn.Conv2d(width, 1, 3, padding=1)

    def forward(self, x, t):
        emb = self.time(timestep_embedding(t, self.width))
        first = self.inp(x)
        h = self.mid(self.down(F.avg_pool2d(first, 2), emb))
        h = F.interpolate(h, scale_factor=2, mode="bilinear", align_corners=False)
        return self.out(self.up(torch.cat([h, first], 1), emb))


class Diffusion(nn.Module):
    def __init__(self, timesteps):
        super().__init__()
        betas = torch.linspace(1e-4, 0.02, timesteps, dtype=torch.float32)
        self.register_buffer("betas", betas)
        self.register_buffer("alphas_bar", torch.cumprod(1 - betas, 0))

    @staticmethod
    def extract(values, t, shape):
        return values.gather(-1, t).reshape(-1, *[1] * (len(shape) - 1))

    def add_noise(self, x, t, noise):
        bar = self.extract(self.alphas_bar, t, x.shape)
        return bar.sqrt() * x + (1 - bar).sqrt() * noise

    @torch.no_grad()
    def sample(self, model, shape, generator):
        x = torch.randn(shape, generator=generator, device=self.betas.device)
        for i in reversed(range(0, len(self.betas), 10)):
            t = torch.full((shape[0],), i, device=x.device, dtype=torch.long)
            beta, bar = self.extract(self.betas, t, shape), self.extract(self.alphas_bar, t, shape)
            x = (x - beta / (1 - bar).sqrt() * model(x, t)) / (1 - beta).sqrt()
            if i > 0:
                x = x + beta.sqrt() * torch.randn(shape, generator=generator, device=x.device)
        return x


class EMA:
    def __init__(self, model, decay=0.9):
        self.model, self.decay = copy.deepcopy(model).eval().requires_grad_(False), decay

    @torch.no_grad()
    def update(self, model):
        for ours, theirs in zip(self.model.parameters(), model.parameters()):
            ours.lerp_(theirs.detach(), 1 - self.decay)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    parser.add_argument("--mixed-precision", default="bf16", choices=["no", "fp16", "bf16"])
    options = parser.parse_args()
    cfg = Config(device=options.device, mixed_precision=options.mixed_precision)
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = True
    device_type = "cuda" if "cuda" in cfg.device else "cpu"
    dtype = {"bf16": torch.bfloat16, "fp16": torch.float16, "no": torch.float32}[cfg.mixed_precision]
    ctx = nullcontext() if device_type == "cpu" else torch.amp.autocast(device_type=device_type, dtype=dtype)
    scaler = torch.amp.GradScaler("cuda", enabled=cfg.mixed_precision == "fp16")
    model, diffusion = UNet(cfg.width).to(cfg.device), Diffusion(cfg.timesteps).to(cfg.device)
    if cfg.compile:
        model = torch.compile(model)
    ema = EMA(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=device_type == "cuda")
    generator = torch.Generator(device=cfg.device).manual_seed(42)
    for step in range(cfg.steps):
        x = torch.rand(4, 1, 8, 8, generator=generator, device=cfg.device) * 2 - 1
        t = torch.randint(0, cfg.timesteps, (4,), generator=generator, device=cfg.device)
        noise = torch.randn(x.shape, generator=generator, device=cfg.device)
        with ctx:
            loss = F.mse_loss(model(diffusion.add_noise(x, t, noise), t), noise)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad(set_to_none=True)
        ema.update(model)
        print(f"step {step} loss {loss.item():.6f}")
    images = diffusion.sample(ema.model, (2, 1, 8, 8), torch.Generator(cfg.device).manual_seed(1))
    print(f"sample loss {images.float().abs().mean().item():.6f}")


if __name__ == "__main__":
    main()
