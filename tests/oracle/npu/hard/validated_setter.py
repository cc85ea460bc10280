import torch


class Settings:
    ALLOWED = ("cpu", "cuda")

    def __init__(self):
        self._device = "cpu"

    @property
    def device(self):
        return self._device

    @device.setter
    def device(self, value):
        if value.split(":")[0] not in self.ALLOWED:
            raise ValueError(value)
        self._device = value


settings = Settings()
settings.device = "cuda:0"
print(torch.ones(2, device=settings.device).sum().item())
