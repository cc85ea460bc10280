"""Gives ckpt_convert bad input and bad command lines.

    ckpt_convert_cli.py [NAME...]

Each case must end with the documented exit code and one clear message on standard error that names the culprit, and
must leave everything on the disk as it was.
"""

import hashlib
import json
import os
import shutil
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import Checks, make_tiny, run, run_ok, temporary_directory, tool  # noqa: E402
from checkpoints import Tensor, read_safetensors, write_safetensors, write_zero_run  # noqa: E402

USAGE, BAD_INPUT, UNSUPPORTED, WRITE_FAILED = 2, 4, 5, 6  # docs/reference/exit-codes.md

CASES = {}


def case(code, *mentions):
    """Registers a case: a function that spoils the input in `work` and may give other arguments for the tool."""
    def register(function):
        CASES[function.__name__] = (code, mentions, function)
        return function
    return register


def standard(work, **changed):
    options = {"load-dir": work / "hf", "save-dir": work / "out", "tp": 2, "pp": 2, **changed}
    arguments = []
    for name, value in options.items():
        if value is not None:
            arguments += [f"--{name}", value]
    return arguments


def first_shard(work):
    return sorted((work / "hf").glob("*.safetensors"))[0]


def change_config(work, **changes):
    path = work / "hf/config.json"
    config = json.loads(path.read_text())
    for key, value in changes.items():
        if value is None:
            del config[key]
        else:
            config[key] = value
    path.write_text(json.dumps(config))


def change_header(path, change):
    """Rewrites the header of a safetensors file; the bytes behind it stay."""
    content = path.read_bytes()
    (length,) = struct.unpack_from("<Q", content)
    header = json.loads(content[8:8 + length])
    change(header)
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + content[8 + length:])


def replace_in_zip(path, change, compression=zipfile.ZIP_STORED):
    """Writes a zip anew; `change` maps (name, content) to the content to store, or None to leave the member out."""
    with zipfile.ZipFile(path) as archive:
        members = [(name, archive.read(name)) for name in archive.namelist()]
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in members:
            changed = change(name, content)
            if changed is not None:
                archive.writestr(name, changed)


# The command line.


@case(USAGE, "load-dir")
def no_load_dir(work):
    return standard(work, **{"load-dir": None})


@case(USAGE, "save-dir")
def no_save_dir(work):
    return standard(work, **{"save-dir": None})


@case(USAGE, "no-such-option")
def unknown_option(work):
    return standard(work) + ["--no-such-option", "1"]


@case(USAGE, "tp")
def tp_is_zero(work):
    return standard(work, tp=0)


@case(USAGE, "experts")
def experts_of_a_dense_model(work):
    return standard(work, ep=2)


@case(USAGE, "moe-tp-extend-ep")
def experts_dealt_out_in_two_ways(work):
    return standard(work, etp=1) + ["--moe-tp-extend-ep"]


@case(USAGE, "tp")
def tp_is_no_number(work):
    return standard(work, tp="two")


@case(USAGE, "3")
def tp_does_not_divide_the_heads(work):
    return standard(work, tp=3, pp=1)


@case(USAGE, "511")
def tp_does_not_divide_the_vocabulary(work):
    # 511 rows of 512: the heads divide, the vocabulary does not.
    change_config(work, vocab_size=511)
    for path in (work / "hf").glob("*.safetensors"):
        tensors = read_safetensors(path)
        for name in ("model.embed_tokens.weight", "lm_head.weight"):
            if name in tensors:
                rows, columns = tensors[name].shape
                tensors[name] = Tensor("BF16", (rows - 1, columns), tensors[name].data[:(rows - 1) * columns * 2])
        write_safetensors(path, tensors)
    index = work / "hf/model.safetensors.index.json"
    stated = json.loads(index.read_text())
    stated["metadata"]["total_size"] -= 2 * 256 * 2
    index.write_text(json.dumps(stated))


@case(USAGE, "3")
def pp_does_not_divide_the_layers(work):
    return standard(work, tp=1, pp=3)


@case(USAGE, "out")
def output_is_not_empty(work):
    (work / "out").mkdir()
    (work / "out/keep.txt").write_text("mine")


@case(USAGE, "hf")
def output_is_the_input(work):
    return standard(work, **{"save-dir": work / "hf"})


@case(USAGE, "out")
def output_is_a_file(work):
    (work / "out").write_text("mine")


# The input directory.


@case(BAD_INPUT, "nowhere")
def missing_path(work):
    return standard(work, **{"load-dir": work / "nowhere"})


@case(BAD_INPUT, "hf")
def empty_directory(work):
    shutil.rmtree(work / "hf")
    (work / "hf").mkdir()


@case(BAD_INPUT, "config.json")
def input_without_config(work):
    (work / "hf/config.json").unlink()


@case(BAD_INPUT, "hf")
def config_and_no_weights(work):
    for path in (work / "hf").glob("model*"):
        path.unlink()


@case(BAD_INPUT, "model-00002-of-00002.safetensors")
def index_names_a_missing_shard(work):
    (work / "hf/model-00002-of-00002.safetensors").unlink()


@case(BAD_INPUT, "model.embed_tokens.weight")
def index_names_a_tensor_its_shard_lacks(work):
    index = work / "hf/model.safetensors.index.json"
    stated = json.loads(index.read_text())
    shards = sorted(set(stated["weight_map"].values()))
    name = "model.embed_tokens.weight"
    stated["weight_map"][name] = next(shard for shard in shards if shard != stated["weight_map"][name])
    index.write_text(json.dumps(stated))


@case(BAD_INPUT, "model.safetensors.index.json")
def index_leaves_the_directory(work):
    index = work / "hf/model.safetensors.index.json"
    stated = json.loads(index.read_text())
    for name in stated["weight_map"]:
        stated["weight_map"][name] = "../" + stated["weight_map"][name]
    index.write_text(json.dumps(stated))


# config.json.


@case(BAD_INPUT, "config.json")
def config_is_not_json(work):
    (work / "hf/config.json").write_text("{'hidden_size': 256}")


@case(BAD_INPUT, "config.json")
def config_is_an_array(work):
    (work / "hf/config.json").write_text("[]")


@case(BAD_INPUT, "num_attention_heads")
def config_lacks_a_key(work):
    change_config(work, num_attention_heads=None)


@case(BAD_INPUT, "hidden_size")
def config_has_a_string_for_a_number(work):
    change_config(work, hidden_size="256")


@case(BAD_INPUT, "must be a whole number, not -4")
def config_has_a_negative_number(work):
    change_config(work, num_hidden_layers=-4)


@case(BAD_INPUT, "layers")
def config_has_absurdly_many_layers(work):
    change_config(work, num_hidden_layers=2_000_000_000)


@case(BAD_INPUT, "4611686018427387904")
def config_has_a_size_whose_products_overflow(work):
    change_config(work, hidden_size=1 << 62)


@case(UNSUPPORTED, "unheard_of")
def unknown_family(work):
    change_config(work, model_type="unheard_of", architectures=["UnheardOfForCausalLM"])


@case(BAD_INPUT, "model.layers")
def config_has_more_layers_than_the_files(work):
    change_config(work, num_hidden_layers=6)


@case(BAD_INPUT, "mlp")
def config_disagrees_with_a_shape(work):
    change_config(work, intermediate_size=512)


# safetensors.


@case(BAD_INPUT, "model-00001-of-00002.safetensors")
def truncated_safetensors(work):
    os.truncate(first_shard(work), first_shard(work).stat().st_size - 100)


@case(BAD_INPUT, "model-00001-of-00002.safetensors")
def safetensors_of_four_bytes(work):
    os.truncate(first_shard(work), 4)


@case(BAD_INPUT, "model-00001-of-00002.safetensors")
def safetensors_header_larger_than_the_file(work):
    content = first_shard(work).read_bytes()
    first_shard(work).write_bytes(struct.pack("<Q", 1 << 62) + content[8:])


@case(BAD_INPUT, "model-00001-of-00002.safetensors")
def git_lfs_pointer_for_a_shard(work):
    first_shard(work).write_text("version https://git-lfs.github.com/spec/v1\n"
                                 f"oid sha256:{'0' * 64}\nsize 3215984\n")


@case(BAD_INPUT, "config.json: this is a Git LFS pointer")
def git_lfs_pointer_for_the_config(work):
    (first_shard(work).parent / "config.json").write_text(f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 700\n")


@case(BAD_INPUT, "config.json: this is a web page")
def web_page_for_the_config(work):
    (first_shard(work).parent / "config.json").write_text("\n<!DOCTYPE html>\n<html><body>Sign in</body></html>\n")


@case(BAD_INPUT, "config.json: the file is empty; download it again")
def nothing_for_the_config(work):
    (first_shard(work).parent / "config.json").write_bytes(b"\n")


@case(BAD_INPUT, "config.json: this is compressed with gzip")
def gzip_for_the_config(work):
    (first_shard(work).parent / "config.json").write_bytes(b"\x1f\x8b\x08\x00\x00\x00\x00\x00")


@case(BAD_INPUT, "model.safetensors.index.json: this is a web page")
def web_page_for_the_index(work):
    (first_shard(work).parent / "model.safetensors.index.json").write_text("<html>Sign in</html>\n")


@case(BAD_INPUT, "model.safetensors.index.json: this is a Git LFS pointer")
def git_lfs_pointer_for_the_index(work):
    (first_shard(work).parent / "model.safetensors.index.json").write_text(f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 700\n")


@case(BAD_INPUT, "model-00001-of-00002.safetensors")
def safetensors_offsets_overlap(work):
    def overlap(header):
        names = [name for name in header if name != "__metadata__"]
        same = [name for name in names if header[name]["shape"] == header[names[-1]]["shape"]]
        header[same[0]]["data_offsets"] = header[same[-1]]["data_offsets"]
    change_header(first_shard(work), overlap)


@case(BAD_INPUT, "model-00001-of-00002.safetensors")
def safetensors_shape_overflows(work):
    def overflow(header):
        header[[name for name in header if name != "__metadata__"][0]]["shape"] = [2, 1 << 63]
    change_header(first_shard(work), overflow)


@case(BAD_INPUT, "model-00001-of-00002.safetensors")
def garbage_behind_the_tensors(work):
    with open(first_shard(work), "ab") as file:
        file.write(b"more")


# PyTorch's zips. The input is a single pytorch_model.bin.


def single_bin(work):
    return work / "bin/pytorch_model.bin"


@case(UNSUPPORTED, "system")
def pickle_names_os_system(work):
    attack = b"\x80\x02cos\nsystem\nX\x10\x00\x00\x00touch pwned.txt \x85R."
    replace_in_zip(single_bin(work), lambda name, content: attack if name.endswith("data.pkl") else content)
    return standard(work, **{"load-dir": work / "bin"})


@case(BAD_INPUT, "pytorch_model.bin")
def pickle_is_cut_off(work):
    replace_in_zip(single_bin(work), lambda name, content: content[:-20] if name.endswith("data.pkl") else content)
    return standard(work, **{"load-dir": work / "bin"})


@case(BAD_INPUT, "pytorch_model.bin")
def zip_is_truncated(work):
    os.truncate(single_bin(work), 5000)
    return standard(work, **{"load-dir": work / "bin"})


@case(BAD_INPUT, "pytorch_model.bin")
def zip_is_compressed(work):
    replace_in_zip(single_bin(work), lambda name, content: content, zipfile.ZIP_DEFLATED)
    return standard(work, **{"load-dir": work / "bin"})


@case(BAD_INPUT, "pytorch_model.bin")
def zip_lacks_a_storage(work):
    replace_in_zip(single_bin(work), lambda name, content: None if name.endswith("data/1") else content)
    return standard(work, **{"load-dir": work / "bin"})


# Megatron checkpoints as input.


def from_megatron(work):
    return standard(work, **{"load-dir": work / "mg", "tp": None, "pp": None, "hf-cfg-dir": work / "hf"})


def rank_file(work, rank="mp_rank_01_001"):
    return next((work / "mg").glob(f"*/{rank}/model_optim_rng.pt"))


@case(BAD_INPUT, "mp_rank_01_001")
def megatron_rank_is_missing(work):
    shutil.rmtree(rank_file(work).parent)
    return from_megatron(work)


@case(BAD_INPUT, "latest_checkpointed_iteration.txt")
def megatron_tracker_is_no_number(work):
    (work / "mg/latest_checkpointed_iteration.txt").write_text("soon")
    return from_megatron(work)


@case(BAD_INPUT, "iter_0000099")
def megatron_iteration_is_missing(work):
    (work / "mg/latest_checkpointed_iteration.txt").write_text("99")
    return from_megatron(work)


@case(BAD_INPUT, "mp_rank_01_001")
def megatron_file_is_truncated(work):
    os.truncate(rank_file(work), 5000)
    return from_megatron(work)


@case(UNSUPPORTED, "system")
def megatron_pickle_names_os_system(work):
    attack = b"\x80\x02cposix\nsystem\nX\x10\x00\x00\x00touch pwned.txt \x85R."
    replace_in_zip(rank_file(work), lambda name, content: attack if name.endswith("data.pkl") else content)
    return from_megatron(work)


@case(USAGE, "--optimizer keep", "--to mcore, dcp, dtensor, universal, zero")
def optimizer_for_hugging_face(work):
    return from_megatron(work) + ["--optimizer", "keep"]


def zero_run(work, *options, steps=(3, 3)):
    source = work / "zero_run"
    write_zero_run(source, {"a.weight": (3, 2)}, {"b.weight": (5,)}, steps=steps)
    return [source, work / "zero_out", *options]


@case(USAGE, "--to zero: --world says how many ranks load a file each")
def zero_without_a_world(work):
    return zero_run(work, "--to", "zero", "--stage", "1")


@case(USAGE, "--to zero: --stage 1, 2 or 3 says how the run shares its state")
def zero_without_a_stage(work):
    return zero_run(work, "--to", "zero", "--world", "2")


@case(USAGE, "--stage is for --to zero")
def stage_of_another_output(work):
    return zero_run(work, "--to", "universal", "--stage", "2")


@case(USAGE, "--stage")
def stage_of_no_zero(work):
    return zero_run(work, "--to", "zero", "--world", "2", "--stage", "4")


@case(USAGE, "--to zero: such a checkpoint is what a run goes on from")
def zero_without_the_optimizer(work):
    return zero_run(work, "--to", "zero", "--world", "2", "--stage", "2", "--optimizer", "drop")


@case(UNSUPPORTED, "a run in fp16 needs the scale of its losses", "--to universal")
def third_stage_in_half_precision(work):
    return zero_run(work, "--to", "zero", "--world", "2", "--stage", "3", "--params-dtype", "fp16")


@case(UNSUPPORTED, "has gone 5 steps, other parameters 3", "--optimizer-step max", "--optimizer drop")
def parameters_of_different_steps(work):
    return zero_run(work, "--to", "universal", steps=(3, 5))


@case(BAD_INPUT, "mp_rank_00_000/model_optim_rng.pt", "--optimizer drop")
def optimizer_of_a_checkpoint_without_one(work):
    return from_megatron(work) + ["--optimizer", "keep", "--save-model-type", "mg"]


@case(USAGE, "--optimizer", "some")
def optimizer_is_neither_kept_nor_dropped(work):
    return from_megatron(work) + ["--optimizer", "some", "--save-model-type", "mg"]


@case(USAGE, "--names", "torchtitan")
def names_of_nobody(work):
    return [work / "hf", work / "out", "--to", "dcp", "--names", "nobody"]


@case(USAGE, "--names is for --to dcp")
def names_for_hugging_face(work):
    return from_megatron(work) + ["--to", "hf", "--names", "torchtitan"]


@case(USAGE, "--to megatron-fsdp", "its tensors are whole")
def sizes_for_whole_tensors(work):
    return [work / "hf", work / "out", "--to", "megatron-fsdp", "--tp", "2"]


@case(BAD_INPUT, "pytorch_model_fsdp.bin")
def full_state_of_fsdp_is_no_file_of_torch(work):
    for path in (work / "hf").glob("model*"):
        path.unlink()
    (work / "hf/pytorch_model_fsdp.bin").write_bytes(b"nothing")
    return standard(work)


@case(BAD_INPUT, "param_name_map.json")
def map_of_names_is_no_json(work):
    (work / "hf/model.safetensors.index.json").unlink(missing_ok=True)
    (work / "hf/param_name_map.json").write_text("{")
    return standard(work)


# Formats that are not read: named, with what reads them.


def instead_of_weights(work, *names, content=b""):
    for path in (work / "hf").glob("model*"):
        path.unlink()
    for name in names:
        path = work / "hf" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


@case(UNSUPPORTED, "GGUF", "gguf_file", "q4.gguf")
def gguf(work):
    instead_of_weights(work, "q4.gguf", content=b"GGUF\3")


@case(BAD_INPUT, "the save", "which the tracker names")
def zero_of_deepspeed(work):
    instead_of_weights(work, "latest", "global_step3/bf16_zero_pp_rank_0_mp_rank_00_optim_states.pt",
                       "global_step3/mp_rank_00_model_states.pt", "zero_to_fp32.py")


@case(BAD_INPUT, ".metadata", "cut off")
def torch_distributed_checkpoint(work):
    instead_of_weights(work, ".metadata", "__0_0.distcp")


@case(BAD_INPUT, "the file of rank 1 of 2 is missing")
def dtensors_of_verl(work):
    instead_of_weights(work, "latest_checkpointed_iteration.txt", "global_step_4/actor/model_world_size_2_rank_0.pt")
    (work / "hf/latest_checkpointed_iteration.txt").write_text("4")


@case(UNSUPPORTED, "NeMo", "export_ckpt")
def nemo(work):
    instead_of_weights(work, "model.nemo")
    return ["verify", work / "hf"]


@case(UNSUPPORTED, "GPTQ", "config.json")
def gptq(work):
    change_config(work, quantization_config={"quant_method": "gptq", "bits": 4})


# Looking only.


@case(BAD_INPUT, "nowhere")
def inspect_missing_path(work):
    return ["inspect", work / "nowhere"]


@case(BAD_INPUT, "config.json")
def inspect_something_else(work):
    return ["inspect", work / "hf/config.json"]


@case(UNSUPPORTED, "system")
def inspect_pickle_names_os_system(work):
    pickle_names_os_system(work)
    return ["inspect", work / "bin"]


@case(USAGE, "PATH")
def inspect_nothing(work):
    return ["inspect"]


@case(BAD_INPUT, "text.pt", "like a text")
def inspect_a_text_called_pt(work):
    (work / "text.pt").write_text("epoch: 3")
    return ["inspect", work / "text.pt"]


@case(BAD_INPUT, "num_hidden_layers", "a list")
def config_has_a_list_of_layers(work):
    change_config(work, num_hidden_layers=[4])


@case(BAD_INPUT, "conversion_manifest.json")
def verify_with_a_damaged_manifest(work):
    (work / "mg/conversion_manifest.json").write_text("{")
    return ["verify", work / "mg"]


def snapshot(directory):
    """Everything below a directory: path -> digest of the content, or the kind of entry."""
    found = {}
    for path in sorted(directory.rglob("*")):
        key = str(path.relative_to(directory))
        found[key] = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "directory"
    return found


def check_case(checks, name, work):
    code, mentions, spoil = CASES[name]
    arguments = spoil(work) or standard(work)
    before = snapshot(work)
    done = run(tool("ckpt_convert"), *arguments, cwd=work, seconds=60)
    checks.equal(done.returncode, code, f"{name}: exit code ({done.stderr.strip()[:300]})")
    lines = done.stderr.splitlines()
    errors = [line for line in lines if line.startswith("ckpt_convert: error: ")]
    checks.equal(len(errors), 1, f"{name}: number of messages on standard error ({done.stderr.strip()[:600]})")
    message = errors[0] if errors else ""
    for word in mentions:
        checks.expect(word in message, f"{name}: the message does not say \"{word}\": {message}")
    checks.expect(len(message) < 1000, f"{name}: the message has {len(message)} characters")
    after = snapshot(work)
    changed = sorted(key for key in before.keys() | after.keys() if before.get(key) != after.get(key))
    checks.equal(changed, [], f"{name}: files that the failed run changed")
    return message


def check_full_disk(checks, clean):
    """Output that cannot be written is an error of every command, and never hides that of the run."""
    convert = tool("ckpt_convert")
    for arguments, code in (
        (["--help"], WRITE_FAILED), (["--version"], WRITE_FAILED), (["models"], WRITE_FAILED), (["models", "show", "llama2"], WRITE_FAILED),
        (["inspect", clean / "hf"], WRITE_FAILED), (["--json", "inspect", clean / "hf"], WRITE_FAILED), (["verify", clean / "mg"], WRITE_FAILED),
        ([*standard(clean), "--dry-run"], WRITE_FAILED), ([*standard(clean), "--dry-run", "--json"], WRITE_FAILED),
        (["--json", "verify", clean / "nowhere"], BAD_INPUT),
    ):
        with open("/dev/full", "w") as full:
            done = subprocess.run([convert, *map(str, arguments)], stdout=full, stderr=subprocess.PIPE, text=True)
        checks.equal(done.returncode, code, f"to a full disk: {arguments}: {done.stderr}")
        if code == WRITE_FAILED:
            checks.equal(done.stderr, "ckpt_convert: error: cannot write to standard output\n", f"to a full disk: {arguments}")


def check_error_events(checks, clean):
    """A run with --json that fails ends with an event that says what a run without says on standard error."""
    for arguments, code in ((standard(clean, tp=3, pp=1), USAGE), (standard(clean, **{"load-dir": clean / "nowhere"}), BAD_INPUT),
                            (["verify", clean / "nowhere"], BAD_INPUT), (["inspect", clean / "nowhere"], BAD_INPUT),
                            (["--no-such-option"], USAGE)):
        done = run(tool("ckpt_convert"), "--json", *arguments)
        event = json.loads(done.stdout.splitlines()[-1])
        checks.equal((done.returncode, event["event"], event["exit_code"]), (code, "error", code), f"--json {arguments}")
        where = f"{event['where']}: " if event["where"] else ""
        checks.equal(done.stderr, f"ckpt_convert: error: {where}{event['message']}\n", f"--json {arguments}")


def check_verification(checks, clean):
    """A file that is not as its manifest says: exit code 1, all of them named."""
    shutil.copytree(clean / "mg", clean / "damaged")
    work = clean.parent
    damaged = sorted((clean / "damaged").glob("*/*/model_optim_rng.pt"))[:2]
    for path in damaged:
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 4
        path.write_bytes(content)
    done = run(tool("ckpt_convert"), "--json", "verify", clean / "damaged", cwd=work)
    checks.equal(done.returncode, 1, f"verify of damaged files: {done.stderr}")
    said = json.loads(done.stdout)
    found = {one["tensor"] for one in said["differences"] if "conversion_manifest.json says" in one["what"]}
    checks.equal(found, {str(path.relative_to(clean / "damaged")) for path in damaged}, "the files that verify names")
    content = said["content"]
    checks.equal(content["proven"], content["files"] - len(damaged), "the files that are proven all the same")
    sound = run(tool("ckpt_convert"), "verify", clean / "mg")
    checks.equal(sound.returncode, 0, sound.stderr)
    checks.expect(sound.stdout.startswith("structurally complete: Megatron TP 2 x PP 2"), sound.stdout)
    shutil.rmtree(clean / "damaged")


def check_broken_companions(checks, clean):
    """A tokenizer that is a pointer or a web page is named, and the weights are converted all the same."""
    work = clean.parent / "companions"
    shutil.copytree(clean / "hf", work / "hf")
    (work / "hf/tokenizer.json").write_text("<html></html>\n")
    (work / "hf/vocab.json").write_text(f"version https://git-lfs.github.com/spec/v1\noid sha256:{'0' * 64}\nsize 700\n")
    done = run(tool("ckpt_convert"), *standard(work))
    checks.equal(done.returncode, 0, done.stderr)
    said = done.stdout + done.stderr
    for words in ("tokenizer.json is a web page", "vocab.json is a Git LFS pointer"):
        checks.equal(said.count(words), 1, f"broken companions: {words} in {said}")
    checks.equal(said.count("copied as it is"), 2, f"broken companions: no other is named: {said}")
    shutil.rmtree(work)


def training(work, *more):
    return ["plan", work / "hf", "--devices", "8", "--device", "a2", *more]


@case(USAGE, "do not divide", "--num-layer-list")
def plan_of_layers_that_do_not_divide(work):
    return training(work, "--pp", "8")


@case(USAGE, "h10O", "h100")
def plan_for_a_device_that_there_is_not(work):
    return ["plan", work / "hf", "--devices", "8", "--device", "h10O"]


@case(USAGE, "--device")
def plan_without_a_device(work):
    return ["plan", work / "hf", "--devices", "8"]


@case(USAGE, "swap-optimizer")
def plan_with_a_mistyped_choice(work):
    return training(work, "--with", "swap-optimiser")


@case(USAGE, "OUTPUT")
def plan_of_a_training_with_an_output(work):
    return ["plan", work / "hf", work / "out", "--devices", "8", "--device", "a2"]


@case(USAGE, "no stage 9")
def plan_explains_a_stage_that_there_is_not(work):
    return training(work, "--tp", "2", "--pp", "2", "--explain", "9")


@case(USAGE, "hidden", "above 0")
def plan_of_sizes_without_a_width(work):
    return ["plan", "--sizes", "layers=2", "--devices", "1", "--device", "a2"]


@case(BAD_INPUT, "num_hidden_layers")
def plan_of_a_config_without_layers(work):
    change_config(work, num_hidden_layers=None)
    return training(work, "--tp", "2")


@case(UNSUPPORTED, "gpt_neox", "--sizes layers=32")
def plan_of_a_family_that_is_not_known(work):
    change_config(work, model_type="gpt_neox")
    return training(work, "--tp", "2")


@case(BAD_INPUT, "a hidden size of 40960000000000 is not plausible")
def plan_of_a_hidden_size_beyond_all_numbers(work):
    change_config(work, hidden_size=40960000000000, head_dim=16)
    return training(work, "--tp", "2")


@case(BAD_INPUT, "4 attention heads cannot share 3 heads of keys and values evenly")
def plan_of_heads_that_groups_do_not_divide(work):
    change_config(work, num_attention_heads=4, num_key_value_heads=3, head_dim=16)
    return training(work, "--tp", "1")


@case(BAD_INPUT, "divides 256 by 0")
def plan_without_heads(work):
    change_config(work, num_attention_heads=0)
    return training(work, "--tp", "2")


@case(BAD_INPUT, "hidden_size", "whole number")
def plan_of_a_number_in_quotes(work):
    change_config(work, hidden_size="64")
    return training(work, "--tp", "2")


@case(BAD_INPUT, "must hold an object")
def plan_of_a_config_that_is_a_list(work):
    (work / "hf/config.json").write_text("[1]")
    return ["plan", work / "hf/config.json", "--devices", "8", "--device", "a2"]


@case(USAGE, "experts is not plausible")
def plan_of_sizes_beyond_all_numbers(work):
    return ["plan", "--sizes", "layers=2,hidden=64,heads=4,ffn=64,vocab=64,experts=99999999", "--devices", "1", "--device", "a2"]


OPT = {"model_type": "opt", "num_hidden_layers": 4, "hidden_size": 64, "ffn_dim": 128, "num_attention_heads": 4, "vocab_size": 512,
       "max_position_embeddings": 2048, "word_embed_proj_dim": 64}


@case(USAGE, "ReLU")
def plan_of_a_model_that_the_engine_has_no_option_for(work):
    (work / "hf/config.json").write_text(json.dumps(OPT))
    return training(work)


@case(USAGE, "longer than the 2048 positions that the model has learned")
def plan_of_more_tokens_than_learned_positions(work):
    (work / "hf/config.json").write_text(json.dumps(OPT))
    return training(work, "--engine", "megatron", "--tp", "2", "--seq-length", "4096")


@case(USAGE, "no adapters with FSDP2", "--engine mindspeed")
def plan_of_adapters_with_fsdp2(work):
    return training(work, "--engine", "fsdp2", "--mode", "lora")


@case(USAGE, "no DPO with FSDP2")
def plan_of_pairs_with_fsdp2(work):
    return training(work, "--engine", "fsdp2", "--mode", "dpo")


@case(USAGE, "--with swap-attention:2: swap-attention takes no number")
def plan_with_a_number_that_the_engine_has_no_option_for(work):
    return training(work, "--engine", "megatron", "--tp", "2", "--with", "swap-attention:2")


@case(USAGE, "what layers of stage 0 keep and work with", "outside 0.8 to 1.3", "--with")
def plan_with_a_measured_peak(work):
    (work / "run.json").write_text('{"step_seconds": 1.5, "peak_gib": 40}')
    return training(work, "--tp", "2", "--calibrate", work / "run.json")


@case(USAGE, "as many rows as it has")
def scripts_of_fsdp2_with_a_padded_vocabulary(work):
    return ["launch", work / "hf", work / "scripts", "--target", "fsdp2", "--padded-vocab-size", "1024"]


def main():
    checks = Checks()
    names = sys.argv[1:] or list(CASES)
    with temporary_directory() as directory:
        clean = Path(directory) / "clean"
        clean.mkdir()
        make_tiny(checks, "llama2", clean / "hf")
        make_tiny(checks, "llama2", clean / "bin", "--format", "bin", "--shards", "1")
        if not run_ok(checks, tool("ckpt_convert"), *standard(clean, **{"save-dir": clean / "mg"})):
            checks.finish()
        if names == list(CASES):
            check_full_disk(checks, clean)
            check_error_events(checks, clean)
            check_verification(checks, clean)
            check_broken_companions(checks, clean)
        for name in names:
            work = Path(directory) / name
            shutil.copytree(clean, work)
            print(f"{name}: {check_case(checks, name, work)}".replace(str(work) + "/", ""))
            shutil.rmtree(work)
    checks.finish()


if __name__ == "__main__":
    main()
