"""DeepSpeed itself, on gloo CPUs, against what is read and written here.

Its engine trains with ZeRO 1, 2 and 3 on two ranks and saves. Its own zero_to_fp32 and ds_to_universal say what is in these files:
the same as is read here, bit for bit, weights, moments and steps. The same two say it of the files that are written here for three
ranks and other stages, and the engine loads them and saves them again. deepspeed_parallel.py does so where ranks share the model.
"""

import os
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, run, run_ok, skip, temporary_directory, tool  # noqa: E402

import deepspeed_parallel as parallel  # noqa: E402
import fsdp_model as tiny  # noqa: E402
import sharded_adapters as adapters  # noqa: E402
import torch  # noqa: E402
import torch.distributed.checkpoint as dcp  # noqa: E402
from resume_training import adam, batch, build  # noqa: E402
from safetensors.torch import load_file  # noqa: E402
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_optimizer_state_dict  # noqa: E402
from universal_files import MOMENTS, fp32_weights, same, universal, universal_values  # noqa: E402

PACKAGE = ROOT / ".venv/deepspeed-0.19.8"
RANKS, OTHER_RANKS, OTHER_PIPELINE = 2, 3, 2
# Stage: groups of parameters, and what the model computes with.
SAVED = {1: (2, "fp32"), 2: (2, "bf16"), 3: (1, "bf16")}
# From a stage to another, with the same groups.
WRITTEN = {1: 1, 2: 3, 3: 2}


def engine_of(rank, world, stage, groups, dtype, universal=False, model=None, optimizer=None):
    os.environ.update(DS_ACCELERATOR="cpu", LOCAL_RANK=str(rank), RANK=str(rank), WORLD_SIZE=str(world))
    import deepspeed
    # Else a C++ extension is compiled at the start.
    sys.modules["deepspeed.comm.torch"].build_shm_op = lambda: None
    model = model or build()
    config = {"train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 1, "zero_allow_untested_optimizer": True,
              "zero_force_ds_cpu_optimizer": False, "bf16": {"enabled": dtype == "bf16"},
              "checkpoint": {"load_universal": universal},
              "zero_optimization": {"stage": stage, "stage3_param_persistence_threshold": 20}}
    optimizer = optimizer or adam(model, groups)
    return deepspeed.initialize(model=model, optimizer=optimizer, config=config, dist_init_required=False)[0]


def train(rank, world, scratch):
    for stage, (groups, dtype) in SAVED.items():
        engine = engine_of(rank, world, stage, groups, dtype)
        for step in range(2):
            engine.backward(engine(batch(step)))
            engine.step()
        engine.save_checkpoint(f"{scratch}/zero{stage}")


def train_adapters(rank, world, scratch):
    """PEFT's model, of which only the adapters have an optimizer; a step with no rate leaves them as they are."""
    for stage in SAVED:
        model, tokens = adapters.build(adapters.ALL), torch.arange(8).view(1, 8)
        optimizer = torch.optim.AdamW([parameter for parameter in model.parameters() if parameter.requires_grad], lr=0.0)
        engine = engine_of(rank, world, stage, 1, "fp32", model=model, optimizer=optimizer)
        engine.backward(engine(input_ids=tokens, labels=tokens).loss)
        engine.step()
        engine.save_checkpoint(f"{scratch}/lora{stage}")


def check_adapters(checks, scratch):
    convert, config = tool("ckpt_convert"), ["--lora-alpha", str(adapters.ALPHA), "--hf-cfg-dir", scratch / "base"]
    model = adapters.build(adapters.ALL)
    model.save_pretrained(scratch / "peft")
    model.unload().save_pretrained(scratch / "base")
    adapters.build(adapters.ALL).merge_and_unload().save_pretrained(scratch / "merged")
    for stage in SAVED:
        source, merged, alone = scratch / f"lora{stage}", scratch / f"lora{stage}_merged", scratch / f"lora{stage}_peft"
        if run_ok(checks, convert, source, merged, "--to", "hf", *config):
            adapters.close(checks, merged, load_file(scratch / "merged/model.safetensors"), f"adapters of ZeRO {stage}, merged")
        if run_ok(checks, convert, source, alone, "--to", "hf", "--save-lora", *config):
            same(checks, load_file(alone / "adapter_model.safetensors"), load_file(scratch / "peft/adapter_model.safetensors"),
                 f"adapters of ZeRO {stage}")
        kept = run(convert, source, scratch / "nowhere", "--to", "dcp", "--optimizer", "keep", *config)
        checks.expect(kept.returncode == 2 and "the state belongs to the adapters in this checkpoint" in kept.stderr, kept.stderr)


def save_by_name(scratch):
    """FSDP2's way to save groups by name, which does not tell the order of the parameters."""
    model = build()
    optimizer = adam(model, 2)
    for step in range(2):
        model(batch(step)).backward()
        optimizer.step()
        optimizer.zero_grad()
    state = get_optimizer_state_dict(model, optimizer, options=StateDictOptions(flatten_optimizer_state_dict=True))
    dcp.save({"model": model.state_dict(), "optimizer": state}, checkpoint_id=scratch / "by_name", no_dist=True)
    return {name: tensor.clone() for name, tensor in model.state_dict().items()}


def load_and_save(rank, world, scratch):
    engine = engine_of(rank, world, 1, 2, "fp32", universal=True)
    path, _ = engine.load_checkpoint(f"{scratch}/by_name_universal", load_lr_scheduler_states=False)
    assert path is not None
    engine.save_checkpoint(f"{scratch}/by_name_again")
    for source, stage in WRITTEN.items():
        groups, dtype = SAVED[source]
        engine = engine_of(rank, world, stage, groups, dtype)
        path, _ = engine.load_checkpoint(f"{scratch}/zero{source}_to_{stage}", load_lr_scheduler_states=False)
        assert path is not None and engine.global_steps == 2
        engine.save_checkpoint(f"{scratch}/zero{source}_to_{stage}_again")


def check_universal(checks, directory, converted, scratch, what):
    theirs = universal(directory, scratch / f"{directory.name}_by_deepspeed")
    ours = universal_values(converted)
    for moment in MOMENTS:
        same(checks, ours[moment], theirs[moment], f"{what}: {moment} of ds_to_universal")


def check_stage(checks, scratch, stage):
    convert, directory, what = tool("ckpt_convert"), scratch / f"zero{stage}", f"ZeRO {stage}"
    weights = fp32_weights(directory)
    run_ok(checks, convert, directory, scratch / f"hf{stage}", "--to", "hf")
    same(checks, load_file(scratch / f"hf{stage}/model.safetensors"), weights, f"{what}: zero_to_fp32")
    run_ok(checks, convert, directory, scratch / f"universal{stage}", "--to", "universal")
    check_universal(checks, directory, scratch / f"universal{stage}", scratch, what)
    run_ok(checks, convert, scratch / f"zero{stage}_by_deepspeed", scratch / f"back{stage}", "--to", "hf")
    same(checks, load_file(scratch / f"back{stage}/model.safetensors"), weights, f"{what}: its universal checkpoint")
    other = WRITTEN[stage]
    written = scratch / f"zero{stage}_to_{other}"
    run_ok(checks, convert, directory, written, "--to", "zero", "--stage", str(other), "--world", str(OTHER_RANKS),
           "--params-dtype", SAVED[stage][1])
    what += f" to ZeRO {other} of {OTHER_RANKS} ranks"
    same(checks, fp32_weights(written), weights, f"{what}: zero_to_fp32")
    check_universal(checks, written, scratch / f"universal{stage}", scratch, what)
    return weights


def check_incomplete(checks, scratch):
    """A save without the file of the last rank; and one as the Trainer leaves it, its weights beside it in a file of their own."""
    convert, cut, trainer = tool("ckpt_convert"), scratch / "cut", scratch / "checkpoint-2"
    shutil.copytree(scratch / "zero2", cut)
    (cut / "global_step2/bf16_zero_pp_rank_1_mp_rank_00_optim_states.pt").unlink()
    refused = run(convert, cut, scratch / "nowhere", "--to", "hf")
    checks.expect(refused.returncode == 4 and "the optimizer's file of rank 1 is missing; is the copy complete?" in refused.stderr, refused.stderr)
    shutil.copytree(scratch / "zero2", trainer)
    shutil.copy(scratch / "hf2/model.safetensors", trainer)
    refused = run(convert, trainer, scratch / "nowhere", "--to", "dcp", "--optimizer", "keep")
    checks.expect(refused.returncode == 2 and f"the state of the optimizer is in {trainer}/global_step2, with the weights that it belongs to"
                  in refused.stderr, refused.stderr)


def check_groups(checks, scratch):
    """What numbers its parameters group by group, as an optimizer of several groups in the files of ranks, does not tell them."""
    convert, ranks = tool("ckpt_convert"), scratch / "ranks"
    run_ok(checks, convert, scratch / "zero1", ranks, "--to", "dtensor", "--world", "2", "--optimizer", "keep")
    refused = run(convert, ranks, scratch / "ranks_kept", "--to", "dcp", "--optimizer", "keep")
    checks.expect(refused.returncode == 5 and "the optimizer numbers the parameters group by group" in refused.stderr, refused.stderr)
    unordered = run(convert, scratch / "by_name", scratch / "unordered", "--to", "zero", "--stage", "1", "--world", "2")
    checks.expect(unordered.returncode == 5 and "--to universal and dcp are loaded by name" in unordered.stderr, unordered.stderr)


def check_parallel(checks, scratch):
    scratch = scratch / "parallel"
    scratch.mkdir()
    tiny.run(parallel.train, parallel.RANKS, scratch)
    parallel.check(checks, scratch)
    tiny.run(parallel.load_pipeline, OTHER_PIPELINE, scratch)
    parallel.check_loaded(checks, scratch)


def main():
    if not (PACKAGE / ".complete").exists():
        skip(f"{PACKAGE} is not there; ./test.sh makes it")
    sys.path.insert(0, str(PACKAGE))
    os.environ["DS_ACCELERATOR"] = "cpu"
    # What each process would import by itself: an engine's optimizers, which compile, and the model.
    import deepspeed.runtime.zero.muon.muon_optimizer  # noqa: F401
    from transformers import LlamaForCausalLM  # noqa: F401
    checks = Checks()
    with temporary_directory() as directory:
        scratch = Path(directory)
        tiny.run(train, RANKS, directory)
        weights = {stage: check_stage(checks, scratch, stage) for stage in SAVED}
        by_name = save_by_name(scratch)
        run_ok(checks, tool("ckpt_convert"), scratch / "by_name", scratch / "by_name_universal", "--to", "universal")
        check_groups(checks, scratch)
        check_incomplete(checks, scratch)
        tiny.run(train_adapters, RANKS, directory)
        check_adapters(checks, scratch)
        tiny.run(load_and_save, OTHER_RANKS, directory)
        check_parallel(checks, scratch)
        same(checks, fp32_weights(scratch / "by_name_again"), by_name, "groups by name to universal, loaded by the engine")
        for stage, other in WRITTEN.items():
            same(checks, fp32_weights(scratch / f"zero{stage}_to_{other}_again"), weights[stage],
                 f"ZeRO {stage} to ZeRO {other}, loaded by the engine and saved again")
    checks.finish()


if __name__ == "__main__":
    main()
