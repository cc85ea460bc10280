from . import autocast_mode, common, grad_scaler, sharded_grad_scaler  # noqa: F401
from .autocast_mode import autocast, custom_bwd, custom_fwd  # noqa: F401
from .grad_scaler import GradScaler  # noqa: F401
