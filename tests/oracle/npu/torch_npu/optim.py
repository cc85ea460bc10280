"""Fused optimizers: the arithmetic of torch's own, one kernel for all parameters on the device."""

import torch
from torch.nn.utils import clip_grad_norm_


class NpuFusedOptimizerBase(torch.optim.Optimizer):
    """What the fused optimizers have in common: they want tensors of the NPU, and clip the combined gradient."""

    def add_param_group(self, param_group):
        super().add_param_group(param_group)
        for parameter in self.param_groups[-1]["params"]:
            if parameter.device.type != "npu":
                raise RuntimeError(f"fused optimizers take parameters on the NPU, not on {parameter.device}: move the model first")

    def clip_grad_norm_fused_(self, max_norm, norm_type=2):
        return clip_grad_norm_([parameter for group in self.param_groups for parameter in group["params"]], max_norm, norm_type)


def _fused(name, base, **defaults):
    """A class with the parameters of `defaults`, and no others."""
    names = list(defaults)

    def __init__(self, params, *values, **options):
        if len(values) > len(names):
            raise TypeError(f"{name} takes at most {len(names)} options by position")
        given = {**dict(zip(names, values)), **options}
        unknown = set(given) - set(names)
        if unknown:
            raise TypeError(f"{name} has no option {', '.join(sorted(unknown))}")
        base.__init__(self, params, **{**defaults, **given})

    return type(name, (NpuFusedOptimizerBase, base), {"__init__": __init__, "__module__": __name__})


NpuFusedAdam = _fused("NpuFusedAdam", torch.optim.Adam, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, amsgrad=False)
NpuFusedAdamW = _fused("NpuFusedAdamW", torch.optim.AdamW, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, amsgrad=False)
NpuFusedAdadelta = _fused("NpuFusedAdadelta", torch.optim.Adadelta, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0)
NpuFusedRMSprop = _fused("NpuFusedRMSprop", torch.optim.RMSprop, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0,
                         centered=False)
NpuFusedSGD = _fused("NpuFusedSGD", torch.optim.SGD, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False)


class NpuFusedRMSpropTF(NpuFusedOptimizerBase):
    """The mean square begins at 1, and epsilon is below the root, as in TensorFlow."""

    def __init__(self, params, lr=1e-2, alpha=0.9, eps=1e-10, weight_decay=0, momentum=0.0, centered=False, decoupled_decay=False,
                 lr_in_momentum=True):
        if centered or decoupled_decay or not lr_in_momentum:
            raise NotImplementedError("the emulated NpuFusedRMSpropTF has the defaults of these options only")
        super().__init__(params, dict(lr=lr, alpha=alpha, eps=eps, weight_decay=weight_decay, momentum=momentum))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for parameter in group["params"]:
                grad = parameter.grad.add(parameter, alpha=group["weight_decay"])
                state = self.state[parameter]
                if not state:
                    state.update(square_avg=torch.ones_like(parameter), momentum_buffer=torch.zeros_like(parameter))
                state["square_avg"].lerp_(grad.square(), 1 - group["alpha"])
                state["momentum_buffer"].mul_(group["momentum"]).addcdiv_(grad, (state["square_avg"] + group["eps"]).sqrt(), value=group["lr"])
                parameter.sub_(state["momentum_buffer"])
