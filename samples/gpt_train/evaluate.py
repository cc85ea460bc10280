"""Validation loss of a checkpoint."""

import argparse
import itertools
import math

import torch
import torch.cuda.amp as amp

from gpt import load_config
from gpt.checkpoint import load_for_inference
from gpt.data import CharTokenizer, build_datasets, build_loader
from gpt.distributed import init_distributed, mean_across_ranks, shutdown
from gpt.utils import amp_dtype


@torch.no_grad()
def estimate_loss(model, loader, device, dtype, batches):
    """Mean loss over the first ``batches`` batches; leaves the model in training mode as it was."""
    was_training = model.training
    model.eval()
    losses = []
    for tokens, targets in itertools.islice(loader, batches):
        tokens = tokens.to(device, non_blocking=True)
        targets = targets.to(device, non_blocking=True)
        with amp.autocast(enabled=dtype != torch.float32, dtype=dtype):
            _, loss = model(tokens, targets)
        losses.append(loss.float())
    model.train(was_training)
    return torch.stack(losses).mean().item()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint")
    parser.add_argument("--config", default="configs/base.yaml")
    parser.add_argument("--device", default="cuda")
    args = parser.parse_args()

    cfg = load_config(args.config)
    world = init_distributed(args.device, cfg.train.backend)
    model = load_for_inference(args.checkpoint, world.device)
    cfg.model = model.cfg
    _, val_set = build_datasets(cfg, CharTokenizer())
    loader = build_loader(val_set, cfg.train, world, shuffle=False)
    dtype = amp_dtype(cfg.train.dtype, world.device)
    loss = mean_across_ranks(estimate_loss(model, loader, world.device, dtype, cfg.train.eval_batches), world)
    if world.is_main:
        print(f"validation loss {loss:.4f}, perplexity {math.exp(loss):.2f}")
    shutdown()


if __name__ == "__main__":
    main()
