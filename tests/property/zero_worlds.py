"""Files of ZeRO become files of ZeRO for other ranks, stages and sub-groups, time after time: the values stay as they are.

    zero_worlds.py [--rounds N]
"""

import argparse
import itertools
import random
import resource
import struct
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checkpoints import Tensor, element_count, flat_vector, read_torch_file, write_zero_run  # noqa: E402
from checks import Checks, run_ok, temporary_directory, tool  # noqa: E402


def some_shapes(draw, front):
    """Of no axes up to three, small enough that ranks have parts of several, or nothing."""
    return {f"{front}.{i}": tuple(draw.randint(1, 5) for _ in range(draw.randint(0, 3))) for i in range(draw.randint(1, 6))}


def check_round(checks, scratch, number):
    draw = random.Random(number)
    groups = [some_shapes(draw, f"g{i}") for i in range(draw.randint(1, 3))]
    source = scratch / f"{number}"
    write_zero_run(source, *groups, steps=(3,) * len(groups))
    way = [(draw.randint(1, 3), draw.randint(1, 9), draw.randint(1, 20)) for _ in range(3)] + [(1, 1, 1)]
    for stage, ranks, sub_group in way:
        target = scratch / f"{source.name}_{stage}{ranks}"
        options = ["--to", "zero", "--stage", stage, "--world", ranks, "--sub-group-size", sub_group, "-q"]
        if not run_ok(checks, tool("ckpt_convert"), source, target, *map(str, options)):
            return
        source = target
    folder = source / (source / "latest").read_text()
    model = read_torch_file(folder / "mp_rank_00_model_states.pt")
    checks.equal(len(model["module"]), sum(map(len, groups)), f"{number}: names")
    found = read_torch_file(folder / "bf16_zero_pp_rank_0_mp_rank_00_optim_states.pt")["optimizer_state_dict"]
    for i, shapes in enumerate(groups):
        count = sum(map(element_count, shapes.values()))
        state = found["base_optimizer_state"]["state"][i]
        checks.expect(found["single_partition_of_fp32_groups"][i].data == flat_vector(count, 0).data[:4 * count], f"{number}: weights of {i}, {way}")
        checks.expect(state["exp_avg"] == flat_vector(count, 1), f"{number}: first moments of {i}, {way}")
        checks.expect(state["exp_avg_sq"] == flat_vector(count, 2), f"{number}: second moments of {i}, {way}")
        starts = list(itertools.accumulate((element_count(shape) for shape in shapes.values()), initial=0))
        checks.equal([(name, place.start, place.numel) for name, place in found["param_slice_mappings"][i].items()],
                     [(name, start, end - start) for name, start, end in zip(shapes, starts, starts[1:]) if end > start], f"{number}: places of {i}")
        settings = found["base_optimizer_state"]["param_groups"][i]
        checks.equal((settings["weight_decay"], settings["params"]), (0.1 * i, [i]), f"{number}: settings of {i}")


def check_largest_step(checks, scratch):
    """Parameters that were frozen for a while go on with the steps of the others, where that is asked for."""
    source, target = scratch / "frozen", scratch / "largest"
    write_zero_run(source, {"a": (3, 2)}, {"b": (5,)}, steps=(3, 5))
    options = ["--to", "zero", "--stage", "1", "--world", "1", "--optimizer-step", "max", "-q"]
    if not run_ok(checks, tool("ckpt_convert"), source, target, *options):
        return
    folder = target / (target / "latest").read_text()
    found = read_torch_file(folder / "bf16_zero_pp_rank_0_mp_rank_00_optim_states.pt")["optimizer_state_dict"]
    state = found["base_optimizer_state"]["state"]
    checks.equal([state[i]["step"] for i in (0, 1)], [Tensor("F32", (), struct.pack("<f", 5.0))] * 2, "steps of both groups")


def content(directory):
    return {str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def check_workers(checks, scratch, stage):
    """Workers that write some of the files each, which have parts of the same tensors."""
    source, whole, shared = (scratch / f"{name}{stage}" for name in ("alone", "whole", "shared"))
    write_zero_run(source, {"a": (20, 30), "b": (7,)}, {"c": (11, 3)}, steps=(3, 3))
    options = ["--to", "zero", "--stage", str(stage), "--world", "5", "-q"]
    run_ok(checks, tool("ckpt_convert"), source, whole, *options)
    for worker in (1, 2, 3):
        run_ok(checks, tool("ckpt_convert"), source, shared, *options, "--shard", f"{worker}/3")
    checks.expect(content(shared) == content(whole), f"stage {stage}: three workers write something else than one")


def check_many_files(checks, scratch):
    """More ranks than files may usually be open at once."""
    source, target = scratch / "source", scratch / "target"
    write_zero_run(source, {"a": (20, 30), "b": (7,)})
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    for world in (90, 110, 1):
        command = [tool("ckpt_convert"), source, target, "--to", "zero", "--stage", "3", "--world", str(world), "-q"]
        done = subprocess.run(command, capture_output=True, text=True,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, limits[1])))
        if not checks.expect(done.returncode == 0, f"{world} ranks with 64 open files: {done.stderr}"):
            return
        source, target = target, target.with_name(f"after_{world}")
    folder = source / (source / "latest").read_text()
    content = (folder / "bf16_zero_pp_rank_0_mp_rank_00_optim_states.pt").read_bytes()
    checks.expect(flat_vector(607, 2).data[:4 * 607] in content, "many files: the second moments differ")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=12)
    options = parser.parse_args()
    checks = Checks()
    with temporary_directory() as scratch:
        for number in range(options.rounds):
            check_round(checks, Path(scratch), number)
        check_largest_step(checks, Path(scratch))
        check_many_files(checks, Path(scratch))
        for stage in (1, 3):
            check_workers(checks, Path(scratch), stage)
    checks.finish()


if __name__ == "__main__":
    main()
