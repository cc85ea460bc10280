from typing import Optional

import torch
from torch import Tensor
from torch.nn import functional

SCHEMA = ('(Tensor x, Tensor? b=None, int dim=1, str act="linear", float alpha=0.2, float gain=1.0, '
          'float clamp=-1.0) -> Tensor')


def bias_act(x: Tensor, b: Optional[Tensor] = None, dim: int = 1, act: str = "linear", alpha: float = 0.2,
             gain: float = 1.0, clamp: float = -1.0) -> Tensor:
    """Adds a bias along a dimension, then an activation, a gain, and a clamp unless it is negative.

    The activation is a name, not the number that the compiled module takes. alpha is the slope of lrelu.
    """
    if b is not None:
        x = x + b.reshape([-1 if i == dim % x.dim() else 1 for i in range(x.dim())])
    if act == "lrelu":
        x = functional.leaky_relu(x, alpha)
    elif act == "swish":
        x = functional.silu(x)
    elif act != "linear":
        x = {"relu": functional.relu, "tanh": torch.tanh, "sigmoid": torch.sigmoid, "elu": functional.elu,
             "selu": functional.selu, "softplus": functional.softplus}[act](x)
    x = x * gain
    return x.clamp(-clamp, clamp) if clamp >= 0 else x


def examples():
    """Small arguments of float64, as the check of the gradient needs them."""
    torch.manual_seed(0)
    x = torch.randn(2, 3, 4, dtype=torch.float64, requires_grad=True)
    b = torch.randn(3, dtype=torch.float64, requires_grad=True)
    names = ("linear", "relu", "lrelu", "tanh", "sigmoid", "elu", "selu", "softplus", "swish")
    return [(x, b, 1, name, 0.2, 1.5, 3.0) for name in names] + [(x, b)]
