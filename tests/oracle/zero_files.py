"""Puts together what the ranks of a DeepSpeed engine have, by the layout that its own zero_to_fp32.py reads."""

import pickle
import types
from pathlib import Path

import torch


class Unpickler(pickle.Unpickler):
    """The object that scales losses is of a class of DeepSpeed, which need not be there; so are the places of parameters."""

    def find_class(self, module, name):
        return type(name, (), {}) if module.startswith("deepspeed.") else super().find_class(module, name)


def load(path):
    return torch.load(path, weights_only=False, pickle_module=types.SimpleNamespace(__name__="pickle", Unpickler=Unpickler, load=pickle.load))


def vectors(states, stage):
    """For each flat group of a rank: the copy in float32 and the moments."""
    if stage == 3:
        weights, optimizer = states["fp32_flat_groups"], states["optimizer_state_dict"]
    else:
        weights, optimizer = states["single_partition_of_fp32_groups"], states["base_optimizer_state"]
    return [(weight, optimizer["state"][i]["exp_avg"], optimizer["state"][i]["exp_avg_sq"]) for i, weight in enumerate(weights)]


def parameters(shapes, parts, stage):
    """`parts`: the vector of each rank."""
    ranks, at, out = len(parts), 0, {}
    whole = torch.cat(parts) if stage < 3 else None
    for name, shape in shapes.items():
        count = shape.numel()
        if stage < 3:
            out[name] = whole[at:at + count].view(shape)
            at += count
            continue
        share = -(-count // ranks)
        out[name] = torch.cat([part[at:at + share] for part in parts])[:count].view(shape)
        at += share
    if stage == 3:
        assert all(part.numel() == at for part in parts)
    else:
        assert whole.numel() >= at and not whole[at:].any()
    return out


def fragments_agree(shapes, states):
    """Whether the places that the files of ZeRO 1 and 2 tell are those of the parameters in order."""
    parts = [state["single_partition_of_fp32_groups"] for state in states]
    for group, names in enumerate(shapes):
        found = {}
        for state, part in zip(states, parts, strict=True):
            for name, place in state["param_slice_mappings"][group].items():
                found.setdefault(name, []).append(part[group][place.start:place.start + place.numel])
        wanted = parameters(names, [part[group] for part in parts], 1)
        if {name: torch.cat(values).view(wanted[name].shape).tolist() for name, values in found.items()} != \
                {name: value.tolist() for name, value in wanted.items()}:
            return False
    return True


def read(directory, stage, ranks):
    """{"model": module, "weights" | "exp_avg" | "exp_avg_sq": {name: tensor}, "steps": .., "groups": ..}"""
    folder = Path(directory) / (Path(directory) / "latest").read_text()
    models = sorted(folder.glob("*model_states.pt"))
    assert len(models) == (ranks if stage == 3 else 1)
    files = [next(folder.glob(f"*zero_pp_rank_{rank}_mp_rank_00_optim_states.pt")) for rank in range(ranks)]
    assert len(list(folder.glob("*optim_states.pt"))) == ranks
    states = [load(file)["optimizer_state_dict"] for file in files]
    model = torch.load(models[0], weights_only=True)
    assert all(state["zero_stage"] == stage for state in states)
    by_rank = [vectors(state, stage) for state in states]
    out = {"file": files[0].name, "model": model, "weights": {}, "exp_avg": {}, "exp_avg_sq": {}}
    for group, shapes in enumerate(model["param_shapes"]):
        for number, key in enumerate(("weights", "exp_avg", "exp_avg_sq")):
            out[key] |= parameters(shapes, [rank[group][number] for rank in by_rank], stage)
    assert stage == 3 or fragments_agree(model["param_shapes"], states)
    optimizer = states[0]["optimizer_state_dict" if stage == 3 else "base_optimizer_state"]
    out["steps"] = {float(one["step"]) for one in optimizer["state"].values()}
    out["groups"] = optimizer["param_groups"]
    return out
