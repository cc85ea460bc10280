"""A small DCGAN in the old manner: tensor types, Variable, one device chosen at the top."""

import argparse

import numpy as np
import torch
import torch.nn as nn
from torch.autograd import Variable

parser = argparse.ArgumentParser()
parser.add_argument("--nz", type=int, default=8, help="size of the latent vector")
parser.add_argument("--ngf", type=int, default=8)
parser.add_argument("--steps", type=int, default=6)
parser.add_argument("--ngpu", type=int, default=1, help="number of GPUs to use")
parser.add_argument("--no-cuda", action="store_true", default=False, help="disables CUDA training")
opt = parser.parse_args()

opt.cuda = not opt.no_cuda and torch.cuda.is_available()
device = torch.device("cuda:0" if opt.cuda and opt.ngpu > 0 else "cpu")
Tensor = torch.cuda.FloatTensor if opt.cuda else torch.FloatTensor

np.random.seed(3)
torch.manual_seed(3)
if opt.cuda:
    torch.cuda.manual_seed(3)


def weights_init(m):
    classname = m.__class__.__name__
    if classname.find("Conv") != -1:
        nn.init.normal_(m.weight.data, 0.0, 0.02)
    elif classname.find("BatchNorm") != -1:
        nn.init.normal_(m.weight.data, 1.0, 0.02)
        nn.init.constant_(m.bias.data, 0)


class Generator(nn.Module):
    def __init__(self, ngpu):
        super().__init__()
        self.ngpu = ngpu
        self.main = nn.Sequential(
            nn.ConvTranspose2d(opt.nz, opt.ngf * 2, 4, 1, 0, bias=False),
            nn.BatchNorm2d(opt.ngf * 2),
            nn.ReLU(True),
            nn.ConvTranspose2d(opt.ngf * 2, opt.ngf, 4, 2, 1, bias=False),
            nn.BatchNorm2d(opt.ngf),
            nn.ReLU(True),
            nn.ConvTranspose2d(opt.ngf, 1, 4, 2, 1, bias=False),
            nn.Tanh(),
        )

    def forward(self, input):
        if input.is_cuda and self.ngpu > 1:
            return nn.parallel.data_parallel(self.main, input, range(self.ngpu))
        return self.main(input)


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(
            nn.Conv2d(1, opt.ngf, 4, 2, 1, bias=False),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(opt.ngf, opt.ngf * 2, 4, 2, 1, bias=False),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Flatten(),
            nn.utils.spectral_norm(nn.Linear(opt.ngf * 2 * 16, 1)),
        )

    def forward(self, input):
        return self.main(input).view(-1, 1).squeeze(1)


def gradient_penalty(net, real, fake):
    alpha = Tensor(np.random.random((real.size(0), 1, 1, 1)))
    mixed = (alpha * real + (1 - alpha) * fake).requires_grad_(True)
    out = net(mixed)
    grads = torch.autograd.grad(out, mixed, Variable(Tensor(out.shape[0]).fill_(1.0), requires_grad=False), create_graph=True)[0]
    return ((grads.view(grads.size(0), -1).norm(2, dim=1) - 1) ** 2).mean()


netG, netD = Generator(opt.ngpu).to(device), Discriminator().to(device)
netG.apply(weights_init)
netD.apply(weights_init)
criterion = nn.BCEWithLogitsLoss()
if opt.cuda:
    criterion = criterion.cuda()
optimizerD = torch.optim.Adam(netD.parameters(), lr=2e-3, betas=(0.5, 0.999))
optimizerG = torch.optim.Adam(netG.parameters(), lr=2e-3, betas=(0.5, 0.999))
fixed_noise = torch.randn(4, opt.nz, 1, 1, device=device)

for step in range(opt.steps):
    real = Variable(torch.from_numpy(np.random.rand(8, 1, 16, 16).astype(np.float32)).type(Tensor))
    valid = Variable(Tensor(real.size(0)).fill_(1.0), requires_grad=False)
    wrong = Variable(Tensor(real.size(0)).fill_(0.0), requires_grad=False)

    optimizerD.zero_grad()
    noise = Variable(Tensor(np.random.normal(0, 1, (real.size(0), opt.nz, 1, 1))))
    fake = netG(noise)
    errD = criterion(netD(real), valid) + criterion(netD(fake.detach()), wrong) + 0.1 * gradient_penalty(netD, real, fake.detach())
    errD.backward()
    optimizerD.step()

    optimizerG.zero_grad()
    errG = criterion(netD(fake), valid)
    errG.backward()
    optimizerG.step()
    print(f"[{step}/{opt.steps}] d loss {errD.item():.6f} g loss {errG.item():.6f}")

sample = netG(fixed_noise).detach().cpu().numpy()
print(f"sample loss {float(np.abs(sample).mean()):.6f}")
torch.save(netG.state_dict(), "netG.pth")
state = torch.load("netG.pth", map_location=lambda storage, loc: storage.cuda(0) if opt.cuda else storage)
netG.load_state_dict(state)
