import torch

start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
start.record()
x = torch.ones(64, 64).cuda() @ torch.ones(64, 64).cuda()
end.record()
torch.cuda.synchronize()
print(start.elapsed_time(end) >= 0, x.sum().item())
