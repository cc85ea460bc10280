import argparse
import torch
import torch_npu
p = argparse.ArgumentParser()
p.add_argument('--cuda', action='store_true')
p.add_argument('--no-cuda', action='store_true', default=False, help='disables cuda: training')
p.add_argument('--device', default='npu', choices=['npu', 'cpu'])
p.add_argument('--dev2', default='cuda:0,cuda:1')
args = p.parse_args(['--cuda'])
print(vars(args)['cuda'])
print(getattr(args, 'cuda', False))
print(args.cuda)
opts = {'cuda': True}
print(opts.get('cuda'), dict(cuda=True)['cuda'])
