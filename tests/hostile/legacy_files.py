"""Legacy Megatron checkpoints that are damaged, incomplete or contradict themselves.

    legacy_files.py [--runs N]     --runs: bytes changed at random in so many more checkpoints (default 0)

Each must end with the documented exit code and one sentence that names the culprit, whatever is written, and leave nothing behind.
"""

import argparse
import os
import random
import shutil
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "support"), str(TESTS / "oracle")]
from checks import Checks, run, temporary_directory, tool  # noqa: E402
from checkpoints import Tensor, read_torch_file, write_torch_file  # noqa: E402
from legacy_checkpoints import HIDDEN, model_of, write_hf  # noqa: E402
from legacy_megatron import Legacy, finite  # noqa: E402

DONE, USAGE, BAD_INPUT, UNSUPPORTED = 0, 2, 4, 5  # docs/reference/exit-codes.md
CASES = {}
# Each case is converted to Hugging Face, and then, one after the other, looked at in one of these ways.
OTHERS = (["--to", "mcore", "--tp", "4"], ["--to", "dcp", "--dry-run"], ["inspect"], ["verify"])


def case(code, *mentions):
    """A function that spoils the checkpoint `mg` in the current directory, of TP 2 and PP 2."""
    def register(function):
        CASES[function.__name__] = (code, mentions, function)
        return function
    return register


def file_of(rank="mp_rank_01_001"):
    return Path("mg/iter_0000010") / rank / "model_optim_rng.pt"


def change(change_content, *ranks):
    for path in map(file_of, ranks) if ranks else sorted(Path("mg").glob("*/*/model_optim_rng.pt")):
        content = read_torch_file(path)
        change_content(content)
        write_torch_file(path, content)


def layers(content):
    return content["model"]["language_model"]["encoder"]


def version(value):
    """None: absent."""
    return lambda content: content.pop("checkpoint_version") if value is None else content.update(checkpoint_version=value)


class Evil:
    def __reduce__(self):
        return os.system, ("touch pwned",)


@case(BAD_INPUT, "mp_rank_01_001")
def rank_is_missing():
    shutil.rmtree(file_of().parent)


@case(BAD_INPUT, "mp_rank_01_001")
def rank_has_no_file():
    file_of().unlink()


@case(BAD_INPUT, "mp_rank_00_000")
def first_rank_is_missing():
    shutil.rmtree(file_of("mp_rank_00_000").parent)


@case(BAD_INPUT, "mp_rank_01_001")
def cut_in_the_middle():
    os.truncate(file_of(), file_of().stat().st_size // 2)


@case(BAD_INPUT, "mp_rank_01_001")
def cut_at_the_end():
    os.truncate(file_of(), file_of().stat().st_size - 1)


@case(BAD_INPUT, "mp_rank_01_001")
def empty_file():
    os.truncate(file_of(), 0)


@case(BAD_INPUT, "mp_rank_01_001")
def not_a_torch_file():
    file_of().write_bytes(b"<!DOCTYPE html><html></html>" * 9)


@case(UNSUPPORTED, "mp_rank_01_001", "system")
def forbidden_global():
    change(lambda content: content.update(more=Evil()), "mp_rank_01_001")


@case(BAD_INPUT, "has the shape", "legacy")
def other_rows_on_one_rank():
    change(lambda content: layers(content).update({"layers.0.self_attention.query_key_value.weight": Tensor("BF16", (6, HIDDEN), bytes(12 * HIDDEN))}),
           "mp_rank_01_001")


@case(BAD_INPUT, "has the shape", "legacy")
def other_columns_on_one_rank():
    change(lambda content: layers(content).update({"layers.0.mlp.dense_4h_to_h.weight": Tensor("BF16", (HIDDEN, 8), bytes(16 * HIDDEN))}), "mp_rank_00_001")


@case(BAD_INPUT, "word_embeddings")
def other_vocabulary_on_one_rank():
    change(lambda content: content["model"]["language_model"]["embedding"].update(word_embeddings={"weight": Tensor("BF16", (4, HIDDEN), bytes(8 * HIDDEN))}),
           "mp_rank_01_000")


@case(BAD_INPUT, "layers.1.input_layernorm.weight", "legacy")
def one_rank_lacks_a_tensor():
    change(lambda content: layers(content).pop("layers.1.input_norm.weight"), "mp_rank_01_001", "mp_rank_00_001")


@case(BAD_INPUT, "decoder.final_layernorm.weight", "legacy")
def no_final_norm():
    change(lambda content: layers(content).pop("final_norm.weight"), "mp_rank_00_001", "mp_rank_01_001")


@case(BAD_INPUT, "layers")
def a_stage_lacks_a_layer():
    change(lambda content: [layers(content).pop(name) for name in list(layers(content)) if name.startswith("layers.1.")],
           "mp_rank_00_001", "mp_rank_01_001")


@case(BAD_INPUT, "dict")
def model_is_a_list():
    change(lambda content: content.update(model=[1]), "mp_rank_01_001")


@case(BAD_INPUT, "neither \"model\" nor \"model0\"")
def no_model():
    change(lambda content: content.pop("model"), "mp_rank_01_001")


@case(BAD_INPUT)
def no_tensors_at_all():
    change(lambda content: content.update(model={"language_model": 1}))


@case(BAD_INPUT, "is there twice")
def both_generations_of_a_name():
    change(lambda content: layers(content).update({"layers.0.attention.dense.weight": layers(content)["layers.0.self_attention.dense.weight"]}))


for number, (value, code, mention) in enumerate((
        (4.0, UNSUPPORTED, "checkpoint_version 4"), (-1.0, UNSUPPORTED, "checkpoint_version -1"), (1.5, UNSUPPORTED, "checkpoint_version 1.5"),
        (float("inf"), UNSUPPORTED, "checkpoint_version inf"), (float("nan"), BAD_INPUT, "is not a number"), ("3.0", BAD_INPUT, "is not a number"),
        (True, BAD_INPUT, "is not a number"), ([3], BAD_INPUT, "is not a number"))):
    CASES[f"version_{number}"] = (code, ("checkpoint_version", mention), lambda value=value: change(version(value)))
# 3.0, as the tests write it, under the order of another version is a checkpoint of another model: what is written is as whole as that.
for number, value in enumerate((0, 1, 2.0, 3, None)):
    CASES[f"known_version_{number}"] = (DONE, (), lambda value=value: change(version(value)))


@case(BAD_INPUT, "mp_rank_01_001", "checkpoint_version is not the one of the other rank files")
def another_version_on_one_rank():
    change(version(2.0), "mp_rank_01_001")


@case(BAD_INPUT, "checkpoint_version is not the one of the other rank files")
def no_version_on_one_rank():
    change(version(None), "mp_rank_01_000")


@case(DONE)
def no_arguments():
    change(lambda content: content.pop("args"))


@case(BAD_INPUT, "tensor_model_parallel_size = 4")
def arguments_of_another_layout():
    change(lambda content: setattr(content["args"], "tensor_model_parallel_size", 4))


for name, value in {"num_attention_heads": 4, "hidden_size": 64, "ffn_hidden_size": 96}.items():
    CASES[f"arguments_with_other_{name}"] = (BAD_INPUT, ("arguments",), lambda name=name, value=value: change(
        lambda content: setattr(content["args"], name, value)))


@case(UNSUPPORTED, "SwitchMLP", "mlp.router.weight")
def experts():
    change(lambda content: layers(content).update({"layers.0.mlp.router.weight": Tensor("BF16", (2, HIDDEN), bytes(4 * HIDDEN))}))


@case(UNSUPPORTED, "SwitchMLP", "local_experts")
def experts_without_a_router():
    change(lambda content: layers(content).update({"layers.1.mlp.local_experts.0.dense_h_to_4h.weight": Tensor("BF16", (2, HIDDEN), bytes(4 * HIDDEN))}))


@case(UNSUPPORTED, "BERT and T5", "pooler")
def bert():
    change(lambda content: content["model"]["language_model"].update(pooler={"dense": {"weight": Tensor("BF16", (2, 2), bytes(8))}}))


@case(UNSUPPORTED, "BERT and T5", "inter_attention")
def t5():
    change(lambda content: layers(content).update({"layers.0.inter_attention.query.weight": Tensor("BF16", (2, 2), bytes(8))}))


def left_of(directory):
    return sorted(str(path.relative_to(directory)) for path in directory.rglob("*"))


def convert(*words):
    return run(tool("ckpt_convert"), "--load-dir", "mg", "--save-dir", "out", "--hf-cfg-dir", "hf", "-q", *words)


def check_case(checks, name, clean, work):
    shutil.copytree(clean, work)
    code, mentions, spoil = CASES[name]
    os.chdir(work)
    spoil()
    before = left_of(work)
    other = OTHERS[list(CASES).index(name) % len(OTHERS)]
    for words in (["--to", "hf"], other):
        if len(words) == 1:
            done = run(tool("ckpt_convert"), *words, "mg", "--hf-cfg-dir", "hf") if words == ["verify"] else run(tool("ckpt_convert"), *words, "mg")
            checks.expect(done.returncode in (DONE, code), f"{name} {words}: {done.returncode} {done.stderr}")
            continue
        done = convert(*words)
        what = f"{name} {words[1]}: {done.returncode} {done.stderr}"
        checks.expect(done.returncode == code and all(mention in done.stderr for mention in mentions), what)
        if code == DONE:
            shutil.rmtree(work / "out", ignore_errors=True)
            continue
        checks.expect(done.stderr.count("\n") == 1 and done.stderr.startswith("ckpt_convert: error: "), what)
        checks.equal(left_of(work), before, f"{name} {words[1]}: files")


def check_without_config(checks, clean, work):
    """Without a config.json the arguments say the sizes; without either, the sentence says what is missing."""
    shutil.copytree(clean, work)
    os.chdir(work)
    shutil.rmtree("hf")
    words = [tool("ckpt_convert"), "--load-dir", "mg", "--save-dir", "out", "-q", "--to", "mcore", "--tp", "4"]
    checks.equal(run(*words).returncode, DONE, "without a config.json")
    shutil.rmtree("out")
    change(lambda content: content.pop("args"))
    done = run(*words)
    checks.expect(done.returncode in (BAD_INPUT, UNSUPPORTED) and done.stderr.count("\n") == 1 and "--hf-cfg-dir" in done.stderr
                  and not Path("out").exists(), f"without a config.json and arguments: {done.returncode} {done.stderr}")


def check_random(checks, clean, work, runs):
    """Whatever bytes change: a documented code, one line, and nothing left of a run that failed."""
    shutil.copytree(clean, work)
    os.chdir(work)
    path, made = file_of(), file_of().read_bytes()
    for number in range(runs):
        choice = random.Random(number)
        content = bytearray(made)
        # Half of them in the pickle and the directory of the zip.
        small = [at for at in (content.find(b"PK\3\4"), content.rfind(b"PK\1\2") - 2000) if at >= 0]
        for _ in range(choice.choice((1, 1, 2, 8))):
            at = choice.choice(small) + choice.randrange(4000) if choice.random() < 0.5 else choice.randrange(len(content))
            content[at % len(content)] = choice.randrange(256)
        path.write_bytes(content)
        done = convert("--to", "hf")
        whole = done.returncode == DONE or (not Path("out").exists() and done.stderr.count("\n") == 1)
        checks.expect(done.returncode in (DONE, BAD_INPUT, UNSUPPORTED) and whole, f"run {number}: {done.returncode} {done.stderr}")
        shutil.rmtree("out", ignore_errors=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=0)
    runs = parser.parse_args().runs
    checks = Checks()
    with temporary_directory() as directory:
        work = Path(directory)
        config, tensors = model_of("llama")
        tensors = {name: finite(tensor) for name, tensor in tensors.items()}
        write_hf(work / "clean/hf", config, tensors)
        Legacy(config, tensors, tp=2, pp=2).write(work / "clean/mg")
        for name in CASES:
            check_case(checks, name, work / "clean", work / name)
            checks.expect(not (work / name / "pwned").exists(), f"{name}: a pickle was executed")
        check_without_config(checks, work / "clean", work / "no_config")
        check_random(checks, work / "clean", work / "random", runs)
        os.chdir(TESTS)
    checks.finish()


if __name__ == "__main__":
    main()
