import torch


def noise(size, device="cuda", seed=0):
    generator = torch.Generator(device=device).manual_seed(seed)
    return torch.randn(size, generator=generator, device=device)


print(noise(4).shape, noise(4, seed=1).device.index)
