import torch
import torch._inductor.config as inductor


@torch.compile  # expect: compile.inductor
def plain(x):
    return x


a = torch.compile(plain, mode="max-autotune")  # expect: compile.cuda_graph_mode
b = torch.compile(plain, mode="default")  # ok: compile.cuda_graph_mode
torch._inductor.config.triton.cudagraphs = True  # expect: compile.inductor_setting
inductor.coordinate_descent_tuning = True  # expect: compile.inductor_setting
torch._dynamo.config.cache_size_limit = 64  # ok: compile.inductor_setting
