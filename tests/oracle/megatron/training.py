"""A training run that changes its topology: the step after equals the step that it would have made before."""

import sys
from pathlib import Path

import torch

import training_files
from topologies import Topology

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from checks import run as run_program, tool  # noqa: E402
from checkpoints import megatron_directory  # noqa: E402

# Family, topology of the run, topology that it goes on with.
CHANGES = (
    ("qwen2", Topology(2, 1), Topology(1, 2)),
    ("llama tied", Topology(1, 2), Topology(2, 2, per_chunk=1)),
    ("qwen3 moe mixed", Topology(1, 1, expert=2), Topology(1, 2)),
    ("qwen3 moe", Topology(2, 1), Topology(1, 2, expert=2)),
    ("deepseek v3", Topology(1, 1, expert=2), Topology(2, 1, expert=2, expert_tensor=1)),
    ("dots1", Topology(1, 1), Topology(1, 2, layer_list=(1, 3), expert=2)),  # a stage without experts
)
# Since 0.16 an optimizer for experts is on every stage; torch's Adam cannot save one that has no parameters.
BEFORE_0_16 = ("dots1",)
# Those whose state also goes by way of a checkpoint with PyTorch's names.
BY_NAMES = ("llama tied", "qwen3 moe", "deepseek v3")
SAVED, NEXT = 2, 3  # iterations
OTHERWISE = ("args", "checkpoint_version")  # what files say that does not concern the optimizer


def run(directions, cases):
    for name, before, after in CHANGES:
        case = next((case for case in cases if case.family == name), None)
        if case is not None and not (name in BEFORE_0_16 and megatron_since(directions, 0, 16)):
            change(directions, case, before, after)


def change(directions, case, before, after):
    what = f"optimizer from {before}"
    saved, continued = (case.path(before, f"trained_{iteration}") for iteration in (SAVED, NEXT))
    start, saved_dist = case.path(before, "start"), case.path(before, "trained_dist")
    (saved_dist / f"iter_{SAVED:07d}").mkdir(parents=True)
    layout = lambda topology: [*topology.options(), *directions.for_megatron, "--transformer-impl", "local"]  # noqa: E731
    if not directions.convert(case, before, what, case.hf, start, *layout(before)):
        return
    build = ("build", {"description": case.description})
    if directions.on_ranks(case, before, what, build, ("load_files", {"directory": str(megatron_directory(start)[0])}),
                           ("train", {"steps": range(1, SAVED + 1)}), save(saved, case, SAVED), save_dist(saved_dist, case, SAVED),
                           ("step", {"number": NEXT}), save(continued, case, NEXT)) is None:
        return
    for source, iteration in ((saved, SAVED), (saved_dist, SAVED), (continued, NEXT)):
        training_files.write_tracker(source, iteration)
    for source in (saved, saved_dist):
        done = run_program(tool("ckpt_convert"), "verify", source, "--hf-cfg-dir", case.hf)
        directions.results.checks.expect(done.returncode == 0 and "optimizer is checked too" in done.stdout,
                                         f"{case.family}, {before}: verify {source.name}: {done.stdout}{done.stderr}")
    convert = lambda source, target, *more: directions.convert(  # noqa: E731
        case, after, what, source, target, "--save-model-type", "mg", "--optimizer", "keep", "--hf-cfg-dir", case.hf,
        *layout(after), *more)
    targets = [case.path(after, f"{source.name}_from_{before.slug}") for source in (saved, continued, saved_dist)]
    if not all(convert(*pair) for pair in zip((saved, continued, saved_dist), targets)):
        return
    go_on(directions, case, after, what, ("resume", {"directory": str(megatron_directory(targets[0])[0])}), targets[1])
    # What Megatron's own torch_dist becomes is what its rank files become.
    same_files(directions, case, after, what + ", of torch_dist", targets[2], targets[0])
    if case.family in BY_NAMES:
        through_names(directions, case, before, after, saved, targets, layout(after))
    if not megatron_since(directions, 0, 16):
        return
    dist = case.path(after, f"dist_from_{before.slug}")
    if convert(saved_dist, dist, "--ckpt-format", "torch_dist"):
        go_on(directions, case, after, what + ", torch_dist", ("resume_dist", {"directory": str(megatron_directory(dist)[0])}), targets[1])


def through_names(directions, case, before, after, saved, targets, layout):
    """By way of a checkpoint with PyTorch's names, as FSDP2 loads it, the same state arrives; the schedule starts again."""
    what = f"optimizer from {before}, by FSDP2"
    wanted, continued = targets[:2]
    named, arrived = (case.path(after, f"{kind}_from_{before.slug}") for kind in ("named", "arrived"))
    keep = ("--optimizer", "keep", "--hf-cfg-dir", case.hf)
    if directions.convert(case, after, what, saved, named, "--to", "dcp", *keep) and \
            directions.convert(case, after, what, named, arrived, "--to", "mcore", "--params-dtype", "bf16", *keep, *layout):
        same_files(directions, case, after, what, arrived, wanted, of_run)
        go_on(directions, case, after, what + " on", ("resume", {"directory": str(megatron_directory(arrived)[0])}), continued, 0, of_run)


# What of a group of parameters both have; the rest Megatron looks up again when it starts, and the schedule.
IN_BOTH = ("lr", "betas.0", "betas.1", "eps", "weight_decay", "wd_mult", "lr_mult", "is_expert_parallel", "is_decoupled_lr", "step")


def of_run(key):
    in_group = key.partition(".param_groups.")[2].partition(".")[2]
    return key.startswith(("opt_param_scheduler.", "num_floating")) or bool(in_group) and in_group not in IN_BOTH


def same_files(directions, case, after, what, found, wanted, is_left_out=lambda key: False):
    failures = len(directions.results.checks.failures)
    compare(directions.results, f"{case.family}, {after}, {what}", megatron_directory(found)[0], megatron_directory(wanted)[0],
            is_left_out)
    same = len(directions.results.checks.failures) == failures
    directions.results.row(case.family, after, what, "same bits" if same else "   FAILED")


def megatron_since(directions, *version):
    return tuple(map(int, directions.for_megatron[1].partition("@")[2].split(".")[:2])) >= version


def go_on(directions, case, after, what, load, wanted, samples=64 * SAVED, is_left_out=lambda key: False):
    """The next step of a run that was converted; it must leave what `wanted` has."""
    resumed = case.path(after, what.replace(" ", "_"))
    answers = directions.on_ranks(case, after, what, ("build", {"description": case.description}), load,
                                  ("step", {"number": NEXT}), save(resumed, case, NEXT))
    if answers is None:
        return
    failures = len(directions.results.checks.failures)
    for said in answers[1]:
        directions.results.checks.equal(said["iteration"], SAVED, f"{case.family}, {after}, {what}: iteration")
        directions.results.checks.equal(said["schedule"]["num_steps"], samples, f"{case.family}, {after}, {what}: schedule")
    compare(directions.results, f"{case.family}, {after}, {what}", megatron_directory(wanted)[0], resumed / f"iter_{NEXT:07d}",
            is_left_out)
    same = len(directions.results.checks.failures) == failures
    directions.results.row(case.family, after, what, "same bits" if same else "   FAILED")


def save(directory, case, iteration):
    return "save_training", {"directory": str(directory), "description": case.description, "iteration": iteration}


def save_dist(directory, case, iteration):
    return "save_dist_training", {"directory": str(directory / f"iter_{iteration:07d}"), "description": case.description,
                                  "iteration": iteration}


def compare(results, name, converted, resumed, is_left_out=lambda key: False):
    """The run that went on before the conversion, converted, and the run that was converted and went on: every file."""
    found, wanted = ({str(path.relative_to(root)): path for path in root.rglob("*.pt")} for root in (converted, resumed))
    results.checks.equal(sorted(found), sorted(wanted), f"{name}: files")
    for file in sorted(set(found) & set(wanted)):
        one, other = (dict(flat(torch.load(files[file], weights_only=True))) for files in (found, wanted))
        for content in (one, other):
            for key in [key for key in content if key.startswith("args.") or key.endswith("_extra_state") or key in OTHERWISE or is_left_out(key)]:
                del content[key]
        tensors = [{key: value for key, value in content.items() if isinstance(value, torch.Tensor)} for content in (one, other)]
        results.same_tensors(f"{name}/{file}", *tensors)
        for content, own in zip((one, other), tensors):
            for key in own:
                del content[key]
        results.checks.equal(one, other, f"{name}/{file}: values")


def flat(value, prefix=""):
    """Pairs of a path and a value that is no container."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, (list, tuple)) else None
    if items is None:
        yield prefix, value
        return
    for key, item in items:
        yield from flat(item, f"{prefix}.{key}" if prefix else str(key))
