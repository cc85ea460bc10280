from dataclasses import dataclass, field
import torch


@dataclass
class Settings:
    device: str = "cuda"
    shape: list = field(default_factory=lambda: [2, 2])


settings = Settings()
print(torch.ones(*settings.shape, device=settings.device).sum().item())
