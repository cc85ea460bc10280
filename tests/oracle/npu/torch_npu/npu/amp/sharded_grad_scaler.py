from torch.distributed.fsdp.sharded_grad_scaler import ShardedGradScaler as _Sharded


class ShardedGradScaler(_Sharded):
    def __init__(self, *args, **kwargs):
        super().__init__("npu", *args, **kwargs)
