import tensorrt as trt  # expect: serving.code, third_party.replacement
import torch

encoder = torch.nn.Linear(2, 2).cuda()  # ok: method.cuda
x = torch.zeros(1, 2, device="cuda")  # ok: device.string
fast = torch.compile(encoder)  # expect: compile.inductor


def infer(context, stream=torch.cuda.current_stream()):  # ok: cuda.renamed
    context.execute_async_v2([x.data_ptr()], stream.cuda_stream)
