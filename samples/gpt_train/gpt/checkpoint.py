"""Saving a training run and picking it up again."""

import os
from dataclasses import asdict

import torch

from .config import ModelConfig
from .distributed import unwrap_model
from .model import GPT


def save_checkpoint(path, model, optimizer, scheduler, scaler, step):
    state = {
        "step": step,
        "model_config": asdict(unwrap_model(model).cfg),
        "model": unwrap_model(model).state_dict(),
        "optimizer": optimizer.state_dict(),
        "scheduler": scheduler.state_dict(),
        "scaler": scaler.state_dict(),
        "cpu_rng": torch.get_rng_state(),
        "cuda_rng": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
    }
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    # A reader sees the old file or the new one, never half of it.
    torch.save(state, path + ".tmp")
    os.replace(path + ".tmp", path)


def resume_training(path, model, optimizer, scheduler, scaler, world):
    """Restore everything in place and return the number of finished steps."""
    if world.device.type == "cuda":
        map_location = "cuda:%d" % world.device.index
    else:
        map_location = "cpu"
    state = torch.load(path, map_location=map_location)
    unwrap_model(model).load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    scheduler.load_state_dict(state["scheduler"])
    scaler.load_state_dict(state["scaler"])
    if world.is_main:  # only the main process wrote its generators
        torch.set_rng_state(state["cpu_rng"].cpu())
        if torch.cuda.is_available() and len(state["cuda_rng"]) == torch.cuda.device_count():
            torch.cuda.set_rng_state_all([rng.cpu() for rng in state["cuda_rng"]])
    return state["step"]


def warm_start(path, model, local_rank):
    """Take the weights of another run, which its first GPU saved."""
    target = {"cuda:0": f"cuda:{local_rank}"} if torch.cuda.is_available() else "cpu"
    unwrap_model(model).load_state_dict(torch.load(path, map_location=target)["model"])


def load_for_inference(path, device):
    """Rebuild the model that ``path`` describes on ``device``."""
    # The storages stay in host memory: the optimiser state is not needed on the GPU.
    state = torch.load(path, map_location=lambda storage, location: storage)
    model = GPT(ModelConfig(**state["model_config"]))
    model.load_state_dict(state["model"])
    return model.eval().to(device)
