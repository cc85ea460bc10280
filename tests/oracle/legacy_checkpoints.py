"""Legacy Megatron checkpoints, written by a program of its own: each must be named as one and give the bits that it was made of.

    legacy_checkpoints.py [--long]     --long: every family in every layout and version, not in one each
"""

import json
import os
import shlex
import shutil
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "support"))
from checks import Checks, run, temporary_directory, tool  # noqa: E402
from checkpoints import Tensor, crc_filled, megatron_files, read_hf_directory, read_torch_file, write_safetensors, write_torch_file  # noqa: E402
from legacy_megatron import Legacy  # noqa: E402

HIDDEN, WIDTH, VOCABULARY, LAYERS, HEADS = 32, 48, 40, 4, 8
SIZES = {"hidden_size": HIDDEN, "intermediate_size": WIDTH, "num_hidden_layers": LAYERS, "num_attention_heads": HEADS,
         "vocab_size": VOCABULARY, "max_position_embeddings": 64, "rms_norm_eps": 1e-6, "tie_word_embeddings": False}


def llama_names(groups=HEADS, bias=False, packed=False):
    keys = groups * HIDDEN // HEADS
    shapes = {"model.embed_tokens.weight": [VOCABULARY, HIDDEN], "model.norm.weight": [HIDDEN]}
    for layer in range(LAYERS):
        at = f"model.layers.{layer}."
        shapes |= {at + "self_attn.o_proj.weight": [HIDDEN, HIDDEN], at + "mlp.down_proj.weight": [HIDDEN, WIDTH],
                   at + "input_layernorm.weight": [HIDDEN], at + "post_attention_layernorm.weight": [HIDDEN]}
        shapes |= {at + f"mlp.{name}_proj.weight": [WIDTH, HIDDEN] for name in ("gate", "up")}
        if packed:
            shapes[at + "self_attn.W_pack.weight"] = [3 * HIDDEN, HIDDEN]
            continue
        shapes |= {at + f"self_attn.{part}_proj.weight": [HIDDEN if part == "q" else keys, HIDDEN] for part in "qkv"}
        shapes |= {at + f"self_attn.{part}_proj.bias": [HIDDEN if part == "q" else keys] for part in "qkv" if bias}
    return shapes


def block_names(inner):
    shapes = {"transformer.wte.weight": [VOCABULARY, HIDDEN], "transformer.ln_f.weight": [HIDDEN]}
    for layer in range(LAYERS):
        shapes |= {f"transformer.h.{layer}.{name}": shape for name, shape in inner.items()}
    return shapes


QWEN = {"ln_1.weight": [HIDDEN], "ln_2.weight": [HIDDEN], "attn.c_attn.weight": [3 * HIDDEN, HIDDEN], "attn.c_attn.bias": [3 * HIDDEN],
        "attn.c_proj.weight": [HIDDEN, HIDDEN], "mlp.w1.weight": [WIDTH, HIDDEN], "mlp.w2.weight": [WIDTH, HIDDEN],
        "mlp.c_proj.weight": [HIDDEN, WIDTH]}
GPT2 = {f"{name}.{kind}": shape if kind == "weight" else shape[-1:] for name, shape in {
    "ln_1": [HIDDEN], "ln_2": [HIDDEN], "attn.c_attn": [HIDDEN, 3 * HIDDEN], "attn.c_proj": [HIDDEN, HIDDEN],
    "mlp.c_fc": [HIDDEN, WIDTH], "mlp.c_proj": [WIDTH, HIDDEN]}.items() for kind in ("weight", "bias")}
HEAD = {"lm_head.weight": [VOCABULARY, HIDDEN]}
MODELS = {
    "llama": ({"model_type": "llama", **SIZES}, llama_names() | HEAD),
    "llama2_70b": ({"model_type": "llama", **SIZES, "num_key_value_heads": 4}, llama_names(groups=4) | HEAD),
    "qwen15": ({"model_type": "qwen2", "num_key_value_heads": HEADS, **SIZES}, llama_names(bias=True) | HEAD),
    "qwen15_tied": ({"model_type": "qwen2", "num_key_value_heads": HEADS, **SIZES, "tie_word_embeddings": True}, llama_names(bias=True)),
    "baichuan": ({"model_type": "baichuan", **SIZES}, llama_names(packed=True) | HEAD),
    "qwen": ({"model_type": "qwen", **SIZES, "intermediate_size": 2 * WIDTH, "kv_channels": HIDDEN // HEADS, "seq_length": 64},
             block_names(QWEN) | HEAD),
    "gpt2": ({"model_type": "gpt2", "n_layer": LAYERS, "n_embd": HIDDEN, "n_head": HEADS, "n_inner": WIDTH, "n_positions": 16,
              "vocab_size": VOCABULARY, "tie_word_embeddings": True},
             block_names(GPT2) | {"transformer.ln_f.bias": [HIDDEN], "transformer.wpe.weight": [16, HIDDEN]}),
}
LAYOUTS = {"tp1": {}, "tp2": {"tp": 2, "padding": 8}, "pp2": {"pp": 2}, "tp4_pp2": {"tp": 4, "pp": 2}, "tp2_vpp2": {"tp": 2, "pp": 2, "vpp": 2}}
# Every version with both generations of names, and layouts of each kind; the other pairs are for --long.
USUAL = [("llama", "tp2", 3.0), ("llama2_70b", "tp4_pp2", 3.0), ("qwen15", "tp2_vpp2", 2.0), ("qwen15_tied", "pp2", 3.0),
         ("baichuan", "tp4_pp2", 0), ("qwen", "tp2_vpp2", 1.0), ("gpt2", "pp2", 0), ("gpt2", "tp1", 1.0),
         ("llama", "tp4_pp2", 3.0, True), ("gpt2", "tp2_vpp2", 3.0, True)]


def every_case():
    return [(model, layout, version) for model in MODELS for layout in LAYOUTS for version in (0, 1.0, 2.0, 3.0)
            if model != "llama2_70b" or version >= 2] + [(model, layout, 3.0, True) for model in MODELS for layout in LAYOUTS]


def model_of(name):
    config, shapes = MODELS[name]
    return config, {tensor: crc_filled(tensor, shape) for tensor, shape in shapes.items()}


def write_hf(directory, config, tensors):
    directory.mkdir(parents=True)
    (directory / "config.json").write_text(json.dumps(config))
    write_safetensors(directory / "model.safetensors", tensors)


def convert(*words):
    return run(tool("ckpt_convert"), *words)


def check_bits(checks, what, directory, tensors):
    checks.expect(read_hf_directory(directory) == tensors, f"{what}: the bits are others")


def same_files(one, other):
    content = lambda root: {rank: {key: value for key, value in read_torch_file(path).items() if key.startswith("model")}
                            for rank, path in megatron_files(root).items()}
    return content(one) == content(other)


def check_case(checks, work, name, layout, version, fused=False):
    """To Hugging Face at once, and by way of mcore, which are the files that the model itself becomes."""
    what = f"{name} {layout} version {version}{' fused' if fused else ''}"
    config, tensors = model_of(name)
    work.mkdir()
    write_hf(work / "hf", config, tensors)
    Legacy(config, tensors, version=version, old=version < 2, fused=fused, **LAYOUTS[layout]).write(work / "legacy")
    for order, (source, target, options) in {
            "to hf": ("legacy", "back", ["--to", "hf"]), "to mcore": ("legacy", "mcore", ["--to", "mcore", "--tp", "2", "--pp", "2"]),
            "of hf": ("hf", "of_hf", ["--to", "mcore", "--tp", "2", "--pp", "2"]), "mcore to hf": ("mcore", "again", ["--to", "hf"])}.items():
        done = convert("--load-dir", work / source, "--save-dir", work / target, "--hf-cfg-dir", work / "hf", *options)
        if not checks.expect(done.returncode == 0, f"{what}, {order}: {done.stdout}{done.stderr}"):
            return
        checks.equal("a legacy checkpoint, from before megatron-core" in done.stderr + done.stdout, source == "legacy",
                     f"{what}, {order}: the note")
    check_bits(checks, f"{what}, to hf", work / "back", tensors)
    check_bits(checks, f"{what}, by way of mcore", work / "again", tensors)
    checks.expect(same_files(work / "mcore", work / "of_hf"), f"{what}: mcore of it is not mcore of the model")
    done = convert("verify", work / "hf", "--against", work / "legacy", "--hf-cfg-dir", work / "hf")
    checks.expect(done.returncode == 0 and done.stdout.startswith("the same weights: "), f"{what}, verify: {done.stdout}{done.stderr}")


def check_formats(checks, work):
    """All that mcore goes to."""
    config, tensors = model_of("qwen15")
    write_hf(work / "hf", config, tensors)
    Legacy(config, tensors, tp=2, pp=2, version=1.0, old=True).write(work / "legacy")
    for name, options in {"torch_dist": ["--to", "mcore", "--target", "mcore", "--ckpt-format", "torch_dist"], "te": ["--to", "mcore", "--target", "mcore", "--tp", "4"],
                          "dcp": ["--to", "dcp"], "dtensor": ["--to", "dtensor", "--world", "2"]}.items():
        done = convert("--load-dir", work / "legacy", "--save-dir", work / name, "--hf-cfg-dir", work / "hf", *options)
        if not checks.expect(done.returncode == 0, f"to {name}: {done.stderr}"):
            continue
        done = convert("--load-dir", work / name, "--save-dir", work / f"{name}_hf", "--hf-cfg-dir", work / "hf", "--to", "hf")
        if checks.expect(done.returncode == 0, f"{name} to hf: {done.stderr}"):
            check_bits(checks, f"{name} to hf", work / f"{name}_hf", tensors)
    done = convert("--load-dir", work / "legacy", "--save-dir", work / "alone", "--to", "mcore", "--tp", "2", "--pp", "2")
    if checks.expect(done.returncode == 0, f"without a config.json: {done.stderr}"):
        done = convert("verify", work / "alone", "--against", work / "hf")
        checks.expect(done.returncode == 0, f"without a config.json: {done.stdout}{done.stderr}")
    done = convert("inspect", work / "legacy")
    checks.expect("Megatron legacy checkpoint (torch format)" in done.stdout and "checkpoint version" in done.stdout
                  and "language_model.transformer.layers.0.attention.query_key_value.weight" in done.stdout and "tensor names" not in done.stdout,
                  f"inspect: {done.stdout}{done.stderr}")


def changed(path, change):
    content = read_torch_file(path)
    change(content)
    write_torch_file(path, content)


def check_refused(checks, work):
    """What nobody can read is refused with the reason, and nothing is written."""
    config, tensors = model_of("llama2_70b")
    write_hf(work / "hf", config, tensors)
    encoder = lambda file: file["model"]["language_model"]["encoder"]
    key, lora = "layers.0.self_attention.query_key_value.weight", "layers.0.self_attention.query_key_value.lora_{}.default.weight"
    old = lambda file: file.pop("checkpoint_version")

    def twice(file):
        encoder(file)["layers.0.attention.query_key_value.weight"] = encoder(file)[key]

    def adapted(file):
        old(file)
        encoder(file).update({lora.format("A"): Tensor("BF16", (2, HIDDEN), bytes(4 * HIDDEN)),
                              lora.format("B"): Tensor("BF16", (64, 2), bytes(256))})

    def fused(file):
        old(file)
        encoder(file)["layers.0.self_attention.layernorm_qkv.layer_norm_weight"] = Tensor("BF16", (HIDDEN,), bytes(2 * HIDDEN))

    def around(file):
        encoder(file)["around"] = file["model"]

    def of_another_kind(file):
        file["model"]["language_model"]["pooler"] = {"dense": {"weight": Tensor("BF16", (2, 2), bytes(8))}}

    def of_core(file):
        file["model"]["decoder.layers.0.mlp.linear_fc1.weight"] = Tensor("BF16", (2, 2), bytes(8))

    cases = {
        "centred": (lambda file: setattr(file["args"], "apply_layernorm_1p", True), "apply_layernorm_1p = true (true: the norms multiply by 1 + weight)"),
        "of core": (of_core, "is a name of megatron-core among those of a legacy checkpoint"),
        "unknown": (lambda file: file.update(checkpoint_version=4.0), "checkpoint_version 4 of a legacy checkpoint is not known"),
        "halves": (lambda file: file.update(checkpoint_version=1.5), "checkpoint_version 1.5 of a legacy checkpoint is not known"),
        "fused": (fused, "layers of Transformer Engine in a legacy checkpoint of checkpoint_version 0"),
        "groups": (old, "for models in which each head has keys and values of its own"),
        "twice": (twice, "is there twice, under an old name and a newer one"),
        "adapted": (adapted, "low-rank adapters in a legacy checkpoint of checkpoint_version 0"),
        "missing": (lambda file: encoder(file).pop(key), "1 of"),
        "other": (of_another_kind, "model/language_model.pooler.dense.weight"),
        "shape": (lambda file: encoder(file).update({key: Tensor("BF16", (6, HIDDEN), bytes(12 * HIDDEN))}), "has the shape"),
    }
    for name, (change, message) in cases.items():
        Legacy(config, tensors).write(work / name)
        changed(next((work / name).glob("*/*/model_optim_rng.pt")), change)
        done = convert("--load-dir", work / name, "--save-dir", work / "none", "--hf-cfg-dir", work / "hf", "--to", "hf")
        checks.expect(done.returncode not in (0, 70) and message in done.stderr, f"{name}: {done.returncode} {done.stderr}")
        checks.expect(not (work / "none").exists(), f"{name}: something was written")
    Legacy(config, tensors).write(work / "cyclic")
    changed(next((work / "cyclic").glob("*/*/model_optim_rng.pt")), around)
    done = convert("--load-dir", work / "cyclic", "--save-dir", work / "cyclic_hf", "--hf-cfg-dir", work / "hf", "--to", "hf")
    if checks.expect(done.returncode == 0, f"cyclic: {done.returncode} {done.stderr}"):
        check_bits(checks, "cyclic", work / "cyclic_hf", tensors)
    Legacy(config, tensors, tp=2).write(work / "mixed")
    changed(work / "mixed/iter_0000010/mp_rank_01/model_optim_rng.pt", old)
    done = convert("--load-dir", work / "mixed", "--save-dir", work / "none", "--hf-cfg-dir", work / "hf", "--to", "hf")
    checks.expect(done.returncode != 0 and "checkpoint_version is not the one of the other rank files" in done.stderr, f"mixed: {done.stderr}")
    Legacy(config, tensors).write(work / "trained")
    changed(work / "trained/iter_0000010/mp_rank_00/model_optim_rng.pt", lambda file: file.update(optimizer={"state": {}}))
    Legacy(config, tensors, pp=2).write(work / "distributed")
    for path in (work / "distributed").glob("*/*/model_optim_rng.pt"):
        path.rename(path.with_name("model_rng.pt"))
        (path.parent.parent / f"{path.parent.name}_000").mkdir()
        write_torch_file(path.parent.parent / f"{path.parent.name}_000/optim.pt", {})
    for name, message in {"trained": "the run that saved it had no distributed optimizer", "distributed": "is in an optim.pt of each data-parallel rank"}.items():
        for options, code, told in ([], 0, "the state of the optimizer is left out"), (["--optimizer", "keep"], 5, message):
            done = convert("--load-dir", work / name, "--save-dir", work / f"{name}_{code}", "--hf-cfg-dir", work / "hf", "--to", "mcore", "--tp", "2", *options)
            checks.expect(done.returncode == code and told in done.stdout + done.stderr, f"{name}: {done.stdout}{done.stderr}")
        checks.expect(not (work / f"{name}_5").exists(), f"{name}: something was written")
    checks.expect(same_files(work / "trained_0", work / "distributed_0"), "the files of early 2023 hold other weights")


TRAINING = """torchrun --nproc_per_node 8 pretrain_gpt.py --use-mcore-models --tensor-model-parallel-size 2 --load {}  --train-iters 10 \\
    --no-load-optim --no-load-rng
"""


def check_launch(checks, work):
    """A training script is told which of the two kinds its checkpoint is."""
    config, tensors = model_of("llama")
    write_hf(work / "hf", config, tensors)
    Legacy(config, tensors, tp=2).write(work / "legacy")
    done = convert("--load-dir", work / "hf", "--save-dir", work / "mcore", "--tp", "2")
    checks.expect(done.returncode == 0, f"to mcore: {done.stderr}")
    old = lambda text: text.replace("--use-mcore-models", "--use-legacy-models")
    for checkpoint, text, wanted in (("mcore", TRAINING, []), ("mcore", old(TRAINING), ["legacy_models"]),
                                     ("legacy", TRAINING, ["mcore_models"]), ("legacy", TRAINING.replace("--use-mcore-models ", ""), ["mcore_models"]),
                                     ("legacy", old(TRAINING), []), ("mcore", old(TRAINING).replace("--load", "--pretrained-checkpoint"), ["legacy_models"]),
                                     ("legacy", TRAINING.replace("--load", "--pretrained-checkpoint"), ["mcore_models"])):
        script = work / "run.sh"
        script.write_text(text.format(work / checkpoint))
        done = convert("--json", "launch", "--check", script, "--model", work / "hf", "--target", "mindspeed-llm")
        found = [(item["id"], item["severity"]) for item in json.loads(done.stdout)["findings"] if item["id"].endswith("_models")]
        checks.equal(found, [(name, "error") for name in wanted], f"{checkpoint}: {text}")
    done = convert("launch", work / "legacy", work / "scripts", "--devices", "8")
    checks.expect(done.returncode == 2 and "convert it with --to mcore first" in done.stderr, f"scripts for a legacy checkpoint: {done.stderr}")


def check_words(checks, work):
    """Command lines of MindSpeed-LLM's first converter: what becomes of the word legacy, and of an output beside the original."""
    config, tensors = model_of("qwen15")
    config = {**config, "sliding_window": 32768, "use_sliding_window": False}
    write_hf(work / "hf", config, tensors)
    words = ["--model-type", "GPT", "--load-model-type", "hf", "--save-model-type", "mg", "--model-type-hf", "llama2", "--add-qkv-bias"]
    note = "convert_ckpt.py would write a legacy checkpoint without --use-mcore-models"
    for name, more in (("plain", []), ("mcore", ["--use-mcore-models"])):
        done = convert("--load-dir", work / "hf", "--save-dir", work / name, "--tp", "2", *words, *more)
        checks.equal((done.returncode, note in done.stdout + done.stderr), (0, name == "plain"), f"{name}: {done.stdout}{done.stderr}")
        checks.expect("--sliding-window" not in (work / name / "training_args.sh").read_text(), f"{name}: a window that the model does not use")
    for name, used in {"used": {"use_sliding_window": True}, "unsaid": {}}.items():
        windowed = {**{key: value for key, value in config.items() if key != "use_sliding_window"}, **used}
        write_hf(work / f"{name}_hf", windowed, tensors)
        done = convert("--load-dir", work / f"{name}_hf", "--save-dir", work / name, *words)
        if checks.expect(done.returncode == 0, f"{name}: {done.stderr}"):
            checks.expect("--sliding-window 32768" in (work / name / "training_args.sh").read_text(), f"{name}: a window that the model uses")
    back = ["--model-type", "GPT", "--load-model-type", "mg", "--save-model-type", "hf"]
    # What it says to write is a command: also with a blank in the path.
    original = work / "the original"
    shutil.copytree(work / "hf", original)
    before = (original / "model.safetensors").read_bytes()
    done = convert("--load-dir", work / "mcore", "--save-dir", original, *back)
    step = shlex.split(done.stderr.partition(" say ")[2].partition(", else")[0])
    checks.equal((done.returncode, step), (2, ["--hf-cfg-dir", str(original), "--save-dir", str(original / "mg2hf")]), f"beside the original: {done.stderr}")
    done = convert("--load-dir", work / "mcore", *back, *step)
    if checks.expect(done.returncode == 0, f"below the original: {done.stderr}"):
        check_bits(checks, "below the original", original / "mg2hf", tensors)
    checks.expect((original / "model.safetensors").read_bytes() == before, "the original stays")


def main():
    checks = Checks()
    # PROPERTY_SHARE=N: of builds in which they take long, one N-th.
    cases = every_case() if "--long" in sys.argv[1:] else USUAL[::min(4, int(os.environ.get("PROPERTY_SHARE", "1")))]
    with temporary_directory() as directory:
        work = Path(directory)
        for number, case in enumerate(cases):
            check_case(checks, work / str(number), *case)
        for check in (check_formats, check_refused, check_launch, check_words):
            (work / check.__name__).mkdir()
            check(checks, work / check.__name__)
    checks.finish()


if __name__ == "__main__":
    main()
