import torch.distributed as dist
from megatron.core import parallel_state  # expect: third_party.megatron_on_mindspeed


def train(net, optimizer, loader, rank):
    group = parallel_state.get_tensor_model_parallel_group()
    for batch in loader:  # expect: advice.memory, advice.host_bound
        if rank == 0:
            print(batch)
        dist.broadcast(batch, 0, group=group)  # ok: advice.batch_from_one_rank
        net(batch).sum().backward()
        optimizer.step()
