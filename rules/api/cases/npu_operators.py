import torch
import torch_npu


def attention(q, k, v, heads, options):
    torch_npu.npu_fusion_attention(q, k, v, heads, "BSH", scale=0.5)  # ok: operator.wrong_arguments
    torch_npu.npu_fusion_attention(q, k, v, heads, input_layout="BSH", **options)  # ok: operator.wrong_arguments
    torch_npu.npu_fusion_attention(q, k, v, heads, **options)  # ok: operator.wrong_arguments
    torch_npu.npu_fusion_attention(q, k, v, heads, layout="BSH")  # expect: operator.wrong_arguments
    torch_npu.npu_fusion_attention(q, k, v)  # expect: operator.wrong_arguments
    torch_npu.npu_fusion_attention(q, k, v, "BSH", heads)  # expect: operator.wrong_arguments
    return torch_npu.npu_fusion_atention(q, k, v, heads, "BSH")  # expect: operator.not_listed


def norm(x, weight):
    y, _ = torch_npu.npu_rms_norm(x, weight, 1e-6)  # ok: operator.wrong_arguments
    y, _ = torch_npu.npu_rms_norm(x, weight, epsilon=1e-6)  # ok: operator.wrong_arguments
    y, _ = torch_npu.npu_rms_norm(x, weight, eps=1e-6)  # expect: operator.wrong_arguments
    y, _ = torch_npu.npu_rms_norm(x, weight, 1e-6, 1, 2)  # expect: operator.wrong_arguments
    y = torch.ops.npu.npu_swiglu(y, -1)  # expect: custom_ops.torch_ops_builtin
    y = torch.ops.npu.npu_swiglu([y], -1)  # expect: operator.wrong_arguments
    return torch_npu.npu_swiglu  # ok: operator.not_listed
