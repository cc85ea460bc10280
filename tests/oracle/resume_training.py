"""Small models train twenty steps; stopped after ten, converted, and gone on with by another program: the losses must stay.

  python tests/oracle/resume_training.py            FSDP2 of 4 ranks to FSDP2 of 2, and through Megatron; runs in seconds
  python tests/oracle/resume_training.py --deepspeed    also DeepSpeed ZeRO and universal checkpoints, which need the package deepspeed

All ranks see the same batch, so that a step is the same on any number of them.
"""

import argparse
import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import Checks, run, run_ok, temporary_directory, tool  # noqa: E402

import fsdp_model as tiny  # noqa: E402
import resume_megatron  # noqa: E402
import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402
import torch.distributed.checkpoint as dcp  # noqa: E402
from torch import nn  # noqa: E402
from torch.distributed.checkpoint.state_dict import (get_model_state_dict, get_optimizer_state_dict,  # noqa: E402
                                                     set_model_state_dict, set_optimizer_state_dict)
from torch.distributed.device_mesh import DeviceMesh  # noqa: E402
from torch.distributed.fsdp import fully_shard  # noqa: E402

HALF, LATE, END, VOCABULARY, WIDTH = 10, 15, 20, 37, 10
TOLERANCE = 1e-6


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(3 * WIDTH, WIDTH)
        self.query, self.key, self.value = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(3))

    def forward(self, x):
        q, k, v = (part(self.norm(x)) for part in (self.query, self.key, self.value))
        x = x + nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return x + self.down(nn.functional.gelu(self.up(self.norm(x))))


class Small(nn.Module):
    """A model of no known family."""

    def __init__(self):
        super().__init__()
        self.tokens, self.blocks = nn.Embedding(VOCABULARY, WIDTH), nn.ModuleList([Block(), Block()])
        self.head = nn.Linear(WIDTH, VOCABULARY)

    def forward(self, ids):
        x = self.tokens(ids)
        for block in self.blocks:
            x = block(x)
        return nn.functional.cross_entropy(self.head(x[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())


def build():
    torch.manual_seed(3)
    return Small()


def batch(step):
    return torch.randint(0, VOCABULARY, (4, 9), generator=torch.Generator().manual_seed(step))


def adam(model, groups):
    """Weight decay for matrices alone, as it is usual; or for all."""
    if groups == 1:
        return torch.optim.AdamW(model.parameters(), lr=1e-2, weight_decay=0.1)
    decayed = [p for p in model.parameters() if p.ndim > 1]
    others = [p for p in model.parameters() if p.ndim <= 1]
    return torch.optim.AdamW([{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}], lr=1e-2)


def write_losses(path, losses):
    Path(path).write_text(json.dumps(losses))


def fsdp_run(rank, world, scratch, groups, source, saved, losses, first=HALF, small=sys.modules[__name__]):
    """Ten steps from the start, saved, and ten more; or those behind `first` from `source`."""
    mesh = DeviceMesh("cpu", list(range(world)), mesh_dim_names=("fsdp",))
    model = small.build()
    for block in model.blocks:
        fully_shard(block, mesh=mesh)
    fully_shard(model, mesh=mesh)
    optimizer = small.adam(model, groups)
    if source:
        state = {"model": get_model_state_dict(model), "optimizer": get_optimizer_state_dict(model, optimizer)}
        dcp.load(state, checkpoint_id=source)
        set_model_state_dict(model, state["model"])
        set_optimizer_state_dict(model, optimizer, state["optimizer"])
    found = []
    for step in range(first if source else 0, END):
        loss = model(small.batch(step))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        found.append(loss.item())
        if saved and step + 1 == HALF:
            dcp.save({"model": get_model_state_dict(model), "optimizer": get_optimizer_state_dict(model, optimizer)}, checkpoint_id=saved)
    if rank == 0:
        write_losses(losses, found[-(END - HALF):])  # fewer of a run that began later


def zero_run(rank, world, scratch, groups, stage, source, saved, losses, universal=True):
    os.environ.update(DS_ACCELERATOR="cpu", LOCAL_RANK=str(rank), RANK=str(rank), WORLD_SIZE=str(world))
    import deepspeed
    # Else a C++ extension is compiled at the start.
    sys.modules["deepspeed.comm.torch"].build_shm_op = lambda: None
    model = build()
    config = {"train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 1, "zero_allow_untested_optimizer": True,
              "zero_force_ds_cpu_optimizer": False,
              "zero_optimization": {"stage": stage, "stage3_param_persistence_threshold": 20}, "checkpoint": {"load_universal": bool(source) and universal}}
    engine, _, _, _ = deepspeed.initialize(model=model, optimizer=adam(model, groups), config=config, dist_init_required=False)
    if source:
        path, _ = engine.load_checkpoint(source, load_lr_scheduler_states=False)
        assert path is not None and engine.global_steps == HALF
    found = []
    for step in range(HALF if source else 0, END):
        loss = engine(batch(step))
        engine.backward(loss)
        engine.step()
        found.append(loss.item())
        if saved and step + 1 == HALF:
            engine.save_checkpoint(saved)
    if rank == 0:
        write_losses(losses, found[-(END - HALF):])


def native_run(*arguments):
    zero_run(*arguments, universal=False)


class Runs:
    def __init__(self, checks, scratch):
        self.checks, self.scratch = checks, Path(scratch)

    def start(self, name, worker, world, *arguments):
        losses = self.scratch / f"{name}.json"
        tiny.run(worker, world, str(self.scratch), *arguments, str(losses))
        return json.loads(losses.read_text())

    def convert(self, source, target, *options):
        run_ok(self.checks, tool("ckpt_convert"), self.scratch / source, self.scratch / target, "--optimizer", "keep", *map(str, options))
        return str(self.scratch / target)

    def same(self, what, found, wanted):
        difference = max(abs(a - b) for a, b in zip(found, wanted, strict=True))
        print(f"{what}: losses differ by at most {difference:.1e}")
        self.checks.expect(difference <= TOLERANCE, f"{what}: losses differ by {difference}")


def check_fsdp(runs):
    wanted = runs.start("fsdp4", fsdp_run, 4, 2, "", str(runs.scratch / "fsdp4"))
    target = runs.convert("fsdp4", "fsdp4_dcp", "--to", "dcp")
    runs.same("FSDP2 of 4 ranks to FSDP2 of 2", runs.start("fsdp2", fsdp_run, 2, 2, target, ""), wanted)


def llama_run(*arguments):
    fsdp_run(*arguments, small=resume_megatron)


def late_llama_run(*arguments):
    fsdp_run(*arguments, first=LATE, small=resume_megatron)


def check_megatron(runs):
    """FSDP2 of 2 ranks for ten steps, megatron-core with TP 2 and PP 2 for five, FSDP2 of 4 for the others."""
    if not resume_megatron.find_megatron():
        print("megatron-core is not there: runs with it are left out")
        return
    wanted = runs.start("llama", llama_run, 2, 2, "", str(runs.scratch / "llama"))
    tiny.write_config(runs.scratch / "llama", resume_megatron.CONFIG)
    megatron = runs.convert("llama", "llama_mg", "--to", "mcore", "--target", "mcore@0.16", "--tp", 2, "--pp", 2, "--params-dtype", "fp32",
                            "--make-vocab-size-divisible-by", 1, "--transformer-impl", "local")
    trained = str(runs.scratch / "llama_trained")
    middle = runs.start("llama_middle", resume_megatron.megatron_run, 4, megatron, trained, HALF, LATE)
    back = runs.convert("llama_trained", "llama_dcp", "--to", "dcp", "--hf-cfg-dir", runs.scratch / "llama")
    runs.convert("llama_trained", "llama_universal", "--to", "universal", "--hf-cfg-dir", runs.scratch / "llama")
    # What Megatron does not tell, nobody knows after another conversion either.
    for number, source in enumerate(("llama_trained", "llama_dcp", "llama_universal")):
        refused = run(tool("ckpt_convert"), runs.scratch / source, runs.scratch / f"refused_{number}", "--to", "zero", "--stage", "1", "--world", "2",
                      "--hf-cfg-dir", runs.scratch / "llama")
        runs.checks.expect(refused.returncode == 5 and "--to universal and dcp are loaded by name" in refused.stderr, f"{source}: {refused.stderr}")
    late = runs.start("llama_late", late_llama_run, 4, 2, back, "")
    runs.same("FSDP2 of 2 ranks to Megatron of TP 2 and PP 2", middle, wanted[:LATE - HALF])
    runs.same("Megatron of TP 2 and PP 2 to FSDP2 of 4", late, wanted[LATE - HALF:])


def check_deepspeed(runs):
    """ZeRO 3 loads the settings of one group alone, so that its runs have one."""
    for groups, stages in ((2, (1, 2)), (1, (3,))):
        source = f"fsdp_{groups}"
        wanted = runs.start(source, fsdp_run, 4, groups, "", str(runs.scratch / source))
        universal = runs.convert(source, f"{source}_universal", "--to", "universal")
        again = runs.convert(f"{source}_universal", f"{source}_dcp", "--to", "dcp")
        runs.same("universal to FSDP2 of 2 ranks", runs.start(f"{source}_again", fsdp_run, 2, groups, again, ""), wanted)
        for stage in stages:
            runs.same(f"FSDP2 of 4 ranks to ZeRO {stage} of 2",
                      runs.start(f"to_zero{stage}", zero_run, 2, groups, stage, universal, ""), wanted)
            native = runs.convert(source, f"{source}_native{stage}", "--to", "zero", "--stage", stage, "--world", 2, "--params-dtype", "fp32")
            runs.same(f"FSDP2 of 4 ranks to files of ZeRO {stage} of 2",
                      runs.start(f"to_native{stage}", native_run, 2, groups, stage, native, ""), wanted)
            name, other = f"zero{stage}", {1: 2, 2: 1, 3: 1}[stage]
            wanted_zero = runs.start(name, zero_run, 4, groups, stage, "", str(runs.scratch / name))
            as_dcp = runs.convert(name, f"{name}_dcp", "--to", "dcp")
            runs.same(f"ZeRO {stage} of 4 ranks to FSDP2 of 2", runs.start(f"{name}_fsdp", fsdp_run, 2, groups, as_dcp, ""), wanted_zero)
            moved = runs.convert(name, f"{name}_universal", "--to", "universal")
            runs.same(f"ZeRO {stage} of 4 ranks to ZeRO {other} of 2",
                      runs.start(f"{name}_to_{other}", zero_run, 2, groups, other, moved, ""), wanted_zero)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deepspeed", action="store_true")
    options = parser.parse_args()
    checks = Checks()
    with temporary_directory() as scratch:
        runs = Runs(checks, scratch)
        check_fsdp(runs)
        check_megatron(runs)
        if options.deepspeed:
            check_deepspeed(runs)
    checks.finish()


if __name__ == "__main__":
    main()
