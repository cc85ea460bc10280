"""A small GPT for character-level text: model, data, optimiser and training helpers."""

from .config import Config, ModelConfig, TrainConfig, load_config
from .model import GPT

__all__ = ["Config", "GPT", "ModelConfig", "TrainConfig", "load_config"]
