"""Every pair of formats of checkpoints, from one training: what both have is the same, bit for bit.

Four ranks train a model with fully_shard and save it with PyTorch, as programs with FSDP2 and as verl do. From each format it is
converted to each other one, and what that holds is looked at with PyTorch: weights, and where both have them moments, steps and
settings of every weight. Eight ranks save the same model too, so that some have nothing of a tensor, and FSDP1 saves it; and files that are made as the
scripts of verl and MindSpeed-LLM make them hold the same.
"""

import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import Checks, run_ok, temporary_directory, tool  # noqa: E402

import fsdp_model as tiny  # noqa: E402
import sharded_oracle as sharded  # noqa: E402
import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402
import torch.distributed.checkpoint as dcp  # noqa: E402
from safetensors.torch import load_file  # noqa: E402
from torch.distributed.checkpoint.state_dict import get_model_state_dict, get_optimizer_state_dict  # noqa: E402
from torch.distributed.device_mesh import DeviceMesh  # noqa: E402
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP  # noqa: E402
from torch.distributed.fsdp import StateDictType  # noqa: E402

WORLD = 4
RANKS = 8
# How each format is asked for, and whether it has a place for the optimizer. The first two are written by PyTorch.
FORMATS = {
    "dcp": (["--to", "dcp"], True),
    "verl": (["--to", "dtensor", "--world", "4", "--mesh-device", "cpu"], False),
    "hf": (["--to", "hf"], False),
    "mcore": (["--to", "mcore", "--tp", "2", "--pp", "2"], True),
    "torch_dist": (["--to", "mcore", "--target", "mcore@0.16", "--ckpt-format", "torch_dist"], True),
    "titan": (["--to", "dcp", "--names", "torchtitan"], True),
    "fsdp_dtensor": (["--to", "megatron-fsdp"], True),
    "universal": (["--to", "universal"], True),
}
# From these with the optimizer, as PyTorch's own files and as we wrote it; the others have none to give.
WITH_STATE = [name for name, (_, has_state) in FORMATS.items() if has_state] + ["verl"]


def trained(model):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, betas=(0.9, 0.95), weight_decay=0.1)
    tiny.train(model, optimizer)
    return optimizer


def worker(rank, world, scratch):
    scratch = Path(scratch)
    model = sharded.sharded(tiny.CONFIG, "four", sharded.mesh_of("four"))
    optimizer = trained(model)
    dcp.save({"model": get_model_state_dict(model), "optimizer": get_optimizer_state_dict(model, optimizer)}, checkpoint_id=scratch / "dcp")
    (scratch / "verl").mkdir(exist_ok=True)
    for kind, state in (("model", model.state_dict()), ("optim", optimizer.state_dict())):
        torch.save(state, scratch / "verl" / f"{kind}_world_size_{world}_rank_{rank}.pt")
    if rank == 0:
        tiny.write_config(scratch / "dcp", tiny.CONFIG)
        tiny.write_config(scratch / "verl", tiny.CONFIG)


def many(rank, world, scratch):
    """More ranks than some tensors have rows."""
    mesh = DeviceMesh("cpu", list(range(world)), mesh_dim_names=("fsdp",))
    for name, config in (("eight", tiny.MOE_CONFIG), ("eight_tied", sharded.TIED)):
        model = sharded.sharded(config, "eight", mesh)
        optimizer = trained(model)
        dcp.save({"model": get_model_state_dict(model), "optimizer": get_optimizer_state_dict(model, optimizer)},
                 checkpoint_id=Path(scratch) / name)
        if rank == 0:
            tiny.write_config(Path(scratch) / name, config)
        dist.barrier()


def flat(rank, world, scratch):
    """FSDP1, saved as accelerate does: in shards, and whole in one file."""
    warnings.filterwarnings("ignore")  # that FSDP1 is deprecated
    model = FSDP(tiny.build(tiny.CONFIG), use_orig_params=True, device_id=torch.device("cpu"))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, weight_decay=0.1)
    for step in range(2):
        for parameter in model.parameters():
            parameter.grad = torch.sin(parameter.detach() * (step + 1))
        optimizer.step()
    apart, whole = Path(scratch) / "fsdp1" / "checkpoint-2", Path(scratch) / "fsdp1_full" / "checkpoint-2"
    with FSDP.state_dict_type(model, StateDictType.SHARDED_STATE_DICT):
        dcp.save({"model": model.state_dict()}, checkpoint_id=apart / "pytorch_model_fsdp_0")
        dcp.save({"optimizer": FSDP.optim_state_dict(model, optimizer)}, checkpoint_id=apart / "optimizer_0")
    with FSDP.state_dict_type(model, StateDictType.FULL_STATE_DICT):
        state, moments = model.state_dict(), FSDP.optim_state_dict(model, optimizer)
    if rank == 0:
        for directory in (apart, whole):
            tiny.write_config(directory, tiny.CONFIG)
        torch.save(state, whole / "pytorch_model_fsdp.bin")
        torch.save(moments, whole / "optimizer.bin")


def settings(optimizer):
    """Of every weight, whether they are saved by group or by name."""
    out = {}
    groups = optimizer.get("param_groups")
    if isinstance(groups, list):
        for group in groups:
            for name in group["params"]:
                out[name] = {key: value for key, value in group.items() if key != "params"}
        return out
    for key, value in optimizer.items():
        if key.startswith("param_groups."):
            name, setting = key.removeprefix("param_groups.").rsplit(".", 1)
            out.setdefault(name, {})[setting] = value
    return out


def states(optimizer):
    if "state" in optimizer:
        return {name: dict(state) for name, state in optimizer["state"].items()}
    out = {}
    for key, value in optimizer.items():
        if key.startswith("state."):
            name, kind = key.removeprefix("state.").rsplit(".", 1)
            out.setdefault(name, {})[kind] = value
    return out


def mark_of(start, end):
    """A state is saved by name, or in the order in which the run has its parameters; where that is not told, our groups say so."""
    if end in ("mcore", "torch_dist"):
        return "unknown"
    without_order = {"dcp": ("mcore", "torch_dist"), "universal": ("mcore", "torch_dist", "titan", "fsdp_dtensor")}
    return "unknown" if start in without_order.get(end, ()) else None


def check_pair(checks, scratch, truth, start, end):
    """From `start` to `end`, and what is there then as PyTorch reads it."""
    asked, has_state = FORMATS[end]
    with_state = has_state and start in WITH_STATE
    if end == "universal" and not with_state:
        return  # it is what a run goes on from
    keep = ["--optimizer", "keep"] if with_state else []
    there, seen = scratch / f"{start}_to_{end}", scratch / f"{start}_to_{end}_seen"
    if not run_ok(checks, tool("ckpt_convert"), "-q", scratch / start, there, *asked, *keep):
        return
    if end in WITH_STATE and end != "verl" and (scratch / end).exists() is False and with_state:
        there.rename(scratch / end)  # what the rows after this one start from
        there = scratch / end
    if not run_ok(checks, tool("ckpt_convert"), "-q", there, seen, "--to", "dcp", *keep):
        return
    what, found = f"{start} to {end}", sharded.whole(seen, scratch)
    sharded.same_tensors(checks, found["model"], truth["model"], what)
    if not with_state:
        return
    given, kept = states(truth["optimizer"]), states(found["optimizer"])
    checks.equal(sorted(kept), sorted(given), f"{what}: weights with a state")
    for name, state in given.items():
        checks.expect(sharded.equal(state, kept.get(name)), f"{what}: the state of {name} differs")
    wanted, groups = settings(truth["optimizer"]), settings(found["optimizer"])
    checks.equal({group.pop("parameter_order", None) for group in groups.values()}, {mark_of(start, end)}, f"{what}: the order of the parameters")
    for name, group in wanted.items():
        checks.expect(groups.get(name) == group, f"{what}: {name} has the settings {groups.get(name)}, not {group}")


def check_many(checks, scratch, name):
    config, truth = (tiny.MOE_CONFIG if name == "eight" else sharded.TIED), sharded.whole(scratch / name, scratch)
    chunks = [len(entry.chunks) for entry in dcp.FileSystemReader(scratch / name).read_metadata().state_dict_metadata.values()
              if hasattr(entry, "chunks")]
    checks.expect(max(chunks) == RANKS, f"{name}: tensors are in up to {max(chunks)} shards")
    experts = ["--experts-as", "fused"] if "num_experts" in config else []
    there = scratch / f"{name}_mg"
    if run_ok(checks, tool("ckpt_convert"), "-q", scratch / name, there, "--to", "mcore", "--tp", "2", "--optimizer", "keep"):
        run_ok(checks, tool("ckpt_convert"), "-q", there, scratch / f"{name}_again", "--to", "dcp", "--optimizer", "keep", *experts)
        found = sharded.whole(scratch / f"{name}_again", scratch)
        checks.expect(sharded.equal(found["model"], truth["model"]), f"{name}: weights differ")
        checks.expect(sharded.equal(states(found["optimizer"]), states(truth["optimizer"])), f"{name}: states differ")


def check_flat(checks, scratch):
    apart, whole = scratch / "fsdp1/checkpoint-2", scratch / "fsdp1_full/checkpoint-2"
    truths = {"fsdp1": {**sharded.whole(apart / "pytorch_model_fsdp_0", scratch), **sharded.whole(apart / "optimizer_0", scratch)},
              "fsdp1_full": {"model": torch.load(whole / "pytorch_model_fsdp.bin"), "optimizer": torch.load(whole / "optimizer.bin")}}
    for name, truth in truths.items():
        for end, layout in (("dcp", ["--to", "dcp"]), ("mcore", ["--to", "mcore", "--tp", "2"])):
            there, seen = scratch / f"{name}_{end}", scratch / f"{name}_{end}_seen"
            keep = ["--optimizer", "keep"]
            if not run_ok(checks, tool("ckpt_convert"), "-q", scratch / name, there, *layout, *keep) or not run_ok(
                    checks, tool("ckpt_convert"), "-q", there, seen, "--to", "dcp", *keep):
                continue
            found = sharded.whole(seen, scratch)
            checks.expect(sharded.equal(dict(truth["model"]), found["model"]), f"{name} to {end}: weights differ")
            checks.expect(sharded.equal(states(truth["optimizer"]), states(found["optimizer"])), f"{name} to {end}: states differ")
            groups = settings(found["optimizer"])
            checks.equal({group.pop("parameter_order", None) for group in groups.values()}, {mark_of(name, end)}, f"{name} to {end}: the order of the parameters")
            checks.equal(groups, settings(truth["optimizer"]), f"{name} to {end}: settings")


def check_scripts(checks, scratch):
    """verl's merger puts the local parts together along the first axis and casts to bf16; MindSpeed-LLM's takes "model." away."""
    ranks = [torch.load(scratch / "verl" / f"model_world_size_{WORLD}_rank_{rank}.pt", weights_only=False) for rank in range(WORLD)]
    merged = {name: torch.cat([one[name]._local_tensor.bfloat16() for one in ranks]) for name in ranks[0]}
    if run_ok(checks, tool("ckpt_convert"), "-q", scratch / "verl", scratch / "verl_bf16", "--to", "hf", "--params-dtype", "bf16"):
        sharded.same_tensors(checks, load_file(scratch / "verl_bf16/model.safetensors"), merged, "as verl merges")
    state, _ = sharded.dcp_tensors(scratch / "dcp", "model.")
    stripped = {name.removeprefix("model."): value for name, value in state.items()}
    if run_ok(checks, tool("ckpt_convert"), "-q", scratch / "dcp", scratch / "dcp_hf", "--to", "hf"):
        sharded.same_tensors(checks, load_file(scratch / "dcp_hf/model.safetensors"), stripped, "as MindSpeed-LLM merges")


def main():
    checks = Checks()
    with temporary_directory() as scratch:
        tiny.run(worker, WORLD, scratch)
        tiny.run(many, RANKS, scratch)
        tiny.run(flat, 2, scratch)
        scratch = Path(scratch)
        truth = sharded.whole(scratch / "dcp", scratch)
        # From PyTorch's files first, so that there is one of each of the others to start from.
        for start in FORMATS:
            if not (scratch / start).exists():
                run_ok(checks, tool("ckpt_convert"), "-q", scratch / "dcp", scratch / start, *FORMATS[start][0])
            for end in FORMATS:
                check_pair(checks, scratch, truth, start, end)
        for name in ("eight", "eight_tied"):
            check_many(checks, scratch, name)
        check_flat(checks, scratch)
        check_scripts(checks, scratch)
    checks.finish()


if __name__ == "__main__":
    main()
