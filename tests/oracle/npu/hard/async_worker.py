import asyncio
import torch


async def work(device):
    await asyncio.sleep(0)
    return torch.ones(3, device=device).sum().item()


print(asyncio.run(work("cuda:0")))
