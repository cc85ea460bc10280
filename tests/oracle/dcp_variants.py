"""Checkpoints of torch.distributed.checkpoint in forms that PyTorch allows and frameworks use less often.

Four processes over gloo save them; what becomes of each is looked at with PyTorch, bit for bit.
"""

import io
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import Checks, run, run_ok, temporary_directory, tool  # noqa: E402

import fsdp_model as tiny  # noqa: E402
import sharded_oracle as sharded  # noqa: E402
import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402
import torch.distributed.checkpoint as dcp  # noqa: E402
from safetensors.torch import load_file  # noqa: E402
from torch.distributed.checkpoint.state_dict import get_model_state_dict  # noqa: E402
from torch.distributed.tensor import Replicate, Shard, distribute_tensor  # noqa: E402

WORLD = 4


def by_decay(parameters):
    return [{"params": [one for one in parameters if one.dim() > 1], "weight_decay": 0.1},
            {"params": [one for one in parameters if one.dim() < 2], "weight_decay": 0.0}]


class Note:
    """What a program keeps with its groups, which no other can read."""


def with_note(parameters):
    return [{"params": parameters, "note": Note()}]


def by_halves(parameters):
    return [{"params": parameters[:5]}, {"params": parameters[5:]}]


# Optimizers as they save themselves, with numbers for their parameters: the mesh, whether weights are tied, the groups.
NUMBERED = {"one": ("four", False, list), "tied": ("four", True, list), "hsdp": ("hsdp", False, list), "groups": ("four", False, by_decay),
            "tp": ("tp", False, by_decay), "halves": ("four", False, by_halves), "noted": ("four", False, with_note)}
# Why a state is not carried over, though the weights are.
REFUSED = {"halves": "the order and shapes of the weights do not tell which they are", "noted": "Note"}


def save_numbered(scratch, rank, name):
    kind, tied, groups = NUMBERED[name]
    config = {**tiny.CONFIG, "tie_word_embeddings": tied}
    model = sharded.sharded(config, kind, sharded.mesh_of(kind))
    optimizer = torch.optim.AdamW(groups(list(model.parameters())), lr=1e-2)
    tiny.train(model, optimizer)
    dcp.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, checkpoint_id=scratch / name)
    truth = {key: {what: tiny.full(value) for what, value in optimizer.state[parameter].items()} for key, parameter in model.named_parameters()}
    weights = {key: tiny.full(value) for key, value in model.state_dict().items()}
    if rank == 0:
        tiny.write_config(scratch / name, config)
        torch.save((weights, truth), scratch / f"{name}.truth")


def check_numbered(checks, scratch, name):
    kept, convert = scratch / f"{name}_kept", tool("ckpt_convert")
    command = [convert, "-q", scratch / name, kept, "--to", "dcp", "--optimizer", "keep"]
    if name in REFUSED:
        refused = run(*command)
        checks.expect(refused.returncode == 5 and REFUSED[name] in refused.stderr, f"{name}: {refused.returncode} {refused.stderr}")
        run_ok(checks, *command[:-1], "drop")
        return
    if not run_ok(checks, *command):
        return
    found, (weights, truth) = sharded.whole(kept, scratch), torch.load(scratch / f"{name}.truth")
    checks.expect(sharded.equal(found["model"], weights), f"{name}: weights differ")
    checks.expect(sharded.equal(found["optimizer"]["state"], truth), f"{name}: states differ")
    decays = {key: group["weight_decay"] for group in found["optimizer"]["param_groups"] for key in group["params"]}
    checks.equal(set(decays), set(truth), f"{name}: parameters in groups")
    if NUMBERED[name][2] is by_decay:
        checks.expect(all(decays[key] == (0.1 if weights[key].dim() > 1 else 0.0) for key in truth), f"{name}: settings are {decays}")


def odd_tensors():
    """Every element type, shapes without axes and views, and names that are also those of types, or of no one's language."""
    torch.manual_seed(3)
    out = {str(dtype).removeprefix("torch."): (torch.randn(5, 7) * 9).to(dtype)
           for dtype in (torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16, torch.int8,
                         torch.uint8, torch.bool, torch.float8_e4m3fn, torch.float8_e5m2, torch.complex64)}
    out.update(scalar=torch.tensor(3.5), whole_scalar=torch.tensor(7), one=torch.randn(1), transposed=torch.randn(7, 5).t(), sliced=torch.randn(10, 7)[::2])
    names = ["层.权重", "sp ace", "a/b", "layout", "Size", "memory format", "properties of bool", "text bool", "DTensor", "FloatStorage"]
    return {**out, **{name: torch.randn(3, 2) for name in names}}


def cut(tensors, mesh, *placements):
    return {name: distribute_tensor(value.contiguous(), mesh, list(placements), src_data_rank=None) if value.dim() >= len(placements) else value
            for name, value in tensors.items()}


def save_odd(scratch, rank):
    mesh, grid = sharded.mesh_of("four"), sharded.mesh_of("hsdp")
    tensors = odd_tensors()
    rows, replicated, boxes = cut(tensors, mesh, Shard(0)), cut(tensors, grid, Replicate(), Shard(0)), cut(tensors, grid, Shard(0), Shard(1))
    for name, state, options in (
            ("odd_plain", tensors, {}), ("odd_rows", rows, {}), ("odd_replicated", replicated, {}), ("odd_boxes", boxes, {}),
            ("odd_lowest", replicated, {"planner": dcp.DefaultSavePlanner(dedup_save_to_lowest_rank=True)}),
            ("odd_threads", rows, {"storage_writer": dcp.FileSystemWriter(scratch / "odd_threads", single_file_per_rank=False, thread_count=3)})):
        dcp.save({"model": state}, checkpoint_id=scratch / name, **options)
    dcp.async_save({"model": rows}, checkpoint_id=scratch / "odd_async", process_group=dist.new_group(backend="gloo")).result()
    dist.barrier()


def as_bytes(tensor):
    return tensor.contiguous().reshape(-1).view(torch.uint8)


def whole_of_ranks(directory, world):
    ranks = [torch.load(directory / f"model_world_size_{world}_rank_{rank}.pt", weights_only=False) for rank in range(world)]
    first = ranks[0]
    return {name: torch.cat([as_bytes(one[name].to_local()) for one in ranks]).view(value.dtype).view(value.shape) if hasattr(value, "to_local") else value
            for name, value in first.items()}


def check_odd(checks, scratch, name):
    convert, wanted = tool("ckpt_convert"), odd_tensors()
    for asked in (["dcp"], ["hf"], ["dtensor", "--world", "2", "--mesh-device", "cpu"]):
        out = scratch / f"{name}_{asked[0]}"
        if not run_ok(checks, convert, "-q", scratch / name, out, "--to", *asked):
            continue
        found = {"dcp": lambda: sharded.whole(out, scratch)["model"], "hf": lambda: load_file(out / "model.safetensors"),
                 "dtensor": lambda: whole_of_ranks(out, 2)}[asked[0]]()
        checks.equal(sorted(found), sorted(wanted), f"{name} to {asked[0]}: names")
        for key, value in wanted.items():
            checks.expect(found[key].dtype == value.dtype and found[key].shape == value.shape and torch.equal(as_bytes(found[key]), as_bytes(value)),
                          f"{name} to {asked[0]}: {key} differs")
        run_ok(checks, convert, "verify", out, "--against", scratch / name)


def save_beside(scratch, rank):
    """What layers save among the weights, tensors without elements, and values of any nesting beside them."""
    model = sharded.sharded(tiny.CONFIG, "four", sharded.mesh_of("four"))
    state = get_model_state_dict(model)
    extra = {f"model.layers.{layer}.{part}._extra_state": value for layer in range(2)
             for part, value in (("self_attn", io.BytesIO(b"state")), ("mlp", torch.ones(3, dtype=torch.uint8)))}
    nested = {"nested": [{"a": torch.ones(2)}, (1, "x", torch.zeros(3))], "by number": {1: 2}}
    dcp.save({"model": {**state, **extra}, "train": nested}, checkpoint_id=scratch / "extra")
    dcp.save({"model": {"kept": torch.ones(2), "empty": torch.zeros(0, 7)}}, checkpoint_id=scratch / "empty")
    whole = {key: tiny.full(value) for key, value in state.items()}
    if rank == 0:
        tiny.write_config(scratch / "extra", tiny.CONFIG)
        torch.save(whole, scratch / "extra.truth")


def check_beside(checks, scratch):
    convert = tool("ckpt_convert")
    if run_ok(checks, convert, scratch / "extra", scratch / "extra_hf", "--to", "hf"):
        sharded.same_tensors(checks, load_file(scratch / "extra_hf/model.safetensors"), torch.load(scratch / "extra.truth"), "beside extra states")
    seen = run(convert, "inspect", scratch / "extra", "--summary").stdout
    checks.expect("extra states of layers" in seen and "train.nested.0.a" in seen, f"inspect: {seen}")
    done = run(convert, scratch / "empty", scratch / "empty_dcp", "--to", "dcp")
    checks.expect(done.returncode == 0 and "1 source tensor has no elements and is left out: empty" in done.stdout, f"empty: {done.stdout}{done.stderr}")


def worker(rank, world, scratch):
    for name in NUMBERED:
        save_numbered(Path(scratch), rank, name)
        dist.barrier()
    save_odd(Path(scratch), rank)
    save_beside(Path(scratch), rank)


def main():
    checks = Checks()
    with temporary_directory() as scratch:
        tiny.run(worker, WORLD, scratch)
        for name in NUMBERED:
            check_numbered(checks, Path(scratch), name)
        for path in sorted(Path(scratch).glob("odd_*")):
            check_odd(checks, Path(scratch), path.name)
        check_beside(checks, Path(scratch))
    checks.finish()


if __name__ == "__main__":
    main()
