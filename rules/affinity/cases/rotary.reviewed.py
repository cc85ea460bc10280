import torch
import torch_npu


def rotate_half(x):
    """The second half, negated, in front of the first."""
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2 :]
    return torch.cat((-x2, x1), dim=-1)


def rotate_chunks(x):
    first, second = torch.chunk(x, 2, dim=-1)
    return torch.cat((-second, first), dim=-1)


def rotate_every_two(x):
    x1 = x[..., ::2]
    x2 = x[..., 1::2]
    x = torch.stack((-x2, x1), dim=-1)
    return x.flatten(-2)


def rotate_wrong(x):
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2 :]
    return torch.cat((x2, x1), dim=-1)


def rotary(q, k, cos, sin):
    cos = cos.unsqueeze(1)
    sin = sin.unsqueeze(1)
    q_embed = torch_npu.npu_rotary_mul(q, cos, sin)  # expect: affinity.rotary
    k_embed = torch_npu.npu_rotary_mul(k, cos, sin)  # expect: affinity.rotary
    return q_embed, k_embed


def chunks(t, freqs):
    return torch_npu.npu_rotary_mul(t, freqs.cos(), freqs.sin())  # expect: affinity.rotary


def wrong(q, cos, sin):
    return (q * cos) + (rotate_wrong(q) * sin)  # ok: affinity.rotary


def wrong_sign(q, cos, sin):
    return (q * cos) - (rotate_half(q) * sin)  # ok: affinity.rotary


def interleaved(q, cos, sin):
    return torch_npu.npu_rotary_mul(q, cos, sin, rotary_mode="interleave")  # expect: affinity.rotary_interleaved


def complex_numbers(x, freqs_cis):
    x_ = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))  # expect: advice.complex
    return torch.view_as_real(x_ * freqs_cis).flatten(3)  # expect: affinity.rotary_complex


def rotate_and_write(x):
    first, second = torch.chunk(x, 2, dim=-1)
    second[..., 0] = 0.5
    return torch.cat((-second, first), dim=-1)


def written_on_the_way(q, cos, sin):
    return q * cos + rotate_and_write(q) * sin  # ok: affinity.rotary
