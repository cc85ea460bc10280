"""Sharded state for vLLM: names, types, shapes and bytes of every tensor of every rank are those that vLLM itself writes.

    vllm_state.py              the recorded cases of tests/golden/vllm; needs neither vLLM nor torch
    vllm_state.py --engine     vLLM loads what is written, and has the weights it takes from the Hugging Face checkpoint
    vllm_state.py --record     records the cases anew: what save_model of vLLM's loader writes

The last two need vLLM 0.33 for CPUs. Each case is a configuration, the tensors of its Hugging Face checkpoint, whose bits follow
from their names, and for every rank the type, the shape and the first 16 digits of the SHA-256 of each tensor.
"""

import argparse
import glob
import json
import os
import socket
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, run, temporary_directory, tool  # noqa: E402
from checkpoints import Tensor, crc_filled, read_safetensors, write_safetensors  # noqa: E402

CASES = ROOT / "tests/golden/vllm"


def input_tensor(name, shape):
    if name.endswith("e_score_correction_bias"):  # in float32, as DeepSeek has it
        return Tensor("F32", tuple(shape), crc_filled(name, [2 * shape[0]]).data)
    return crc_filled(name, shape)


def write_input(case, directory):
    directory.mkdir()
    (directory / "config.json").write_text(json.dumps(case["config"]))
    write_safetensors(directory / "model.safetensors",
                      {name: input_tensor(name, shape) for name, shape in case["hf"].items()})


def ranks_in(directory):
    """{rank: {name: [type, shape, digest]}}"""
    out = {}
    for path in sorted(Path(directory).glob("model-rank-*-part-*.safetensors")):
        tensors = out.setdefault(path.name.split("-")[2], {})
        for name, tensor in sorted(read_safetensors(path).items()):
            assert name not in tensors, name
            tensors[name] = [tensor.dtype, list(tensor.shape), tensor.short_hash()]
    return out


def convert(source, target, case, *options):
    return run(tool("ckpt_convert"), source, target, "--to", "vllm", "--tp", str(case["tp"]), *options)


def check_ranks(checks, found, wanted, title):
    checks.equal(sorted(found), sorted(wanted), f"{title}: ranks")
    for rank, tensors in wanted.items():
        checks.equal(sorted(found.get(rank, {})), sorted(tensors), f"{title}: names of rank {rank}")
        for name, tensor in tensors.items():
            checks.equal(found.get(rank, {}).get(name), tensor, f"{title}: {name} of rank {rank}")


def check_case(checks, case, title, work):
    source, target, parts = work / f"{title}_hf", work / f"{title}_vllm", work / f"{title}_parts"
    if case["config"]["model_type"] == "deepseek_v3":  # published ones count layers for multi-token prediction, which vLLM leaves out
        case["config"]["num_nextn_predict_layers"] = 1
    write_input(case, source)
    for directory, options in ((target, ()), (parts, ("--max-shard-size", "4KB"))):
        done = convert(source, directory, case, *options)
        if checks.expect(done.returncode == 0, f"{title}: exit code {done.returncode}: {done.stdout}{done.stderr}"):
            shown = done.stdout.strip().rpartition("look at it with: ckpt_convert inspect ")[2]
            seen = run(tool("ckpt_convert"), "inspect", shown)
            checks.expect(seen.returncode == 0 and "_k_scale" in seen.stdout, f"{title}: inspect {shown}: {seen.stderr}")
            check_ranks(checks, ranks_in(directory), case["ranks"], title)
    checks.expect(len(list(parts.glob("model-rank-0-part-*"))) > 2, f"{title}: no parts")
    check_back(checks, case, title, (source, target, parts), work)
    checks.equal(json.loads((target / "config.json").read_text())["model_type"], case["config"]["model_type"], f"{title}: config")


def check_back(checks, case, title, directories, work):
    """What is written is read again: it is the weights of the input, which --to hf makes of it bit for bit."""
    source, target, parts = directories
    for directory in (target, parts):
        alone = run(tool("ckpt_convert"), "verify", directory)  # the bits of the inputs are also those of numbers that are not finite
        files = len(list(directory.glob("*.safetensors"))) + 1
        checks.expect(alone.returncode in (0, 1) and f"checksums of conversion_manifest.json for {files} of {files} files" in alone.stdout,
                      f"{title}: {alone.stdout}{alone.stderr}")
        for command in (("verify", directory, "--against", source), ("verify", source, "--against", directory)):
            done = run(tool("ckpt_convert"), *command)
            checks.expect(done.returncode == 0, f"{title}: {command}: {done.returncode} {done.stdout}{done.stderr}")
        seen = run(tool("ckpt_convert"), "inspect", directory, "--summary").stdout
        for wanted in ("safetensors of tensor-parallel ranks", "saved by                           vLLM (sharded state)",
                       f"ranks that wrote files             {case['tp']}", "family "):
            checks.expect(wanted in seen, f"{title}: inspect says no \"{wanted}\": {seen}")
    for options in (("--to", "hf"), ("--to", "dcp"), ("--to", "mcore", "--target", "mcore", "--ckpt-format", "torch_dist")):
        back = work / f"{title}_back_{options[-1]}"
        done = run(tool("ckpt_convert"), "-q", parts, back, *options)
        checks.expect(done.returncode == 0, f"{title} to {options}: {done.stderr}")
        done = run(tool("ckpt_convert"), "verify", back, "--against", source)
        checks.expect(done.returncode == 0, f"{title} to {options}: {done.stdout}{done.stderr}")
    last = sorted(parts.glob("model-rank-0-part-*"))[1]
    damaged = last.read_bytes()
    last.write_bytes(damaged[:-1] + bytes([damaged[-1] ^ 1]))
    done = run(tool("ckpt_convert"), "verify", parts, "--against", source)
    checks.expect(done.returncode == 1, f"{title}: a damaged part: {done.returncode} {done.stdout}{done.stderr}")
    last.unlink()
    done = run(tool("ckpt_convert"), "verify", parts)
    checks.equal(done.returncode, 4, f"{title}: without {last.name}")
    checks.expect("is missing; is the copy complete?" in done.stderr, f"{title}: without {last.name}: {done.stderr}")


def check_refusals(checks, work):
    """What vLLM's layers cannot hold, or what has no known names there, is an error that says so."""
    case = json.loads((CASES / "llama_tp4.json").read_text())
    write_input(case, work / "refused")
    for options, wanted in ((("--tp", "3"), "vLLM gives each rank whole heads"),
                            (("--tp", "2", "--pp", "2"), "--to vllm: files for ranks of tensor parallelism are written"),
                            (("--optimizer", "keep"), "no place for the state of an optimizer")):
        done = run(tool("ckpt_convert"), work / "refused", work / "none", "--to", "vllm", *options)
        checks.equal(done.returncode, 2, f"{options}: exit code")
        checks.expect(wanted in done.stderr, f"{options}: {done.stderr}")
        checks.expect(not (work / "none").exists(), f"{options}: something was written")
    write_input({**case, "config": {**case["config"], "model_type": "smollm3"}}, work / "smollm3")
    done = run(tool("ckpt_convert"), work / "smollm3", work / "none", "--to", "vllm")
    checks.equal(done.returncode, 5, "another family: exit code")
    checks.expect("the names of vLLM 0.33 are not known for models of the family smollm3; vLLM loads what --to hf writes"
                  in done.stderr, done.stderr)


class Rank:
    """A rank of vLLM, which makes models and does nothing with them."""

    def __init__(self, number, count, port):
        os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), RANK=str(number), WORLD_SIZE=str(count),
                          LOCAL_RANK=str(number))
        self.number, self.count, self.port = number, count, port

    def run(self, verb, source, target):
        import torch
        from safetensors import safe_open
        from vllm.config import DeviceConfig, LoadConfig, ModelConfig, ParallelConfig, VllmConfig, set_current_vllm_config
        from vllm.distributed import init_distributed_environment, initialize_model_parallel
        from vllm.model_executor.model_loader.sharded_state_loader import ShardedStateLoader
        from vllm.model_executor.model_loader.utils import initialize_model
        model_config = ModelConfig(model=source, tokenizer=source, skip_tokenizer_init=True, dtype="bfloat16", enforce_eager=True,
                                   max_model_len=32)
        load_config = LoadConfig(load_format="sharded_state")
        config = VllmConfig(model_config=model_config, parallel_config=ParallelConfig(tensor_parallel_size=self.count),
                            device_config=DeviceConfig(device="cpu"), load_config=load_config)

        def made():
            model = initialize_model(vllm_config=config)
            config.compilation_config.static_forward_context.clear()
            return model

        def tensors():
            for path in sorted(glob.glob(f"{source}/*.safetensors")):
                with safe_open(path, "pt") as file:
                    for name in file.keys():
                        yield name, file.get_tensor(name)

        with set_current_vllm_config(config):
            init_distributed_environment(self.count, self.number, f"tcp://127.0.0.1:{self.port}", self.number, "gloo")
            initialize_model_parallel(self.count)
            torch.set_default_dtype(model_config.dtype)
            model = made()
            for parameter in model.parameters():
                parameter.data.zero_()
            model.load_weights(tensors())
            if verb == "save":
                ShardedStateLoader.save_model(model, target)
            else:
                self.compare(model, made(), ShardedStateLoader(load_config), model_config, target)
            torch.distributed.barrier()

    def compare(self, model, other, loader, model_config, target):
        for parameter in other.parameters():
            parameter.data.fill_(-7)
        model_config.model = target
        loader.load_weights(other, model_config)
        loaded = other.state_dict()
        for name, tensor in model.state_dict().items():
            if bits(tensor) != bits(loaded[name]):
                sys.exit(f"rank {self.number}: {name} differs")


def bits(tensor):
    import torch
    return tensor.contiguous().flatten().view(torch.uint8).numpy(force=True).tobytes()


def in_rank(number, verb, source, target, count, port):
    Rank(number, count, port).run(verb, source, target)


def engine(verb, source, target, count):
    import torch.multiprocessing
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    torch.multiprocessing.spawn(in_rank, (verb, str(source), str(target), count, port), nprocs=count)


def record(path, case, work):
    source, target = work / f"{path.stem}_hf", work / f"{path.stem}_vllm"
    write_input(case, source)
    target.mkdir()
    engine("save", source, target, case["tp"])
    case["ranks"] = ranks_in(target)
    heads = {key: case[key] for key in ("config", "tp", "hf")}
    lines = [f' "{rank}": {{\n' + ",\n".join(f"  {json.dumps(name)}: {json.dumps(tensor)}" for name, tensor in tensors.items()) + "}"
             for rank, tensors in case["ranks"].items()]
    path.write_text(json.dumps(heads)[:-1] + ',\n"ranks": {\n' + ",\n".join(lines) + "}}\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", action="store_true")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    checks = Checks()
    with temporary_directory() as directory:
        work = Path(directory)
        # Where everything takes long, every third.
        for path in sorted(CASES.glob("*.json"))[::3 if "PROPERTY_SHARE" in os.environ else 1]:
            case = json.loads(path.read_text())
            if options.cases and path.stem not in options.cases:
                continue
            if options.record:
                record(path, case, work)
                continue
            check_case(checks, case, path.stem, work)
            if options.engine:
                engine("load", work / f"{path.stem}_hf", work / f"{path.stem}_vllm", case["tp"])
        if not options.cases:
            check_refusals(checks, work)
    checks.finish()


if __name__ == "__main__":
    main()
