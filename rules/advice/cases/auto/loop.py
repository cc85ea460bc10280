import torch
import torch_npu
from torch_npu.contrib import transfer_to_npu

torch.cuda.manual_seed(1)  # expect: advice.seed, cuda.renamed
for x in batches:  # expect: advice.memory, advice.host_bound, advice.full_precision
    model(x).backward()
    optimizer.step()
    torch.cuda.synchronize()  # expect: advice.synchronize, cuda.renamed
    torch.cuda.empty_cache()  # expect: advice.empty_cache, cuda.renamed
