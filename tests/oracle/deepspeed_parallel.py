"""What engines of DeepSpeed save whose ranks share a model: pipelines, tensor parallel layers, experts.

All train in one run of four gloo processes: a pipeline of two stages, a model cut by hand as Megatron-DeepSpeed cuts its own, one that
AutoTP cuts, and layers of experts on two of four ranks.
"""

import os
import re
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import run, run_ok, tool  # noqa: E402

import torch  # noqa: E402
import torch.distributed as dist  # noqa: E402
from safetensors.torch import load_file  # noqa: E402
from torch import nn  # noqa: E402
from universal_files import MOMENTS, same, universal, universal_values  # noqa: E402

RANKS, TENSOR = 4, 2
VOCABULARY, FILLED, WIDTH, HALF = 37, 40, 10, 12
EXPERTS = 4
TIED = r"tied_modules\.embed\.word\.weight"
LLAMA = {"hidden_size": 16, "intermediate_size": 24, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
         "vocab_size": 38, "max_position_embeddings": 32, "tie_word_embeddings": False}


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.word = nn.Embedding(VOCABULARY, WIDTH)

    def forward(self, tokens):
        return self.word(tokens)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.up, self.down = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, HALF), nn.Linear(HALF, WIDTH)
        self.register_buffer("scale", torch.full((1,), 0.5))

    def forward(self, x):
        x = x.to(self.up.weight.dtype)
        return x + self.down(torch.relu(self.up(self.norm(x)))) * self.scale


def words_of(layer, x):
    return nn.functional.linear(x.to(layer.word.weight.dtype), layer.word.weight)


def loss_of(output, labels):
    return nn.functional.cross_entropy(output.flatten(0, 1).float(), labels.flatten())


def pipeline_batches():
    tokens = torch.arange(12).view(2, 6)
    while True:
        yield tokens, tokens.roll(1, 1)


class Ranks:
    """What an engine asks of Megatron's parallel state: ranks next to each other share the model."""

    def __init__(self):
        rank, self.groups = dist.get_rank(), {}
        for name, members in (("model", [[0, 1], [2, 3]]), ("data", [[0, 2], [1, 3]])):
            for ranks in members:
                group = dist.new_group(ranks)
                if rank in ranks:
                    self.groups[name] = (group, ranks.index(rank), len(ranks))

    def __getattr__(self, name):
        for front, group in (("get_model_parallel_", "model"), ("get_tensor_model_parallel_", "model"), ("get_data_parallel_", "data")):
            if name.startswith(front):
                return lambda: self.groups[group][("group", "rank", "world_size").index(name[len(front):])]
        raise AttributeError(name)


class Slices(nn.Module):
    """A rank's part of every kind of parameter that there are patterns for."""

    def __init__(self, rank):
        super().__init__()
        torch.manual_seed(3)
        self.word = nn.Embedding(FILLED // TENSOR, WIDTH)
        self.norm = nn.LayerNorm(WIDTH)
        self.gate_up = nn.Linear(WIDTH, 2 * HALF // TENSOR)
        self.query_key_value = nn.Linear(WIDTH, 16 // TENSOR, bias=False)
        self.down = nn.Linear(HALF // TENSOR, WIDTH)
        torch.manual_seed(rank)
        with torch.no_grad():
            for name, parameter in self.named_parameters():
                if name.startswith("norm") or name == "down.bias":
                    # The gradients of what all have are the same, as if they were summed.
                    parameter.register_hook(lambda grad: torch.arange(grad.numel(), dtype=grad.dtype).view_as(grad) + 1)
                else:
                    parameter.copy_(torch.randn(parameter.shape))
        self.universal_checkpoint_info = {
            "universal_checkpoint_version": 0.4, "original_vocab_size": VOCABULARY,
            "vocabulary_parameter_patterns": [r"word\.weight"], "tp_replicated_parameter_patterns": [r"norm\.(weight|bias)$"],
            "parameter_to_average_patterns": [r"down.bias"], "parameter_with_row_parallelism_patterns": [r"down.w\w+"],
            "parameter_with_2_sub_params_cat_dim_0": [r"gate_up\.[a-z]+"],
            "parameter_with_sub_params": [{"patterns": [r"^query_key_value\.weight$"], "shape": ((8, 4, 4), WIDTH), "partition_dim": 0}],
            "sub_param_shard_widths": {r"^query_key_value\.weight$": [[4, 4], [2, 2], [2, 2]]}}

    def forward(self, x):
        gate, up = self.gate_up(self.norm(x + self.word.weight.mean())).chunk(2, -1)
        return (self.down(torch.relu(gate) * up) + self.query_key_value(x).mean()).square().mean()


class Experts(nn.Module):
    def __init__(self):
        from deepspeed.moe.layer import MoE

        super().__init__()
        self.layers = nn.ModuleList([
            MoE(WIDTH, nn.Sequential(nn.Linear(WIDTH, HALF), nn.ReLU(), nn.Linear(HALF, WIDTH)), num_experts=EXPERTS, ep_size=TENSOR,
                k=1, use_rts=False) for _ in range(2)])
        self.out = nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)[0]
        return self.out(x).square().mean()


def adam(parameters):
    return torch.optim.AdamW([{"params": [p for p in parameters if p.ndim > 1], "weight_decay": 0.1},
                              {"params": [p for p in parameters if p.ndim <= 1], "weight_decay": 0.0}], lr=1e-2)


def engine_of(model, optimizer, stage, dtype, **named):
    import deepspeed

    config = {"train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 1, "zero_allow_untested_optimizer": True,
              "zero_force_ds_cpu_optimizer": False, "bf16": {"enabled": dtype == "bf16"},
              "zero_optimization": {"stage": stage}, **named.pop("config", {})}
    return deepspeed.initialize(model=model, optimizer=optimizer, config=config, dist_init_required=False, **named)[0]


def pipeline(stage, dtype, universal=False):
    from deepspeed.pipe import LayerSpec, PipelineModule, TiedLayerSpec

    torch.manual_seed(3)
    shared = {"tied_weight_attr": ["word.weight"]}
    model = PipelineModule([TiedLayerSpec("embed", Words, **shared), LayerSpec(Layer), lambda x: x * 1.0, LayerSpec(Layer),
                            LayerSpec(Layer), TiedLayerSpec("embed", Words, forward_fn=words_of, **shared)],
                           num_stages=2, loss_fn=loss_of, partition_method="uniform")
    model.universal_checkpoint_info = {"universal_checkpoint_version": 0.4, "pipeline_replicated_parameter_patterns": [TIED]}
    return engine_of(model, adam(list(model.parameters())), stage, dtype, config={"checkpoint": {"load_universal": universal}})


class SlicedLayer(nn.Module):
    """A rank's part of a layer of a pipeline, whose outputs are not summed."""

    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.up, self.down = nn.Linear(WIDTH, HALF // TENSOR), nn.Linear(HALF // TENSOR, WIDTH, bias=False)
        for parameter in self.norm.parameters():
            parameter.register_hook(torch.ones_like)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(self.norm(x))))


def sliced_pipeline():
    """Two stages of two tensor parallel ranks."""
    from deepspeed.pipe import LayerSpec, PipelineModule
    from deepspeed.runtime.pipe.topology import PipeModelDataParallelTopology

    topology = PipeModelDataParallelTopology(num_pp=2, num_mp=TENSOR, num_dp=1)
    torch.manual_seed(100 + dist.get_rank())
    model = PipelineModule([LayerSpec(Words), LayerSpec(SlicedLayer), LayerSpec(SlicedLayer), LayerSpec(nn.Linear, WIDTH, VOCABULARY)],
                           topology=topology, loss_fn=loss_of, partition_method="uniform", base_seed=3 + dist.get_rank(), seed_layers=True)
    model.universal_checkpoint_info = {
        "universal_checkpoint_version": 0.4, "tp_replicated_parameter_patterns": [r"\d+.norm.\w+"],
        "parameter_with_row_parallelism_patterns": [r"\d+\.down\.weight"]}
    return engine_of(model, adam(list(model.parameters())), 1, "fp32")


def train_pipelines(scratch):
    for name, stage, dtype in (("pipe1", 1, "fp32"), ("pipe_bf16", 0, "bf16"), ("pipe0", 0, "fp32")):
        engine, batches = pipeline(stage, dtype), pipeline_batches()
        for _ in range(2):
            engine.train_batch(batches)
        engine.save_checkpoint(f"{scratch}/{name}")


def train_sliced_pipeline(scratch):
    engine, batches = sliced_pipeline(), pipeline_batches()
    for _ in range(2):
        engine.train_batch(batches)
    engine.save_checkpoint(f"{scratch}/pipe_slices")


def train_slices(scratch):
    ranks = Ranks()
    for stage in (1, 3):
        model = Slices(ranks.get_model_parallel_rank())
        engine = engine_of(model, torch.optim.AdamW(model.parameters(), lr=1e-2), stage, "fp32", mpu=ranks)
        for step in range(2):
            engine.backward(engine(torch.ones(2, WIDTH) * step))
            engine.step()
        engine.save_checkpoint(f"{scratch}/slices{stage}")


def train_autotp(scratch):
    import transformers

    torch.manual_seed(3)
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**LLAMA))
    engine = engine_of(model, torch.optim.AdamW(model.parameters(), lr=1e-2), 1, "bf16",
                       config={"tensor_parallel": {"autotp_size": TENSOR}})
    for step in range(2):
        tokens = torch.arange(16).view(2, 8) + step
        engine.backward(engine(input_ids=tokens, labels=tokens).loss)
        engine.step()
    engine.save_checkpoint(f"{scratch}/autotp")
    if dist.get_rank() == 0:
        model.config.to_json_file(f"{scratch}/autotp/config.json")


def train_experts(rank, scratch):
    from deepspeed.moe.utils import split_params_into_different_moe_groups_for_optimizer as split

    for name, stage, dtype in (("experts1", 1, "fp32"), ("experts2", 2, "bf16"), ("experts0", 0, "fp32")):
        torch.manual_seed(rank % TENSOR)
        model = Experts()
        for parameter in model.parameters():
            if not hasattr(parameter, "group_name"):
                dist.broadcast(parameter.data, 0)
        optimizer = torch.optim.AdamW(split({"params": list(model.parameters()), "name": "all"}), lr=1e-2)
        engine = engine_of(model, optimizer, stage, dtype)
        for step in range(2):
            inputs = torch.sin(torch.arange(4 * WIDTH).view(4, WIDTH) + rank + step).to(model.out.weight.dtype)
            engine.backward(engine(inputs))
            engine.step()
        engine.save_checkpoint(f"{scratch}/{name}")


def start(rank, world):
    os.environ.update(DS_ACCELERATOR="cpu", LOCAL_RANK=str(rank), RANK=str(rank), WORLD_SIZE=str(world))
    import deepspeed

    # Else a C++ extension is compiled.
    sys.modules["deepspeed.comm.torch"].build_shm_op = lambda: None
    deepspeed.init_distributed("gloo", auto_mpi_discovery=False)


def train(rank, world, scratch):
    start(rank, world)
    from deepspeed.utils import groups

    train_pipelines(scratch)
    groups.mpu = None
    train_sliced_pipeline(scratch)
    groups.mpu = None
    train_experts(rank, scratch)
    train_slices(scratch)
    groups.mpu = None
    train_autotp(scratch)


def load_pipeline(rank, world, scratch):
    """The universal checkpoint that was written here, by an engine of fewer ranks."""
    start(rank, world)
    engine = pipeline(1, "fp32", universal=True)
    path, _ = engine.load_checkpoint(f"{scratch}/pipe1_universal", load_lr_scheduler_states=False)
    assert path is not None
    engine.save_checkpoint(f"{scratch}/pipe1_again")


def model_name(name, rank):
    """An expert's, which a rank numbers from 0."""
    local = EXPERTS // TENSOR
    return re.sub(r"(deepspeed_experts\.)(\d+)", lambda match: f"{match[1]}{int(match[2]) + rank * local}", name)


def fragments(directory, with_experts=False):
    """{file's stem: {name: tensor}} by the places that the files themselves tell, in a row."""
    found, out = {}, {moment: {} for moment in MOMENTS}
    for path in sorted(tag_of(directory).glob("*zero_pp_rank_*_optim_states.pt")):
        data, model = (int(number) for number in re.findall(r"rank_(\d+)", path.name))
        state = torch.load(path, weights_only=False)["optimizer_state_dict"]
        for group, places in enumerate(state["param_slice_mappings"]):
            values = {"fp32": state["single_partition_of_fp32_groups"][group], **state["base_optimizer_state"]["state"][group]}
            for name, place in places.items():
                whole = model_name(name, data % TENSOR) if with_experts else name
                for moment in MOMENTS:
                    found.setdefault((moment, whole, model), []).append(values[moment][place.start:place.start + place.numel])
    for (moment, name, _), parts in sorted(found.items(), reverse=True):
        out[moment][name] = torch.cat(parts)
    return out


def tag_of(directory):
    return Path(directory) / (Path(directory) / "latest").read_text()


def convert(checks, scratch, name, to, *options):
    target = scratch / f"{name}_{to}"
    run_ok(checks, tool("ckpt_convert"), scratch / name, target, "--to", to, *options)
    return target


def same_values(checks, found, wanted, what):
    for moment in MOMENTS:
        same(checks, found[moment], wanted[moment], f"{what}: {moment}")


def same_steps(checks, found, what):
    steps = {float(torch.load(path)) for path in found.glob("*_universal/zero/*/step.pt")}
    checks.equal(steps, {2.0}, f"{what}: steps")


def check_pipelines(checks, scratch):
    for name in ("pipe1", "pipe_bf16"):
        written = convert(checks, scratch, name, "universal")
        same_values(checks, universal_values(written), fragments(scratch / name), f"{name}: its own places")
        same_steps(checks, written, name)
    truth = universal(scratch / "pipe1", scratch / "pipe1_by_deepspeed")
    same_values(checks, universal_values(scratch / "pipe1_universal"), truth, "pipeline: ds_to_universal")
    weights = load_file(convert(checks, scratch, "pipe1", "hf") / "model.safetensors")
    same(checks, {name: tensor for name, tensor in weights.items() if not name.endswith("scale")}, truth["fp32"], "pipeline to hf")
    checks.equal(weights["4.scale"].tolist(), [0.5], "a buffer of a pipeline")
    convert(checks, scratch, "pipe1", "dcp", "--optimizer", "keep")
    same_values(checks, universal_values(convert(checks, scratch, "pipe1_dcp", "universal")), truth, "pipeline to dcp and on")
    back = load_file(convert(checks, scratch, "pipe1_by_deepspeed", "hf") / "model.safetensors")
    same(checks, back, truth["fp32"], "DeepSpeed's universal checkpoint of a pipeline")
    plain = load_file(convert(checks, scratch, "pipe0", "hf") / "model.safetensors")
    layers = torch.load(tag_of(scratch / "pipe0") / "layer_04-model_states.pt", weights_only=True)
    same(checks, {name[2:]: tensor for name, tensor in plain.items() if name.startswith("4.")}, layers, "pipeline without ZeRO")


def check_slices(checks, scratch):
    for name in ("slices1", "slices3", "pipe_slices", "autotp"):
        truth = universal(scratch / name, scratch / f"{name}_by_deepspeed")
        written = convert(checks, scratch, name, "universal")
        same_values(checks, universal_values(written), truth, f"{name}: ds_to_universal")
        same_steps(checks, written, name)
        weights = load_file(convert(checks, scratch, name, "hf") / "model.safetensors")
        same(checks, weights, truth["fp32"], f"{name} to hf")
        back = load_file(convert(checks, scratch, f"{name}_by_deepspeed", "hf") / "model.safetensors")
        same(checks, back, truth["fp32"], f"{name}: DeepSpeed's universal checkpoint")
    megatron = convert(checks, scratch, "autotp", "mcore", "--tp", "2", "--pp", "2", "--optimizer", "keep", "--params-dtype", "bf16",
                       "--target", "mcore")
    run_ok(checks, tool("ckpt_convert"), "verify", megatron, "--against", scratch / "autotp")


def check_experts(checks, scratch):
    for name in ("experts1", "experts2"):
        written = convert(checks, scratch, name, "universal")
        found = universal_values(written)
        same_values(checks, found, fragments(scratch / name, with_experts=True), f"{name}: its own places")
        same_steps(checks, written, name)
    for name in ("experts1", "experts0"):
        weights = load_file(convert(checks, scratch, name, "hf") / "model.safetensors")
        files = [torch.load(path, weights_only=True) for path in tag_of(scratch / name).glob("layer_*_expert_*")]
        wanted = {key: value for file in files for key, value in file.items()}
        checks.equal(len(wanted), 2 * EXPERTS * 4, f"{name}: tensors of experts")
        same(checks, {key: value for key, value in weights.items() if "deepspeed_experts" in key}, wanted, f"{name}: files of experts")


def refused(checks, source, code, sentence, *options):
    done = run(tool("ckpt_convert"), source, source.parent / "nowhere", "--to", "dcp", *options)
    checks.expect(done.returncode == code and sentence in done.stderr, f"{sentence!r} is not in: {done.returncode} {done.stderr}")
    checks.expect(not (source.parent / "nowhere").exists(), f"{source}: something was written")


def change(path, value, *keys):
    content = torch.load(path, weights_only=False)
    inner = content
    for key in keys[:-1]:
        inner = inner[key]
    inner[keys[-1]] = value
    torch.save(content, path)


def check_damaged(checks, scratch):
    """Copies of what the engines saved, each with something wrong."""
    def cut(path):
        path.write_bytes(path.read_bytes()[:-2000])

    first, info = "mp_rank_00_model_states.pt", "universal_checkpoint_info"
    query = "model.layers.1.self_attn.q_proj.weight"
    place = (info, "affine_map", "params", f"^{re.escape(query)}$", "ranks", 1, "pieces", 0)
    stage, optimizer = "mp_rank_01_model_states.pt", "zero_pp_rank_1_mp_rank_01_optim_states.pt"
    cases = [
        ("pipe1", lambda tag: (tag / optimizer).unlink(), 4, "the optimizer's file of rank 1 is missing; is the copy complete?"),
        ("pipe1", lambda tag: (tag / stage).unlink(), 4, "the file with the names and shapes of the weights is missing"),
        ("pipe1", lambda tag: [path.unlink() for path in tag.glob("*mp_rank_01*")], 4,
         "it is of a run whose model 2 ranks share, and there are files of 1; is the copy complete?"),
        ("pipe1", lambda tag: (tag / "layer_03-model_states.pt").unlink(), 4, "the file of layer 3 is missing; is the copy complete?"),
        ("pipe1", lambda tag: (tag / "layer_00-model_states.pt").unlink(), 4, "no file of a layer has the parameters of tied_modules.embed"),
        ("pipe1", lambda tag: change(tag / stage, 1, "global_steps"), 4,
         "it is of step 1, and mp_rank_00_model_states.pt of step 2; are files of two saves mixed?"),
        ("pipe1", lambda tag: cut(tag / optimizer), 4, optimizer),
        ("pipe1", lambda tag: shutil.copy(tag / stage, tag / "mp_rank_02_model_states.pt"), 4,
         "it is of a run whose model 2 ranks share, and there are files of 3; are files of two runs mixed?"),
        ("pipe1", lambda tag: shutil.copy(tag / optimizer, tag / "zero_pp_rank_2_mp_rank_01_optim_states.pt"), 4,
         "2 ranks share group 0 of the weights, and there are files of 3; is the copy complete, and of one run?"),
        ("pipe0", lambda tag: None, 5, "the optimizer of a DeepSpeed pipeline without ZeRO numbers the parameters of each stage"),
        ("slices1", lambda tag: change(tag / first, None, info), 5,
         "the engine ran with tensor parallelism, and nothing here says how its slices make up the parameters"),
        ("slices1", lambda tag: change(tag / first, [r"word\.weight"], info, "parameter_to_average_patterns"), 5,
         "word.weight is the average of what the tensor parallel ranks have, which differs, and a conversion computes none"),
        ("slices1", lambda tag: change(tag / first, [r"word\.weight"], info, "tp_replicated_parameter_patterns"), 4,
         "word.weight has other values in tensor parallel rank 1 than in rank 0, though all have the same"),
        ("slices1", lambda tag: change(tag / first, [r"(?<=x)"], info, "vocabulary_parameter_patterns"), 5,
         'the pattern "(?<=x)" has more than this program knows of patterns'),
        ("slices1", lambda tag: change(tag / first, 41, info, "original_vocab_size"), 4, "word.weight has 40 rows, and the vocabulary 41"),
        ("slices1", lambda tag: change(tag / first, [[4, 4], [2, 2], [1, 3]], info, "sub_param_shard_widths", r"^query_key_value\.weight$"),
         4, "the parts of query_key_value.weight are 7 long together in tensor parallel rank 0, and it is 8"),
        ("autotp", lambda tag: change(tag / first, 0.5, *place, "scale"), 5,
         f"tensor parallel ranks have {query} multiplied by a factor, which a conversion does not undo"),
        ("autotp", lambda tag: change(tag / first, [0, [16, 1]], *place, "source"), 5,
         f"the map of {query} says otherwise than the patterns how its slices make it up"),
        ("slices1", lambda tag: shutil.copy(tag / "zero_pp_rank_1_mp_rank_00_optim_states.pt", tag / optimizer), 4,
         "is not what the optimizer's copy of it in float32 is when it is rounded"),
        ("pipe_slices", lambda tag: (tag / "layer_02-model_01-model_states.pt").unlink(), 4,
         "the file of layer 2 of tensor parallel rank 1 is missing; is the copy complete?"),
        ("pipe_slices", lambda tag: [path.unlink() for path in tag.glob("layer_*-model_01-*")], 4,
         "it is of 2 tensor parallel ranks, and there are files of layers of 1; is the copy complete, and of one run?"),
        ("experts1", lambda tag: (tag / "zero_pp_rank_3_mp_rank_00_optim_states.pt").unlink(), 4,
         "the optimizer's file of rank 3 is missing; is the copy complete?"),
        ("experts1", lambda tag: shutil.copy(tag / "zero_pp_rank_0_mp_rank_00_optim_states.pt",
                                             tag / "zero_pp_rank_4_mp_rank_00_optim_states.pt"), 4,
         "4 ranks share group 0 of the weights, and there are files of 5; is the copy complete, and of one run?"),
        ("experts0", lambda tag: None, 5, "the optimizer of experts without ZeRO numbers the parameters of each rank"),
    ]
    for number, (name, damage, code, sentence) in enumerate(cases):
        damaged = scratch / f"damaged{number}"
        shutil.copytree(scratch / name, damaged)
        damage(tag_of(damaged))
        refused(checks, damaged, code, sentence, "--optimizer", "keep")


def check_loaded(checks, scratch):
    again = universal(scratch / "pipe1_again", scratch / "pipe1_again_by_deepspeed")
    same_values(checks, again, universal_values(scratch / "pipe1_by_deepspeed"), "pipeline to universal, loaded by an engine of other ranks")


def check(checks, scratch):
    check_pipelines(checks, scratch)
    check_slices(checks, scratch)
    check_experts(checks, scratch)
    check_damaged(checks, scratch)
