import torch
import torch_npu
args = (0,)
kw = {"device": 0}
a = torch.zeros(1).to(*args)
b = torch.zeros(1, **kw)
c = torch.zeros(1).to(**kw)
mv = lambda t, d=torch.npu.current_device(): t.to(d)
e = [t.npu() for t in (a, b, c)]
f = {k: v.npu(non_blocking=True) for k, v in {}.items()}
