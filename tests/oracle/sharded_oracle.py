"""Checkpoints that real ranks wrote with PyTorch, against what we make of them, bit for bit; and ours, loaded by PyTorch.

Four processes over gloo save one tiny model in many ways; each becomes a Hugging Face checkpoint, a Megatron one, and a
checkpoint of torch.distributed.checkpoint again.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import Checks, run, run_ok, temporary_directory, tool  # noqa: E402

import fsdp_model as tiny  # noqa: E402
import zero_files  # noqa: E402
import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402
import torch.distributed.checkpoint as dcp  # noqa: E402
from safetensors.torch import load_file, save_file  # noqa: E402
from torch.distributed.checkpoint.format_utils import dcp_to_torch_save  # noqa: E402
from torch.distributed.checkpoint.state_dict import (StateDictOptions, get_model_state_dict,  # noqa: E402
                                                     get_optimizer_state_dict)
from torch.distributed.device_mesh import DeviceMesh  # noqa: E402
from torch.distributed.fsdp import fully_shard  # noqa: E402
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module  # noqa: E402

WORLD = 4
TIED = {**tiny.CONFIG, "tie_word_embeddings": True}
TP_PLAN = {**{f"self_attn.{name}_proj": ColwiseParallel() for name in "qkv"}, "self_attn.o_proj": RowwiseParallel(),
           "mlp.gate_proj": ColwiseParallel(), "mlp.up_proj": ColwiseParallel(), "mlp.down_proj": RowwiseParallel()}


def mesh_of(kind):
    if kind == "three":
        return DeviceMesh("cpu", [0, 1, 2], mesh_dim_names=("fsdp",))
    if kind == "two":
        return DeviceMesh("cpu", [0, 1], mesh_dim_names=("fsdp",))
    if kind == "hsdp":
        return DeviceMesh("cpu", [[0, 1], [2, 3]], mesh_dim_names=("replicate", "shard"))
    if kind == "tp":
        return DeviceMesh("cpu", [[0, 1], [2, 3]], mesh_dim_names=("fsdp", "tp"))
    return DeviceMesh("cpu", list(range(WORLD)), mesh_dim_names=("fsdp",))


def sharded(config, kind, mesh, flattened=False):
    model = tiny.build(config, flattened)
    if kind == "tp":
        for layer in model.model.layers:
            parallelize_module(layer, mesh["tp"], TP_PLAN)
        mesh = mesh["fsdp"]
    for layer in model.model.layers:
        fully_shard(layer, mesh=mesh)
    return fully_shard(model, mesh=mesh)


def nested(model):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, weight_decay=0.1)
    tiny.train(model, optimizer)
    return {"model": get_model_state_dict(model), "optimizer": get_optimizer_state_dict(model, optimizer),
            "lr_scheduler": {"last_epoch": 2}}


def by_name(model):
    """Groups of two kinds, saved for each parameter, as torchtitan saves them."""
    groups = [{"params": [p for p in model.parameters() if p.ndim > 1], "weight_decay": 0.1},
              {"params": [p for p in model.parameters() if p.ndim <= 1], "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=1e-2)
    tiny.train(model, optimizer)
    options = StateDictOptions(flatten_optimizer_state_dict=True)
    return {"model": get_model_state_dict(model), "optimizer": get_optimizer_state_dict(model, optimizer, options=options)}


def at_root(model):
    return dict(get_model_state_dict(model))


def wrapped(model):
    names = get_model_state_dict(model).items()
    return {"model": {"_orig_mod." + name.replace("layers.0.", "layers.0._checkpoint_wrapped_module."): value
                      for name, value in names}}


# Name: configuration, mesh, what is saved, and how the experts lie.
SAVED = {"four": (tiny.CONFIG, "four", nested, False), "three": (TIED, "three", at_root, False), "two": (tiny.CONFIG, "two", wrapped, False),
         "hsdp": (TIED, "hsdp", nested, False), "tp": (tiny.CONFIG, "tp", nested, False),
         "moe": (tiny.MOE_CONFIG, "four", nested, False), "flattened": (tiny.MOE_CONFIG, "four", nested, True),
         "by_name": (tiny.CONFIG, "two", by_name, False), "ranks": (tiny.CONFIG, "four", at_root, False), "ranks_hsdp": (TIED, "hsdp", at_root, False),
         "ranks_tp": (tiny.CONFIG, "tp", at_root, False), "apart": (tiny.CONFIG, "four", nested, False), "safetensors": (tiny.CONFIG, "four", at_root, False)}


def save_ranks(model, target, rank, ranks, group):
    """As verl saves a model and its optimizer; and the same for PyTorch to read."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, weight_decay=0.1)
    tiny.train(model, optimizer)
    target.mkdir(exist_ok=True)
    for kind, state in (("model", model.state_dict()), ("optim", optimizer.state_dict())):
        torch.save(state, target / f"{kind}_world_size_{ranks}_rank_{rank}.pt")
    whole_state = {"model": get_model_state_dict(model), "optimizer": get_optimizer_state_dict(model, optimizer)}
    dcp.save(whole_state, checkpoint_id=target.with_name(f"{target.name}_truth"), process_group=group)


def save(scratch, name, rank):
    config, kind, state_of, flattened = SAVED[name]
    ranks = {"two": 2, "three": 3}.get(kind, WORLD)
    group = dist.new_group(list(range(ranks)))
    mesh = mesh_of(kind)  # every rank takes part in making these two
    if rank >= ranks:
        return
    model = sharded(config, kind, mesh, flattened)
    target = scratch / name
    if name.startswith("ranks"):
        save_ranks(model, target, rank, ranks, group)
    state = state_of(model)
    weights = {key: tiny.full(value) for key, value in get_model_state_dict(model).items()}
    options = {"process_group": group}
    if name.startswith("ranks"):
        options = None
    elif name == "safetensors":
        files = {key: 1 + number % 2 for number, key in enumerate(state)}
        options["storage_writer"] = dcp.HuggingFaceStorageWriter(str(target), fqn_to_index_mapping=files, save_distributed=True)
    elif name == "apart":
        options.update(checkpoint_id=target, use_collectives=False)
    else:
        options["checkpoint_id"] = target
    if options is not None:
        dcp.save(state, **options)
    if rank == 0:
        tiny.write_config(target, config)
        save_file(tiny.hf_tensors(weights, config), scratch / f"{name}.truth")


def worker(rank, world, scratch):
    for name in SAVED:
        save(Path(scratch), name, rank)
        dist.barrier()


def same_tensors(checks, found, wanted, what):
    checks.equal(sorted(found), sorted(wanted), f"{what}: names")
    for name, value in wanted.items():
        if name in found:
            checks.expect(torch.equal(found[name], value), f"{what}: {name} differs")


def stacked(tensors, config):
    """Experts apart, as the converter writes them, in one tensor."""
    if "num_experts" not in config:
        return tensors
    out = {name: value for name, value in tensors.items() if ".experts." not in name}
    for layer in range(config["num_hidden_layers"]):
        of = [f"model.layers.{layer}.mlp.experts.{expert}" for expert in range(tiny.EXPERTS)]
        both = [torch.cat([tensors[f"{one}.gate_proj.weight"], tensors[f"{one}.up_proj.weight"]]) for one in of]
        front = f"model.layers.{layer}.mlp.experts"
        out[f"{front}.gate_up_proj"] = torch.stack(both)
        out[f"{front}.down_proj"] = torch.stack([tensors[f"{one}.down_proj.weight"] for one in of])
    return out


def dcp_tensors(directory, prefix=""):
    metadata = dcp.FileSystemReader(directory).read_metadata()
    state = {name: torch.empty(entry.size, dtype=entry.properties.dtype) for name, entry in metadata.state_dict_metadata.items()
             if name.startswith(prefix)}
    dcp.load(state, checkpoint_id=directory, no_dist=True)
    return state, metadata


def check_conversions(checks, scratch, name):
    config, _, _, flattened = SAVED[name]
    truth = load_file(scratch / f"{name}.truth")
    untied = {key: value for key, value in truth.items() if key != "lm_head.weight" or not config["tie_word_embeddings"]}
    source, hf, megatron, again = (scratch / part for part in (name, f"{name}_hf", f"{name}_mg", f"{name}_dcp"))
    convert = tool("ckpt_convert")
    if run_ok(checks, convert, source, hf, "--to", "hf"):
        same_tensors(checks, stacked(load_file(hf / "model.safetensors"), config), untied, f"{name} to Hugging Face")
    if run_ok(checks, convert, source, megatron, "--to", "mcore", "--tp", "2", "--pp", "2"):
        run_ok(checks, convert, "verify", megatron, "--against", source)
    experts = ["--experts-as", "flattened" if flattened else "fused"] if "num_experts" in config else []
    if run_ok(checks, convert, megatron, again, "--to", "dcp", "--max-shard-size", "20kB", *experts):
        check_written(checks, again, truth, config, name)
    run_ok(checks, convert, "verify", source)
    run_ok(checks, convert, "verify", again, "--against", source)


def whole(directory, scratch):
    dcp_to_torch_save(directory, scratch / "whole.pt")
    return torch.load(scratch / "whole.pt", weights_only=False)


def equal(a, b):
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(equal(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(equal, a, b))
    if type(a) is not type(b):
        return False
    return torch.equal(a, b) and a.dtype == b.dtype if isinstance(a, torch.Tensor) else a == b


def check_training(checks, scratch, name, truth=None):
    """With the optimizer a checkpoint becomes one that PyTorch finds the same in."""
    config, _, _, flattened = SAVED[name]
    target = scratch / f"{name}_kept"
    experts = ["--experts-as", "flattened" if flattened else "fused"] if "num_experts" in config else []
    if not run_ok(checks, tool("ckpt_convert"), scratch / name, target, "--to", "dcp", "--optimizer", "keep", *experts):
        return
    source, found = whole(scratch / (truth or name), scratch), whole(target, scratch)
    checks.equal(sorted(found), sorted(source), f"{name} kept: what is saved")
    checks.equal(found.get("lr_scheduler"), source.get("lr_scheduler"), f"{name} kept: the schedule")
    checks.expect(equal(source["model"], found["model"]), f"{name} kept: the weights differ")
    for groups in (source["optimizer"], found["optimizer"]):
        for group in groups.get("param_groups", []) if isinstance(groups.get("param_groups"), list) else []:
            group["params"] = sorted(group["params"])
    checks.equal(sorted(found["optimizer"]), sorted(source["optimizer"]), f"{name} kept: of the optimizer")
    for key, value in source["optimizer"].items():
        checks.expect(equal(value, found["optimizer"].get(key)), f"{name} kept: {key} of the optimizer differs")


def check_zero(checks, scratch, name, stage, ranks, *options):
    """The files of ZeRO for other ranks hold the same, as DeepSpeed puts them together and as we do."""
    convert, target, what = tool("ckpt_convert"), scratch / f"{name}_zero{stage}_{ranks}", f"{name} to ZeRO {stage} of {ranks}"
    if not run_ok(checks, convert, scratch / name, target, "--to", "zero", "--stage", str(stage), "--world", str(ranks), *options):
        return
    source, found = whole(scratch / name, scratch), zero_files.read(target, stage, ranks)
    state, module = source["optimizer"]["state"], found["model"]["module"]
    same_tensors(checks, found["weights"], {key: source["model"][key] for key in state}, what)
    for moment in ("exp_avg", "exp_avg_sq"):
        same_tensors(checks, found[moment], {key: one[moment] for key, one in state.items()}, f"{what}: {moment}")
    checks.equal(found["steps"], {float(one["step"]) for one in state.values()}, f"{what}: steps")
    checks.equal([key for shapes in found["model"]["param_shapes"] for key in shapes],
                 [key for group in source["optimizer"]["param_groups"] for key in group["params"]], f"{what}: order of parameters")
    checks.equal(found["file"].startswith("bf16_"), not options, f"{what}: {found['file']}")
    checks.equal(sorted(module), sorted(source["model"]), f"{what}: names of the module")
    for key, value in module.items():
        wanted = source["model"][key]
        if key in state or key in found["model"]["shared_params"]:
            wanted = torch.empty(0) if stage == 3 else wanted if options else wanted.bfloat16()
        checks.expect(torch.equal(value.float(), wanted.float()), f"{what}: {key} of the module differs")
    again = scratch / f"{target.name}_dcp"
    if run_ok(checks, convert, target, again, "--to", "dcp", "--optimizer", "keep"):
        ours = whole(again, scratch)
        for key, value in source["model"].items():
            if key not in found["model"]["shared_params"]:
                checks.expect(torch.equal(ours["model"][key], value), f"{what}: {key} read again differs")
        checks.expect(equal(ours["optimizer"]["state"], state), f"{what}: the state read again differs")


def check_written(checks, directory, truth, config, what):
    """Every name of the model, as PyTorch loads it; and the nested dict that it makes of the names."""
    state, metadata = dcp_tensors(directory)
    found = {name.removeprefix("model."): value for name, value in state.items()}
    same_tensors(checks, tiny.hf_tensors(found, config), truth, f"{what} written")
    for name in state:
        checks.equal(metadata.planner_data[name], ("model", name.removeprefix("model.")), f"{what}: keys of {name}")


def load_ranks(rank, world, scratch, name, result):
    """Our files of DTensors, each loaded by its rank into a model that is cut as PyTorch cuts it."""
    model = sharded(SAVED[name][0], "four", mesh_of("four"))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
    def read(kind):
        return torch.load(Path(scratch) / f"{name}_ranks" / f"{kind}_world_size_{world}_rank_{rank}.pt", weights_only=True)
    model.load_state_dict(read("model"))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    optimizer.load_state_dict(read("optim"))
    weights = {key: tiny.full(value) for key, value in get_model_state_dict(model).items()}
    states = get_optimizer_state_dict(model, optimizer)
    moments = {key: {what: tiny.full(value) for what, value in state.items()} for key, state in states["state"].items()}
    if rank == 0:
        save_file(weights, result)
        torch.save({**states, "state": moments}, f"{result}.optimizer")


def check_ranks(checks, scratch, name):
    config, result = SAVED[name][0], scratch / f"{name}_ranks.found"
    ours, experts = scratch / f"{name}_ranks", ["--experts-as", "fused"] if "num_experts" in SAVED[name][0] else []
    layout = ["--to", "dtensor", "--world", str(WORLD), "--mesh-device", "cpu", "--optimizer", "keep"]
    if not run_ok(checks, tool("ckpt_convert"), scratch / name, ours, *layout, *experts):
        return
    run_ok(checks, tool("ckpt_convert"), "verify", ours, "--against", scratch / name)
    tiny.run(load_ranks, WORLD, str(scratch), name, str(result))
    same_tensors(checks, tiny.hf_tensors(load_file(result), config), load_file(scratch / f"{name}.truth"), f"{name} to DTensors")
    wanted = whole(scratch / name, scratch)["optimizer"]
    checks.expect(equal(torch.load(f"{result}.optimizer", weights_only=False), wanted), f"{name} to DTensors: the optimizer differs")
    if run_ok(checks, tool("ckpt_convert"), ours, scratch / f"{name}_back", "--to", "dcp", "--optimizer", "keep", *experts):
        found = whole(scratch / f"{name}_back", scratch)["optimizer"]
        checks.expect(equal(found["state"], wanted["state"]), f"{name} from our DTensors: the optimizer differs")


def check_copies(checks, scratch):
    """Of ranks that hold the same, one that holds something else is named, and the other too."""
    directory = scratch / "ranks_hsdp"
    first, second = ("model_world_size_4_rank_0.pt", "model_world_size_4_rank_2.pt")
    state = torch.load(directory / second, weights_only=False)
    next(iter(state.values())).to_local().view(-1)[0] += 1
    torch.save(state, directory / second)
    refused = run(tool("ckpt_convert"), directory, scratch / "copies", "--to", "hf")
    checks.expect(refused.returncode == 4 and first in refused.stderr and second in refused.stderr, f"other copies: {refused.stderr}")


class Unknown(torch.nn.Module):
    """Of no known family; with numbers that have no axis, and a buffer of integers."""

    def __init__(self):
        super().__init__()
        self.body = torch.nn.Sequential(torch.nn.Linear(5, 7), torch.nn.BatchNorm1d(7), torch.nn.Linear(7, 3))
        self.scale = torch.nn.Parameter(torch.tensor(0.5))


def check_unknown(checks, scratch):
    torch.manual_seed(1)
    model = Unknown()
    optimizer = torch.optim.AdamW(model.parameters())
    tiny.train(model, optimizer)
    source, hf, again = (scratch / name for name in ("unknown", "unknown_hf", "unknown_dcp"))
    dcp.save({"model": get_model_state_dict(model), "optimizer": get_optimizer_state_dict(model, optimizer)}, checkpoint_id=source,
             no_dist=True)
    if run_ok(checks, tool("ckpt_convert"), source, hf, "--to", "hf"):
        same_tensors(checks, load_file(hf / "model.safetensors"), model.state_dict(), "unknown to safetensors")
        run_ok(checks, tool("ckpt_convert"), hf, scratch / "unknown_again", "--to", "dcp")
        run_ok(checks, tool("ckpt_convert"), "verify", scratch / "unknown_again", "--against", source)
    if run_ok(checks, tool("ckpt_convert"), source, again, "--to", "dcp", "--optimizer", "keep"):
        checks.expect(equal(whole(source, scratch), whole(again, scratch)), "unknown kept: what is saved differs")
    refused = run(tool("ckpt_convert"), source, scratch / "unknown_mg", "--to", "mcore")
    checks.expect(refused.returncode == 2 and "--hf-cfg-dir" in refused.stderr, f"unknown to mcore: {refused.stderr}")


def main():
    checks = Checks()
    with temporary_directory() as scratch:
        tiny.run(worker, WORLD, scratch)
        for name in SAVED:
            check_conversions(checks, Path(scratch), name)
        for name in ("four", "hsdp", "tp", "moe", "flattened", "by_name"):
            check_training(checks, Path(scratch), name)
        for name in ("ranks", "ranks_hsdp", "ranks_tp"):
            check_training(checks, Path(scratch), name, f"{name}_truth")
        for name in ("hsdp", "moe"):
            check_ranks(checks, Path(scratch), name)
        check_copies(checks, Path(scratch))
        check_unknown(checks, Path(scratch))
        check_zero(checks, Path(scratch), "four", 1, 3)
        check_zero(checks, Path(scratch), "hsdp", 2, 2, "--params-dtype", "fp32")
        check_zero(checks, Path(scratch), "hsdp", 3, 5)
        check_zero(checks, Path(scratch), "unknown", 2, 3)
        check_zero(checks, Path(scratch), "unknown", 3, 7, "--params-dtype", "fp32", "--sub-group-size", "3")
    checks.finish()


if __name__ == "__main__":
    main()
