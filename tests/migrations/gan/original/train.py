import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from torch.utils.tensorboard import SummaryWriter

from images import Images
from networks import Discriminator, Generator


def penalty(discriminator, real, fake):
    alpha = torch.rand(real.size(0), 1, 1, 1).cuda()
    mixed = (alpha * real + (1 - alpha) * fake).requires_grad_(True)
    out = discriminator(mixed)
    grad = torch.autograd.grad(out, mixed, torch.ones(out.size()).cuda(), create_graph=True)[0]
    return ((grad.view(grad.size(0), -1).norm(2, dim=1) - 1) ** 2).mean()


def main():
    generator, discriminator = Generator().cuda(), Discriminator().cuda()
    g_optimizer = torch.optim.Adam(generator.parameters(), 1e-4, [0.5, 0.999])
    d_optimizer = torch.optim.Adam(discriminator.parameters(), 1e-4, [0.5, 0.999])
    loader = DataLoader(Images("faces"), batch_size=16, shuffle=True, num_workers=1)
    writer = SummaryWriter()
    for step in range(200000):
        try:
            real, label = next(batches)
        except Exception:
            batches = iter(loader)
            real, label = next(batches)
        real, label = real.cuda(), label.cuda()
        fake = generator(real, label[torch.randperm(label.size(0))])
        d_loss = discriminator(fake.detach()).mean() - discriminator(real).mean()
        d_loss = d_loss + 10 * penalty(discriminator, real, fake.detach())
        d_optimizer.zero_grad()
        d_loss.backward()
        d_optimizer.step()
        g_loss = F.l1_loss(fake, real) - discriminator(fake).mean()
        g_optimizer.zero_grad()
        g_loss.backward()
        g_optimizer.step()
        writer.add_scalar("d_loss", d_loss.item(), step)
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
