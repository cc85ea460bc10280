"""Megatron-core's runs with FSDP2, saved as `--ckpt-format torch_dcp` saves them, with the optimizer.

    torch_dcp_oracle.py --megatron DIRECTORY

Three ranks wrap Megatron's GPTModel in its TorchFullyShardedDataParallel, train it with its optimizer in float32 and in bf16, and save
what generate_state_dict() of megatron/training/checkpointing.py puts together. The optimizer numbers its parameters group by group.
Weights (in bf16 their copies in full precision), moments, steps and settings are found again under their names, bit for bit.
"""

import argparse
import os
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
sys.path.insert(0, str(Path(__file__).resolve().parent / "megatron"))
from checks import Checks, run, run_ok, skip, temporary_directory, tool  # noqa: E402

WORLD = 3
STEPS = 2
SCHEDULE = {"max_lr": 1.0e-2, "min_lr": 0.0, "lr_warmup_steps": 0, "lr_decay_steps": 1000, "lr_decay_style": "constant", "start_wd": 0.1,
            "end_wd": 0.1, "wd_incr_steps": 1000, "wd_incr_style": "constant"}



def prepare():
    """Which megatron-core is found, before anything imports torch."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megatron", required=True, type=Path, metavar="DIRECTORY", help="where megatron/core is")
    megatron = parser.parse_args().megatron
    os.environ.update(OMP_NUM_THREADS="1", TORCH_COMPILE_DISABLE="1")
    if not (megatron / ".complete").exists():
        skip(f"{megatron} has no megatron-core; ./test.sh installs it")
    sys.path.insert(1, str(megatron))
    warnings.filterwarnings("ignore")


prepare()
import torch  # noqa: E402
import torch.distributed.checkpoint as dcp  # noqa: E402
from safetensors.torch import load_file, save_file  # noqa: E402
from torch.distributed.device_mesh import DeviceMesh  # noqa: E402

import fsdp_model as tiny  # noqa: E402
import other_names_oracle as other  # noqa: E402
import sharded_oracle as sharded  # noqa: E402

CONFIG = other.LLAMA
SAVED = {"fp32": False, "bf16": True}


def make_model(bf16):
    """This rank's GPTModel, of Megatron's own layers."""
    from megatron.core.models.gpt import GPTModel, gpt_layer_specs
    from megatron.core.transformer.transformer_config import TransformerConfig
    import cpu_megatron

    arguments = {**cpu_megatron.unfused(), "num_layers": CONFIG["num_hidden_layers"], "hidden_size": CONFIG["hidden_size"],
                 "num_attention_heads": CONFIG["num_attention_heads"], "num_query_groups": CONFIG["num_key_value_heads"],
                 "kv_channels": CONFIG["head_dim"], "ffn_hidden_size": CONFIG["intermediate_size"], "gated_linear_unit": True,
                 "activation_func": torch.nn.functional.silu, "add_bias_linear": False, "normalization": "RMSNorm",
                 "transformer_impl": "local", "bf16": bf16}
    spec = gpt_layer_specs.get_gpt_layer_local_spec(normalization="RMSNorm")
    model = GPTModel(TransformerConfig(**arguments), spec, vocab_size=CONFIG["vocab_size"], max_sequence_length=64,
                     share_embeddings_and_output_weights=False, position_embedding_type="rope")
    torch.manual_seed(5)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.randn(parameter.shape))
            if bf16:
                parameter.data = parameter.data.bfloat16()
    return model


def train(rank, world, scratch, name, bf16):
    from megatron.core import parallel_state
    from megatron.core.distributed import DistributedDataParallelConfig, TorchFullyShardedDataParallel
    from megatron.core.optimizer import OptimizerConfig, get_megatron_optimizer
    from megatron.core.optimizer_param_scheduler import OptimizerParamScheduler
    import cpu_megatron
    import rank_training

    cpu_megatron.patch()
    parallel_state.initialize_model_parallel()
    model = make_model(bf16)
    make_mesh = DeviceMesh.from_group
    DeviceMesh.from_group = lambda group, device: make_mesh(group, "cpu")
    wrapped = TorchFullyShardedDataParallel(model.config, DistributedDataParallelConfig(), model)
    settings = OptimizerConfig(optimizer="adam", lr=1.0e-2, min_lr=0.0, weight_decay=0.1, adam_beta1=0.9, adam_beta2=0.95, bf16=bf16,
                               params_dtype=torch.bfloat16 if bf16 else torch.float32, clip_grad=0.0)
    with rank_training.types_of_cuda():
        optimizer = get_megatron_optimizer(settings, [wrapped])
    scheduler = OptimizerParamScheduler(optimizer, init_lr=0.0, **SCHEDULE)
    for step in range(STEPS):
        for number, parameter in enumerate(model.parameters()):
            held = parameter.to_local()
            grad = torch.sin(held.detach().float() * (step + 1) + number).to(held.dtype)
            parameter.grad = type(parameter).from_local(grad, parameter.device_mesh, parameter.placements, shape=parameter.shape,
                                                        stride=parameter.stride())
        with rank_training.types_of_cuda():
            optimizer.prepare_grads()
            optimizer.step_with_ready_grads()
        scheduler.step(1)
    # generate_state_dict(), in its order.
    state = {"args": argparse.Namespace(use_torch_fsdp2=True, bf16=bf16), "checkpoint_version": 3.0, "iteration": STEPS,
             "model": wrapped.state_dict_for_save_checkpoint(), "optimizer": optimizer.state_dict(), "opt_param_scheduler": scheduler.state_dict(),
             "rng_state": {"random_rng_state": 1}}
    dcp.save(state, checkpoint_id=scratch / name / f"iter_{STEPS:07d}")
    names = {id(parameter): key for key, parameter in model.named_parameters()}
    inner = optimizer.chained_optimizers[0] if hasattr(optimizer, "chained_optimizers") else optimizer
    masters = {id(parameter.main_param): names[id(parameter)] for parameter in model.parameters() if bf16} or names
    truth = {}
    for group in inner.optimizer.param_groups:
        for parameter in group["params"]:
            key = masters[id(parameter)]
            truth[f"weight/{key}"] = tiny.full(parameter)
            for kind in ("exp_avg", "exp_avg_sq"):
                truth[f"{kind}/{key}"] = tiny.full(inner.optimizer.state[parameter][kind])
    if rank == 0:
        save_file(truth, scratch / f"{name}.truth")
        (scratch / name / "latest_checkpointed_iteration.txt").write_text(str(STEPS))


def worker(rank, world, scratch):
    import process_groups
    process_groups.keep()
    for name, bf16 in SAVED.items():
        train(rank, world, Path(scratch), name, bf16)
        from megatron.core import parallel_state
        parallel_state.destroy_model_parallel()


# What Megatron's own layers call the norms that Transformer Engine joins with the matrix behind them.
NORMS = {"self_attention.linear_qkv.layer_norm_weight": "input_layernorm.weight", "mlp.linear_fc1.layer_norm_weight": "pre_mlp_layernorm.weight"}


def core_names(hf):
    """Tensors of Hugging Face as Megatron has them, without padding."""
    out = {}
    for name, value in other.without_padding(other.core_weights(hf, CONFIG, False, split=False), CONFIG).items():
        for joined, own in NORMS.items():
            name = name.replace(joined, own)
        out[name] = value
    return out


def check(checks, scratch, name):
    convert, source, kept, hf = tool("ckpt_convert"), scratch / name, scratch / f"{name}_kept", scratch / f"{name}_hf"
    described = ["--hf-cfg-dir", scratch / "config"]
    truth = load_file(scratch / f"{name}.truth")
    of_kind = {kind: {key.removeprefix(f"{kind}/"): value for key, value in truth.items() if key.startswith(f"{kind}/")}
               for kind in ("weight", "exp_avg", "exp_avg_sq")}
    if run_ok(checks, convert, source, hf, "--to", "hf", *described):
        sharded.same_tensors(checks, core_names(load_file(hf / "model.safetensors")), of_kind["weight"], f"{name} to Hugging Face")
        run_ok(checks, convert, "verify", source, "--against", hf, *described)
    if not run_ok(checks, convert, source, kept, "--to", "dcp", "--optimizer", "keep", *described):
        return
    found = sharded.whole(kept, scratch)
    sharded.same_tensors(checks, core_names(found["model"]), of_kind["weight"], f"{name}: weights")
    state = found["optimizer"]["state"]
    for kind in ("exp_avg", "exp_avg_sq"):
        sharded.same_tensors(checks, core_names({key: value[kind] for key, value in state.items()}), of_kind[kind], f"{name}: {kind}")
    checks.equal({float(value["step"]) for value in state.values()}, {float(STEPS)}, f"{name}: steps")
    groups = {key: group for group in found["optimizer"]["param_groups"] for key in group["params"]}
    for key, value in found["model"].items():
        group = groups[key]
        checks.equal((group["lr"], group["betas"], group["eps"], group["weight_decay"]), (1e-2, (0.9, 0.95), 1e-8, 0.1 if value.dim() > 1 else 0.0),
                     f"{name}: settings of {key}")
    # To Megatron's own rank files, and what they say of the schedule.
    megatron = scratch / f"{name}_mg"
    if run_ok(checks, convert, source, megatron, "--to", "mcore", "--tp", "1", "--optimizer", "keep", "--params-dtype", "bf16", *described):
        rank = torch.load(megatron / f"iter_{STEPS:07d}/mp_rank_00/model_optim_rng.pt", weights_only=False)
        checks.equal(rank["opt_param_scheduler"], {**SCHEDULE, "num_steps": STEPS}, f"{name}: the schedule in Megatron")
        again = scratch / f"{name}_again"
        if run_ok(checks, convert, megatron, again, "--to", "dcp", "--optimizer", "keep"):
            theirs = sharded.whole(again, scratch)
            checks.expect(sharded.equal(theirs["model"], found["model"]), f"{name}: weights by way of Megatron differ")
            checks.expect(sharded.equal(theirs["optimizer"]["state"], state), f"{name}: states by way of Megatron differ")


def check_damaged(checks, scratch):
    """A copy in full precision that is not that of its weight ends the conversion."""
    first = load_file(scratch / "bf16.truth")["weight/embedding.word_embeddings.weight"][0].numpy().tobytes()
    path = next(path for path in (scratch / "bf16").glob("iter_*/*.distcp") if first in path.read_bytes())
    path.write_bytes(path.read_bytes().replace(first, bytes(len(first))))
    refused = run(tool("ckpt_convert"), scratch / "bf16", scratch / "nowhere", "--to", "hf", "--hf-cfg-dir", scratch / "config")
    checks.expect(refused.returncode == 4 and "embedding.word_embeddings.weight is not its copy in full precision, rounded" in refused.stderr,
                  f"a damaged copy: {refused.returncode} {refused.stderr}")
    checks.expect(not (scratch / "nowhere").exists(), "a damaged copy: something is written")


def main():
    checks = Checks()
    with temporary_directory() as scratch:
        tiny.run(worker, WORLD, scratch)
        tiny.write_config(Path(scratch) / "config", CONFIG)
        for name in SAVED:
            check(checks, Path(scratch), name)
        check_damaged(checks, Path(scratch))
    checks.finish()


if __name__ == "__main__":
    main()
