"""The emulated NPU itself: it computes what the CPU computes, has the names that our rules write, and refuses what Ascend refuses."""

import json
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[2] / "support")]
from checks import ROOT, Checks, temporary_directory  # noqa: E402

import torch  # noqa: E402
import torch_npu  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402


def both(make, *shape):
    """Outputs and gradients of a module or function on the two devices."""
    results = []
    for device in ("cpu", "npu"):
        torch.manual_seed(0)
        module = make()
        if isinstance(module, nn.Module):
            module.to(device)
        x = torch.randn(*shape).to(device).requires_grad_()
        torch.manual_seed(1)
        out = module(x)
        out = out[0] if isinstance(out, tuple) else out
        out.float().pow(2).sum().backward()
        parameters = module.parameters() if isinstance(module, nn.Module) else ()
        results.append([out, x.grad, *(parameter.grad for parameter in parameters if parameter.grad is not None)])
    return results


def same(checks, what, found, wanted, tolerance=2e-5):
    found, wanted = found.detach().cpu().float(), wanted.detach().cpu().float()
    if checks.equal(tuple(found.shape), tuple(wanted.shape), f"{what}: shape"):
        difference = ((found - wanted).abs() / wanted.abs().clamp(min=1)).max().item()
        checks.expect(difference <= tolerance, f"{what}: differs by {difference:.1e}")


class Tied(nn.Module):
    """One weight under two names, before and after a move."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(8, 8), nn.Linear(8, 8, bias=False)
        self.second.weight = self.first.weight

    def forward(self, x):
        return self.second(self.first(x))


MODULES = {
    "convolution": (lambda: nn.Conv2d(3, 8, 3, 2, 1, groups=1), (2, 3, 8, 8)),
    "transposed convolution": (lambda: nn.ConvTranspose2d(4, 3, 4, 2, 1, bias=False), (2, 4, 5, 5)),
    "grouped convolution": (lambda: nn.Conv1d(4, 8, 3, groups=2), (2, 4, 9)),
    "batch norm": (lambda: nn.BatchNorm2d(4), (3, 4, 5, 5)),
    "layer norm and gelu": (lambda: nn.Sequential(nn.LayerNorm(8), nn.GELU()), (2, 3, 8)),
    "group norm": (lambda: nn.GroupNorm(2, 4), (2, 4, 5)),
    "gru": (lambda: nn.GRU(6, 5, batch_first=True, bidirectional=True), (2, 4, 6)),
    "lstm": (lambda: nn.LSTM(6, 5, 2), (4, 2, 6)),
    "dropout": (lambda: nn.Dropout(0.5), (4, 50)),
    "attention": (lambda: nn.TransformerEncoderLayer(16, 4, 32, batch_first=True, dropout=0.1), (2, 5, 16)),
    "tied weights": (Tied, (2, 8)),
    "softmax and indexing": (lambda: lambda x: x.softmax(-1)[x.argmax(-1) > 2], (16, 8)),
    "views": (lambda: lambda x: x.unfold(1, 3, 2).transpose(0, 1).reshape(-1, 3).flip(0) * 2, (4, 9)),
    "sorting": (lambda: lambda x: x.sort(-1)[0].cumsum(-1), (3, 7)),
    "interpolation": (lambda: lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), (1, 2, 4, 4)),
    "einsum": (lambda: lambda x: torch.einsum("bik,bjk->bij", x, x), (2, 3, 4)),
    "complex numbers": (lambda: lambda x: torch.view_as_real(torch.view_as_complex(x) * torch.view_as_complex(x)), (5, 2)),
}


def check_arithmetic(checks):
    for name, (make, shape) in MODULES.items():
        wanted, found = both(make, *shape)
        checks.equal(len(found), len(wanted), f"{name}: gradients")
        for ours, theirs in zip(found, wanted):
            checks.equal(ours.device.type, "npu", f"{name}: device")
            same(checks, name, ours, theirs)


def check_memory(checks):
    x = torch.zeros(2, 3, device="npu:1")
    x[0] = 5
    view = x.view(-1)
    view[5] = 7
    checks.equal(x.tolist(), [[5, 5, 5], [0, 0, 7]], "a view writes through")
    out = torch.empty(0, device="npu:1")
    torch.add(x, 1, out=out)
    checks.equal(out.tolist(), [[6, 6, 6], [1, 1, 8]], "out= of another size")
    with torch.inference_mode():
        checks.equal(nn.functional.linear(x[None], x).shape, (1, 2, 2), "views of ordinary tensors in inference mode")
    torch.npu.reset_peak_memory_stats(1)
    before = torch.npu.memory_allocated(1)
    large = torch.ones(1000, device="npu:1")
    checks.equal(torch.npu.memory_allocated(1) - before, 4000, "memory of a tensor")
    del large
    checks.equal(torch.npu.memory_allocated(1), before, "memory after it")
    checks.expect(torch.npu.max_memory_allocated(1) >= before + 4000, "peak memory")
    checks.expect(torch.ones(2).pin_memory().is_pinned() and not torch.ones(2).is_pinned(), "pinned memory")
    with torch.npu.device(1):
        checks.equal(torch.ones(1, device="npu").device, torch.device("npu:1"), "the current device")
    with temporary_directory() as work:
        torch.save({"x": x}, f"{work}/x.pt")
        for place in (None, "npu:0", "cpu", {"npu:1": "npu:0"}):
            loaded = torch.load(f"{work}/x.pt", map_location=place)["x"]
            checks.equal(loaded.tolist(), x.tolist(), f"loaded to {place}")
            target = place["npu:1"] if isinstance(place, dict) else place or "npu:1"
            checks.equal(str(loaded.device), target, f"place of what was loaded to {place}")


def check_runtime(checks):
    start, end = torch.npu.Event(enable_timing=True), torch.npu.Event(enable_timing=True)
    stream = torch.npu.Stream()
    with torch.npu.stream(stream):
        checks.equal(torch.npu.current_stream(), stream, "the current stream")
        start.record()
    torch.npu.current_stream().wait_stream(stream)
    end.record()
    torch.npu.synchronize()
    checks.expect(start.elapsed_time(end) >= 0 and end.query(), "events")
    ours = torch.rand(3, device="npu", generator=torch.Generator("npu").manual_seed(3))
    checks.equal(ours.tolist(), torch.rand(3, generator=torch.Generator().manual_seed(3)).tolist(), "generator of the device")
    state = torch.npu.get_rng_state()
    first = torch.rand(3, device="npu").tolist()
    torch.npu.set_rng_state(state)
    checks.equal(torch.rand(3, device="npu").tolist(), first, "state of the default generator")
    checks.equal(torch.ones(2).type("torch.npu.FloatTensor").type(), "torch.npu.FloatTensor", "tensor types")
    checks.expect(isinstance(torch.ones(2).npu(), torch.npu.FloatTensor) and not isinstance(torch.ones(2), torch.npu.FloatTensor), "isinstance")
    linear = nn.Linear(4, 4).npu()
    x = torch.ones(2, 4, device="npu")
    with torch.npu.amp.autocast():
        checks.equal([linear(x).dtype, F.layer_norm(linear(x), (4,)).dtype], [torch.float16, torch.float32], "types under autocast")
    with torch.autocast("npu", dtype=torch.bfloat16):
        checks.equal([(linear(x) @ linear(x).T).dtype, linear(x).sum().dtype], [torch.bfloat16, torch.float32], "and with bfloat16")


def check_optimizers(checks):
    for fused, plain, options in ((torch_npu.optim.NpuFusedAdamW, torch.optim.AdamW, {"lr": 0.1, "weight_decay": 0.1}),
                                  (torch_npu.optim.NpuFusedAdam, torch.optim.Adam, {"lr": 0.1}),
                                  (torch_npu.optim.NpuFusedSGD, torch.optim.SGD, {"lr": 0.1, "momentum": 0.9}),
                                  (torch_npu.optim.NpuFusedRMSprop, torch.optim.RMSprop, {}),
                                  (torch_npu.optim.NpuFusedAdadelta, torch.optim.Adadelta, {})):
        results = []
        for make, device in ((plain, "cpu"), (fused, "npu")):
            torch.manual_seed(0)
            model = nn.Linear(4, 4).to(device)
            optimizer = make(model.parameters(), **options)
            for _ in range(3):
                optimizer.zero_grad()
                model(torch.ones(2, 4, device=device)).pow(2).sum().backward()
                optimizer.step()
            results.append(model.weight)
        same(checks, fused.__name__, results[1], results[0])


def check_operators(checks):
    torch.manual_seed(0)
    q, k, v = (torch.randn(2, 4, 6, 16, device="npu") for _ in range(3))
    wanted = F.scaled_dot_product_attention(q, k, v)
    triangle = torch.triu(torch.ones(2048, 2048, device="npu"), 1).bool()
    layouts = {"BNSD": lambda t: t, "BSND": lambda t: t.transpose(1, 2), "BSH": lambda t: t.transpose(1, 2).flatten(2),
               "SBH": lambda t: t.transpose(1, 2).flatten(2).transpose(0, 1)}
    for layout, change in layouts.items():
        found = torch_npu.npu_fusion_attention(change(q), change(k), change(v), 4, layout, scale=0.25)[0]
        same(checks, f"npu_fusion_attention {layout}", found, change(wanted))
    causal = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    for mode in (2, 3):
        found = torch_npu.npu_fusion_attention(q, k, v, 4, "BNSD", scale=0.25, atten_mask=triangle, sparse_mode=mode)[0]
        same(checks, f"npu_fusion_attention sparse_mode {mode}", found, causal)
    mask = torch.rand(6, 6, device="npu") > 0.7
    mask[:, 0] = False
    same(checks, "npu_fusion_attention atten_mask", torch_npu.npu_fusion_attention(q, k, v, 4, "BNSD", atten_mask=mask, scale=0.25)[0],
         F.scaled_dot_product_attention(q, k, v, attn_mask=~mask))
    few = k[:, :2], v[:, :2]
    same(checks, "npu_fusion_attention with fewer key heads", torch_npu.npu_fusion_attention(q, *few, 4, "BNSD", scale=0.25)[0],
         F.scaled_dot_product_attention(q, *few, enable_gqa=True))
    packed = [t[:, :, :n].transpose(1, 2)[i] for t in (q, k, v) for i, n in ((0, 6), (1, 4))]
    found = torch_npu.npu_fusion_attention(*(torch.cat(packed[i:i + 2]) for i in (0, 2, 4)), 4, "TND", scale=0.25,
                                           actual_seq_qlen=[6, 10], actual_seq_kvlen=[6, 10])[0]
    short = F.scaled_dot_product_attention(*(t[1:, :, :4] for t in (q, k, v))).transpose(1, 2)[0]
    same(checks, "npu_fusion_attention TND", found, torch.cat([wanted.transpose(1, 2)[0], short]))

    x, gamma = torch.randn(2, 3, 8, device="npu"), torch.randn(8, device="npu")
    same(checks, "npu_rms_norm", torch_npu.npu_rms_norm(x, gamma, 1e-5)[0], F.rms_norm(x, (8,), gamma, 1e-5))
    y, _, total = torch_npu.npu_add_rms_norm(x, x, gamma)
    same(checks, "npu_add_rms_norm", y, F.rms_norm(2 * x, (8,), gamma, 1e-6))
    same(checks, "npu_add_rms_norm sum", total, 2 * x)
    same(checks, "npu_swiglu", torch_npu.npu_swiglu(x), F.silu(x[..., :4]) * x[..., 4:])
    same(checks, "npu_gelu_mul", torch_npu.npu_gelu_mul(x), F.gelu(x[..., :4]) * x[..., 4:])
    cos, sin = torch.randn(2, 1, 6, 16, device="npu")
    half = torch.cat((-q[..., 8:], q[..., :8]), -1)
    same(checks, "npu_rotary_mul", torch_npu.npu_rotary_mul(q, cos[None], sin[None]), q * cos + half * sin)
    turned = torch.view_as_real(torch.view_as_complex(q.unflatten(-1, (8, 2))) * 1j).flatten(-2)
    same(checks, "npu_rotary_mul interleave", torch_npu.npu_rotary_mul(q, cos[None], sin[None], "interleave"), q * cos + turned * sin)
    same(checks, "npu_confusion_transpose", torch_npu.npu_confusion_transpose(q, (0, 2, 1, 3), (2, 6, 64), True),
         q.permute(0, 2, 1, 3).reshape(2, 6, 64))
    same(checks, "npu_confusion_transpose, reshape first", torch_npu.npu_confusion_transpose(x, (0, 2, 1, 3), (2, 3, 2, 4), False),
         x.reshape(2, 3, 2, 4).permute(0, 2, 1, 3))
    scores, hidden = torch.randn(1, 2, 32, 64, device="npu"), torch.rand(1, 1, 32, 64, device="npu") > 0.5
    same(checks, "npu_scaled_masked_softmax", torch_npu.npu_scaled_masked_softmax(scores, hidden, 0.5),
         (scores * 0.5).masked_fill(hidden, -10000.0).softmax(-1))
    logits, target = torch.randn(5, 7, device="npu"), torch.arange(5, device="npu")
    same(checks, "npu_cross_entropy_loss", torch_npu.npu_cross_entropy_loss(logits, target)[0], F.cross_entropy(logits, target))


# What has to fail, and with what in its message.
REFUSED = {
    "torch.ones(2, device='npu') + torch.ones(2)": "at least two devices",
    "torch.ones(2, device='npu:0') + torch.ones(2, device='npu:1')": "at least two devices",
    "torch.ones(2, 2, device='npu').double() @ torch.ones(2, 2, device='npu').double()": "no kernel for Double",
    "torch.ones(2, 2, device='npu', dtype=torch.complex64) @ torch.ones(2, 2, device='npu', dtype=torch.complex64)": "no kernel",
    "torch.ones(1, 2, 3, 4, device='npu').to(memory_format=torch.channels_last)": "memory format",
    "torch.rand(2, device='npu', generator=torch.Generator())": "generator",
    "torch.ones(2, device='npu:7')": "does not exist",
    "torch.ones(2, device='cuda')": "not compiled with CUDA",
    "torch.ones(2).cuda()": "not compiled with CUDA",
    "torch.ones(2, device='npu').numpy()": "numpy",
    "torch.cuda.current_device()": "not compiled with CUDA",
    "torch.nn.DataParallel(nn.Linear(1, 1).npu())": "not supported on the NPU",
    "torch_npu.npu_swiglu(torch.ones(2, 4))": "'cpu' backend",
    "torch_npu.npu_swiglu(torch.ones(2, 3, device='npu'))": "even",
    "torch_npu.npu_rms_norm(torch.ones(2, 4, device='npu').double(), torch.ones(4, device='npu').double())": "not supported",
    "torch_npu.npu_fusion_attention(*[torch.ones(1, 2, 3, 16, device='npu')] * 3, 2, 'BNSD', sparse_mode=2)": "2048",
    "torch_npu.optim.NpuFusedAdamW(nn.Linear(1, 1).parameters())": "move the model first",
    "torch_npu.optim.NpuFusedAdamW(nn.Linear(1, 1).npu().parameters(), fused=True)": "no option fused",
    "torch.npu.amp.GradScaler().scale(torch.ones(1))": "of the NPU",
    "torch_npu.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU])": "ProfilerActivity",
    "torch_npu.profiler.profile().key_averages()": "key_averages",
    "torch.npu.get_device_properties().major": "major",
    "torch.npu.get_device_capability()[0]": "subscriptable",
}
ABSENT = ("CUDAGraph", "CudaError", "OutOfMemoryError", "comm", "cudart", "get_arch_list", "get_gencode_flags", "has_half", "jiterator",
          "list_gpu_processes", "nccl", "nvtx", "temperature", "tunable")


def check_refusals(checks):
    for code, words in REFUSED.items():
        try:
            eval(code)
            checks.expect(False, f"{code}: is accepted")
        except Exception as problem:
            checks.expect(words in str(problem), f"{code}: says {str(problem)[:200]!r}, not {words!r}")
    for name in ABSENT:
        checks.expect(not hasattr(torch.npu, name), f"torch.npu.{name}: the real one has no such name")


def written_names(value):
    """Qualified names that the rules write or recommend; not those of the NPU's operators that keep them in another module."""
    if isinstance(value, dict):
        if str(value.get("name")).startswith("torch.npu_") and value.get("to") == value["name"].replace("torch.", "torch_npu.", 1):
            return
        for key, part in value.items():
            if key in ("to", "rename") and isinstance(part, str) and part.startswith(("torch.npu", "torch_npu", "torch.distributed")):
                yield part
            else:
                yield from written_names(part)
    elif isinstance(value, list):
        for part in value:
            yield from written_names(part)


def check_names(checks):
    names = {name for path in (ROOT / "rules/rewrite").glob("*.json") for name in written_names(json.loads(path.read_text()))}
    checks.expect(len(names) > 100, f"only {len(names)} names in the rules")
    for name in sorted(names):
        value = sys.modules["torch_npu" if name.startswith("torch_npu") else "torch"]
        for part in name.split(".")[1:]:
            value = getattr(value, part, None)
        checks.expect(value is not None, f"{name}: the rules write it, and the emulated torch_npu does not have it")


def main():
    checks = Checks()
    for check in (check_arithmetic, check_memory, check_runtime, check_optimizers, check_operators, check_refusals, check_names):
        check(checks)
    checks.finish()


if __name__ == "__main__":
    main()
