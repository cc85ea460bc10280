"""Checkpoints of torch.distributed.checkpoint in forms that PyTorch allows and frameworks use less often.

Four processes over gloo save them; what becomes of each is looked at with PyTorch, bit for bit.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import Checks, run, run_ok, temporary_directory, tool  # noqa: E402

import fsdp_model as tiny  # noqa: E402
import sharded_oracle as sharded  # noqa: E402
import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402
import torch.distributed.checkpoint as dcp  # noqa: E402

WORLD = 4


def by_decay(parameters):
    return [{"params": [one for one in parameters if one.dim() > 1], "weight_decay": 0.1},
            {"params": [one for one in parameters if one.dim() < 2], "weight_decay": 0.0}]


def by_halves(parameters):
    return [{"params": parameters[:5]}, {"params": parameters[5:]}]


# Optimizers as they save themselves, with numbers for their parameters: the mesh, whether weights are tied, the groups.
NUMBERED = {"one": ("four", False, list), "tied": ("four", True, list), "hsdp": ("hsdp", False, list), "groups": ("four", False, by_decay),
            "tp": ("tp", False, by_decay), "halves": ("four", False, by_halves)}


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
    if name == "halves":
        refused = run(*command)
        checks.expect(refused.returncode == 5 and "the order and shapes of the weights do not tell which they are" in refused.stderr,
                      f"groups that nothing tells apart: {refused.returncode} {refused.stderr}")
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


def worker(rank, world, scratch):
    for name in NUMBERED:
        save_numbered(Path(scratch), rank, name)
        dist.barrier()


def main():
    checks = Checks()
    with temporary_directory() as scratch:
        tiny.run(worker, WORLD, scratch)
        for name in NUMBERED:
            check_numbered(checks, Path(scratch), name)
    checks.finish()


if __name__ == "__main__":
    main()
