import torch


class GradScaler(torch.cuda.amp.GradScaler):
    """Has one parameter more than the one of torch.cuda: dynamic, before enabled."""

    def __init__(self, init_scale=2.0**16, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000, dynamic=True, enabled=True):
        torch.amp.GradScaler.__init__(self, "npu", init_scale, growth_factor, backoff_factor,
                                      growth_interval if dynamic else 2**31 - 1, enabled)

    def scale(self, outputs):
        if self.is_enabled() and isinstance(outputs, torch.Tensor) and not outputs.is_npu:
            raise AssertionError("the loss to scale must be a tensor of the NPU")
        return super().scale(outputs)
