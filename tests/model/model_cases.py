"""Runs the cases beside the mapping files, rules/models/cases/NAME.json, whose keys rules/models/README.md describes.

    model_cases.py [--update] [NAME...]
    model_cases.py --new NAME DIRECTORY [OPTION...]

--new writes a case with the config and the tensors of a Hugging Face checkpoint, and the options of a conversion that it can take; --tp 2
where none are given.

The plan of a case's conversion must be NAME.plan.txt (--update writes it: read the difference before you commit it), and the weights
must come back unchanged from MindSpeed-LLM's layout, from that of Transformer Engine, and from torch_dist. The program reads the
mapping files of this directory, so that a changed mapping file needs no build.
"""

import functools
import json
import re
import shutil
import struct
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, run, temporary_directory, tool  # noqa: E402
from json_schema import problems  # noqa: E402
from json_text import laid_out, read  # noqa: E402
from checkpoints import Tensor, crc_filled, megatron_files, read_safetensors, read_torch_file, write_safetensors  # noqa: E402

CASES = ROOT / "rules/models/cases"
CASE_SCHEMA = json.loads((ROOT / "rules/schema/model_case.schema.json").read_text())
MODEL_SCHEMA = json.loads((ROOT / "rules/schema/model.schema.json").read_text())
# What some checkpoints call the copies of the head that layers for multi-token prediction have; the second kind is never written.
HEAD_COPIES = (".shared_head.output.weight", ".shared_head.head.weight")
LAYOUTS = {"mindspeed": ["--tp", "2", "--pp", "2"], "te": ["--target", "mcore", "--tp", "2"],
           "dist": ["--target", "mcore", "--ckpt-format", "torch_dist"]}
# Of models with experts: each way to store and to deal them out.
EXPERT_LAYOUTS = {"ep": ["--tp", "2", "--pp", "2", "--ep", "2"], "packed": ["--tp", "2", "--ep", "2", "--moe-grouped-gemm"],
                  "whole": ["--tp", "2", "--ep", "4", "--etp", "1", "--moe-grouped-gemm"],
                  "extend": ["--tp", "2", "--ep", "2", "--moe-tp-extend-ep", "--moe-grouped-gemm"],
                  "te_grouped": ["--target", "mcore", "--ep", "2", "--moe-grouped-gemm"]}
# Of models with latent attention: what only the shapes tell apart, and what an option splits.
LATENT_LAYOUTS = {"te_old": ["--target", "mcore@0.12", "--tp", "2"], "split": ["--tp", "2", "--pp", "2", "--mla-mm-split"],
                  "mcore_local": ["--target", "mcore", "--transformer-impl", "local", "--tp", "2"]}


@functools.cache
def model_files():
    """A directory for --rules with the mapping files alone: every run reads all that is in it."""
    directory = tempfile.TemporaryDirectory()
    shutil.copytree(CASES.parent, Path(directory.name) / "models", ignore=shutil.ignore_patterns("cases", "*.md"))
    return directory


def ckpt_convert(*words):
    return run(tool("ckpt_convert"), "--rules", model_files().name, *words)


def layouts_for(case):
    """By name the options of the layouts that a model of the case's layers goes to."""
    layers = case.get("layers", [])
    layouts = {**LAYOUTS, **(EXPERT_LAYOUTS if "experts" in layers else {}), **(LATENT_LAYOUTS if "latent_attention" in layers else {})}
    return {name: unsplit(options) if "linear_attention" in layers else options for name, options in layouts.items()}


def unsplit(options):
    """Without TP for MindSpeed-LLM, which does not split linear attention."""
    at = None if "--target" in options or "--tp" not in options else options.index("--tp")
    return options if at is None else options[:at] + options[at + 2:]


def write_checkpoint(case, directory):
    directory.mkdir()
    (directory / "config.json").write_text(json.dumps(case["config"]))
    (directory / "tokenizer.json").write_text("{}")
    tensors = {name: filled(name, shape) for name, shape in case["hf"].items()}
    for name, tensor in tensors.items():
        used = next((used for end, used in case.get("padding", {}).items() if name.endswith(end)), None)
        if used is not None:
            tensors[name] = Tensor(tensor.dtype, tensor.shape, tensor.data[:2 * used].ljust(len(tensor.data), bytes(1)))
        unused = next((unused for end, unused in case.get("unused", {}).items() if name.endswith(end)), 0)
        if unused > 0:
            tensors[name] = Tensor(tensor.dtype, tensor.shape, bytes(2 * unused) + tensor.data[2 * unused:])
    write_safetensors(directory / "model.safetensors", tensors)


def filled(name, shape):
    """Bits by name. Copies of the embedding and of the head are copies; what some layouts store less 1 is between 1/2 and 2, where nothing is lost."""
    if name.endswith(".embed_tokens.weight"):
        return crc_filled("model.embed_tokens.weight", shape)
    if name.endswith(HEAD_COPIES):
        return crc_filled("lm_head.weight", shape)
    tensor = crc_filled(name, shape)
    if not name.endswith(".linear_attn.norm.weight"):
        return tensor
    return Tensor(tensor.dtype, tensor.shape, bytes(0x3F if place % 2 else byte for place, byte in enumerate(tensor.data)))


def check_target_note(checks, name, case, said):
    """Who converts for a framework that lacks the model's layers is told which one has them."""
    mappings = [json.loads(path.read_text()) for path in (ROOT / "rules/models").glob("*.json")]
    kinds = set(re.findall(r'"model_type": "([^"]*)"', json.dumps(case["config"])))
    trained_by = {target for mapping in mappings if kinds & set(mapping["model_types"]) for target in mapping.get("trained_by", [])}
    options = [*case["options"], *case.get("take", [])]
    target = options[options.index("--target") + 1].split("@")[0] if "--target" in options else "mindspeed"
    is_wrong = bool(trained_by) and target not in trained_by
    checks.equal("note: MindSpeed-LLM has no layers for" in said, is_wrong, f"{name}: a note on the target")


def check_plan(checks, name, case, source, work, update):
    done = ckpt_convert("plan-conversion", "--show-plan", "--load-dir", source, "--save-dir", work / "none",
               *case["options"], *case.get("take", []))
    if not checks.expect(done.returncode == 0, f"{name}: {done.stdout}{done.stderr}"):
        return
    check_target_note(checks, name, case, done.stdout)
    plan = done.stdout[re.search(r"^(iter_|release/)", done.stdout, re.M).start():]
    golden = CASES / f"{name}.plan.txt"
    if update:
        golden.write_text(plan)
    checks.equal(plan, golden.read_text() if golden.exists() else "", f"{name}: the plan is not {golden.name}")


def check_layers(checks, name, case):
    """What a new case says of its layers is what the cases that are there say."""
    golden = CASES / f"{name}.plan.txt"
    plan = golden.read_text() if golden.exists() else ""
    checks.equal(layers_in(plan), [layers for layers in case.get("layers", []) if layers in LAYERS_BY_WEIGHT], f"{name}: layers, by the plan")


def check_round_trips(checks, name, case, source, work):
    expected = read_safetensors(source / "model.safetensors")
    for layout, options in layouts_for(case).items():
        middle, back = work / f"{name}_{layout}", work / f"{name}_{layout}_hf"
        refusal = case.get("refused", {}).get(layout)
        there = ckpt_convert("-q", "--load-dir", source, "--save-dir", middle, *options, *case.get("take", []))
        if refusal:
            checks.expect(there.returncode != 0 and refusal in there.stderr and not middle.exists(),
                          f"{name}, {layout}: not refused with {refusal!r}: {there.stderr}")
            continue
        fill = ["--vocab-fill", "last-row"] if "padding" in case else []  # which is not for the padding of other tensors
        again = ckpt_convert("-q", "--load-dir", middle, "--save-dir", back, *fill)
        if checks.expect(there.returncode == 0 and again.returncode == 0,
                         f"{name}, {layout}: {there.stderr}{again.stderr}"):
            if layout == "te":
                check_layer_lists(checks, name, middle, case["config"])
            found = read_safetensors(back / "model.safetensors")
            kept = {key: value for key, value in expected.items() if not key.endswith(("inv_freq", HEAD_COPIES[1]))}
            checks.equal(sorted(found), sorted(kept), f"{name}, {layout}: tensors that came back")
            checks.expect(found == kept, f"{name}, {layout}: the values changed")


def check_filled_padding(checks, name, case, source, work):
    """Padding that is not zero, and that no layout carries, is told of; padding that is zero is not."""
    if "padding" not in case:
        return
    said = "the padding of "
    plan = lambda directory: ckpt_convert("--dry-run", "--load-dir", directory, "--save-dir", work / "none", *case["options"])
    checks.expect(said not in plan(source).stdout, f"{name}: zeros are told of as padding")
    other = work / f"{name}_filled"
    write_checkpoint({key: value for key, value in case.items() if key != "padding"}, other)
    done = plan(other)
    ends = [name for name in case["hf"] if name.endswith(tuple(case["padding"]))]
    checks.expect(said + ends[0] in done.stdout.replace("\n", " "), f"{name}: nothing is said of {ends[0]}: {done.stdout}{done.stderr}")


def check_uncast(checks, name, case, source, work):
    """A float32 bias of the router stays what it is when everything else is cast."""
    tensors = read_safetensors(source / "model.safetensors")
    biases = {key: Tensor("F32", value.shape, value.data * 2) for key, value in tensors.items() if key.endswith(tuple(case["float32"]))}
    other, target = work / f"{name}_float", work / f"{name}_cast"
    other.mkdir()
    (other / "config.json").write_text((source / "config.json").read_text())
    write_safetensors(other / "model.safetensors", {**tensors, **biases})
    done = ckpt_convert("-q", "--load-dir", other, "--save-dir", target, "--params-dtype", "fp16", *case.get("take", []))
    if checks.expect(done.returncode == 0, f"{name}, cast: {done.stderr}"):
        (path,) = megatron_files(target).values()
        weights = read_torch_file(path)["model"]
        kept = {key: value for key, value in weights.items() if value.dtype == "F32"}
        checks.equal([key for key in weights if key.endswith("expert_bias")], list(kept), f"{name}, cast: what stays float32")
        checks.equal(sorted(value.data for value in kept.values()), sorted(value.data for value in biases.values()), f"{name}, cast: bits")


def check_layer_lists(checks, name, target, config):
    """A list for the layers is one for the decoder's layers, as Megatron asks, and is there when they differ."""
    content = read_torch_file(megatron_files(target).popitem()[1])
    arguments = vars(content["args"])
    lists = {key: value for key, value in arguments.items() if key.endswith("_freq") and isinstance(value, list)}
    for key, value in lists.items():
        checks.equal(len(value), arguments["num_layers"], f"{name}: {key} has an entry per layer")
    kinds = {".mlp.router.weight", ".mlp.linear_fc2.weight"}
    layers = {kind: any(key.startswith("decoder.layers.") and key.endswith(kind) for key in content["model"]) for kind in kinds}
    if "hybrid_override_pattern" in arguments:  # says it with a letter for each layer
        kinds = {"linear_attention": "M", "full_attention": "*", "mlp": "-", "moe": "E"}
        wanted = config.get("hybrid_override_pattern") or "".join(kinds[kind] for kind in config["layers_block_type"])
        checks.equal(arguments["hybrid_override_pattern"], wanted, f"{name}: the pattern of the layers")
        return
    checks.equal("moe_layer_freq" in lists, all(layers.values()), f"{name}: moe_layer_freq is a list when layers differ")


def values_of(tensor):
    """Of a bfloat16 tensor, as floats."""
    return [struct.unpack("<f", b"\0\0" + tensor.data[at:at + 2])[0] for at in range(0, len(tensor.data), 2)]


def check_linear_attention(checks, name, source, work):
    """Upstream Megatron has the norm of linear attention less 1; MindSpeed-LLM does not split linear attention."""
    tensors = read_safetensors(source / "model.safetensors")
    norms = [key for key in tensors if re.fullmatch(r"model\.layers\.\d+\.linear_attn\.norm\.weight", key)]
    checks.expect(norms, f"{name}: no norm of linear attention")
    target = work / f"{name}_norms"
    done = ckpt_convert("-q", "--load-dir", source, "--save-dir", target, "--target", "mcore")
    if checks.expect(done.returncode == 0, f"{name}, norms: {done.stderr}"):
        weights = read_torch_file(megatron_files(target).popitem()[1])["model"]
        for key in norms:
            stored = weights[f"decoder.layers.{key.split('.')[2]}.self_attention.out_norm.weight"]
            checks.equal(values_of(stored), [value - 1 for value in values_of(tensors[key])], f"{name}: {key}")
    done = ckpt_convert("-q", "--load-dir", source, "--save-dir", work / "none", "--tp", "2")
    checks.expect(done.returncode == 2 and "needs tp == 1 here: MindSpeed-LLM does not split" in done.stderr,
                  f"{name}: TP for MindSpeed-LLM: {done.returncode} {done.stderr}")


def fused_experts(tensors):
    """The same with one tensor for all experts of a layer, as newer Hugging Face files may have it."""
    fused, parts = {}, {}
    for name, tensor in tensors.items():
        match = re.fullmatch(r"(.*)\.(?:mlp|block_sparse_moe)\.experts\.(\d+)\.(gate_proj|w1|up_proj|w3|down_proj|w2)\.weight", name)
        if not match:
            fused[name.replace(".block_sparse_moe.", ".mlp.")] = tensor
            continue
        layer, expert, role = match[1], int(match[2]), match[3]
        half = {"gate_proj": 0, "w1": 0, "up_proj": 1, "w3": 1}.get(role)
        name = f"{layer}.mlp.experts.{'down_proj' if half is None else 'gate_up_proj'}"
        parts.setdefault(name, {})[expert, half or 0] = tensor
    for name, pieces in parts.items():
        experts, halves = (1 + max(key[axis] for key in pieces) for axis in (0, 1))
        rows, columns = pieces[0, 0].shape
        data = b"".join(pieces[key].data for key in sorted(pieces))
        fused[name] = Tensor("BF16", (experts, halves * rows, columns), data)
    return fused


def transposed(tensor):
    """Each matrix of a bfloat16 tensor of matrices."""
    count, rows, columns = tensor.shape
    order = ((matrix * rows + row) * columns + column for matrix in range(count) for column in range(columns) for row in range(rows))
    return Tensor(tensor.dtype, (count, columns, rows), b"".join(tensor.data[2 * place:2 * place + 2] for place in order))


def check_fused(checks, name, case, source, work):
    """From fused experts comes what comes from a tensor per expert; also from transposed ones, which only their shapes tell apart."""
    fused = fused_experts(read_safetensors(source / "model.safetensors"))
    ways = {"fused": lambda tensor: tensor, "columns": transposed}
    for way in case["experts_as"]:
        tensors = {key: ways[way](tensor) if ".experts." in key else tensor for key, tensor in fused.items()}
        other = work / f"{name}_{way}"
        other.mkdir()
        (other / "config.json").write_text((source / "config.json").read_text())
        write_safetensors(other / "model.safetensors", tensors)
        done = ckpt_convert("verify", other, "--against", source)
        checks.expect(done.returncode == 0, f"{name}: {way} experts: {done.stdout}{done.stderr}")


def check_other_copy(checks, name, case, source, work):
    """What layers for multi-token prediction have copies of, with other values: a head is refused unless it is left out, an
    embedding is carried where Megatron has a place for it."""
    tensors = read_safetensors(source / "model.safetensors")
    layers = [key for key in tensors if key.endswith(".eh_proj.weight")]
    heads = [key for key in tensors if key.endswith(HEAD_COPIES)]
    embeddings = [key for key in tensors if key.endswith(".embed_tokens.weight") and ".layers." in key]
    if not layers or not heads + embeddings:
        return

    def convert(what, copies, *options):
        other, target = work / f"{name}_other_{what}", work / f"{name}_other_{what}_megatron"
        other.mkdir()
        (other / "config.json").write_text((source / "config.json").read_text())
        # All layers have the same copy, as Megatron has one for all.
        changed = {key: crc_filled(copies[0], tensors[key].shape) for key in copies}
        write_safetensors(other / "model.safetensors", {**tensors, **changed})
        done = ckpt_convert("-q", "--load-dir", other, "--save-dir", target, *case.get("take", []), *options)
        return {**tensors, **changed}, target, done

    if heads:
        _, target, done = convert("head", heads)
        checks.expect(done.returncode == 5 and f"{heads[0]} has other values than head" in done.stderr and not target.exists(),
                      f"{name}, another head: {done.stderr}")
        _, target, done = convert("head_left", heads, "--leave-out", "*" + heads[0][heads[0].index(".shared_head"):])
        checks.expect(done.returncode == 0, f"{name}, another head left out: {done.stderr}")
    for what, options, refusal in (("one_stage", [], "last of several pipeline stages"),
                                   ("dist", ["--target", "mcore", "--ckpt-format", "torch_dist"], "torch_dist has no place")):
        if embeddings:
            _, target, done = convert(what, embeddings, *options)
            checks.expect(done.returncode == 2 and refusal in done.stderr and not target.exists(), f"{name}, {what}: {done.stderr}")
    if embeddings:
        changed, target, done = convert("embedding", embeddings, "--pp", "2")
        back = work / f"{name}_embedding_back"
        again = ckpt_convert("-q", "--load-dir", target, "--save-dir", back)
        if checks.expect(done.returncode == 0 and again.returncode == 0, f"{name}, another embedding: {done.stderr}{again.stderr}"):
            kept = {key: value for key, value in changed.items() if not key.endswith(HEAD_COPIES[1])}
            checks.expect(read_safetensors(back / "model.safetensors") == kept, f"{name}, another embedding: not carried")


def check_leave_out(checks, name, source, work):
    """Tensors without a place are refused, unless the user asks for it; those that the model needs are taken all the same."""
    other = work / f"{name}_more"
    other.mkdir()
    (other / "config.json").write_text((source / "config.json").read_text())
    tensors = read_safetensors(source / "model.safetensors")
    write_safetensors(other / "model.safetensors", {**tensors, "model.more.0.weight": crc_filled("more", [4])})
    refused = ckpt_convert("-q", "--load-dir", other, "--save-dir", work / f"{name}_refused")
    checks.expect(refused.returncode == 4 and "model.more.0.weight" in refused.stderr and "--leave-out" in refused.stderr,
                  f"{name}: {refused.stderr}")
    target, back = work / f"{name}_less", work / f"{name}_less_back"
    done = ckpt_convert("--load-dir", other, "--save-dir", target, "--leave-out", "model.m*", "--leave-out", "model.l*")
    checks.expect(done.returncode == 0 and '1 source tensor is left out: --leave-out "model.m*"' in done.stdout + done.stderr,
                  f"{name}: {done.stdout}{done.stderr}")
    done = ckpt_convert("-q", "--load-dir", target, "--save-dir", back)
    checks.expect(done.returncode == 0 and read_safetensors(back / "model.safetensors") == tensors, f"{name}, less: {done.stderr}")


# What the names of weights in a plan say of a model's layers.
LAYERS_BY_WEIGHT = {"experts": r"\blayers\.\d+\.experts\.\w+\.\d", "latent_attention": r"\blayers\.\d+\.attention\d?\.kv_down\b"}


def layers_in(plan):
    return [layers for layers, weight in LAYERS_BY_WEIGHT.items() if re.search(weight, plan)]


def write_case(name, directory, *options):
    """A case of the checkpoint, which a person completes."""
    listing = ckpt_convert("inspect", "--json", directory)
    options = list(options) or ["--tp", "2"]
    plan = ckpt_convert("plan-conversion", "--show-plan", "--load-dir", directory, "--save-dir", f"{directory}-mcore", *options)
    for done in (listing, plan):
        if done.returncode != 0:
            raise SystemExit(done.stderr)
    config = read((Path(directory) / "config.json").read_text())
    tensors = {one["name"]: one["shape"] for one in json.loads(listing.stdout)["tensors"]}
    layers = layers_in(plan.stdout)
    case = {"config": config, "options": options, "tensors_of": "the code that comes with the model",
            **({"layers": layers} if layers else {}), "hf": tensors}
    path = CASES / f"{name}.json"
    path.write_text(laid_out(case))
    print(f"Written: {path.relative_to(ROOT)}\nSay in tensors_of who says so; then: python3 tests/model/model_cases.py --update {name}")


def main():
    if sys.argv[1:2] == ["--new"]:
        write_case(*sys.argv[2:])
        return
    update = "--update" in sys.argv
    wanted = [argument for argument in sys.argv[1:] if argument != "--update"]
    checks = Checks()
    with temporary_directory() as directory:
        for path in sorted(CASES.glob("*.json")):
            name = path.stem
            if wanted and name not in wanted:
                continue
            case = json.loads(path.read_text())
            wrong = problems(case, CASE_SCHEMA)
            if not checks.expect(not wrong, f"{name}.json: {'; '.join(wrong)}; rules/models/README.md describes the keys"):
                continue
            source = Path(directory) / name
            write_checkpoint(case, source)
            check_plan(checks, name, case, source, Path(directory), update)
            check_layers(checks, name, case)
            check_round_trips(checks, name, case, source, Path(directory))
            if "experts_as" in case:
                check_fused(checks, name, case, source, Path(directory))
            check_filled_padding(checks, name, case, source, Path(directory))
            if "float32" in case:
                check_uncast(checks, name, case, source, Path(directory))
            if case.get("leave_out"):
                check_leave_out(checks, name, source, Path(directory))
            check_other_copy(checks, name, case, source, Path(directory))
            if "linear_attention" in case.get("layers", []):
                check_linear_attention(checks, name, source, Path(directory))
    for path in sorted([*CASES.parent.glob("*.json"), *CASES.parent.glob("blocks/*.json")]):
        wrong = problems(json.loads(path.read_text()), MODEL_SCHEMA)
        checks.expect(not wrong, f"{path.name} against rules/schema/model.schema.json: {'; '.join(wrong)}")
    families = {line.split()[0] for line in ckpt_convert("models", "list").stdout.splitlines()
                if not line.startswith(" ")}
    covered = {path.stem for path in CASES.glob("*.json")}
    checks.equal(sorted(family for family in families if family not in covered), [], "families without a case")
    checks.finish()


if __name__ == "__main__":
    main()
