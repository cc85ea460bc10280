"""What mapping files read as a whole number is one in config.json: a fraction, a number too large, a truth value, a text or a number below 0 there
is one error that names the key, before anything is planned or written; so is a number out of the range of what a training is given as it stands.

    config_numbers.py [--every N]

Every key that the family of a case reads (rules/models/cases), with each of these values; in CI one of every N of them.
"""

import argparse
import copy
import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, make_tiny, run, temporary_directory, tool  # noqa: E402

MODELS = ROOT / "rules/models"
LARGE = 1e300


def mapping_of(path):
    """A mapping file with what it includes."""
    own = json.loads(path.read_text())
    out = {"values": {}, "args": {}, "flags": {}}
    for part in [mapping_of(MODELS / name) for name in own.get("include", [])] + [own]:
        for key, rows in out.items():
            rows.update(part.get(key, {}))
    return out


def families():
    """Mappings by model type; a type of several families, or with words for its class, is left out."""
    out = {}
    for path in MODELS.glob("*.json"):
        for kind in json.loads(path.read_text()).get("model_types", []):
            out[kind] = None if kind in out else mapping_of(path)
    return out


def at(config, path):
    for key in path.split("."):
        config = config.get(key) if isinstance(config, dict) else None
    return config


def with_value(config, path, value):
    out = copy.deepcopy(config)
    *inner, last = path.split(".")
    place = out
    for key in inner:
        place = place[key]
    place[last] = value
    return out


def is_size(rule, values):
    """Never a truth value: without a default, or with one that is a size as well."""
    default = rule.get("default")
    while isinstance(default, str) and re.fullmatch(r"\w+", default):
        default = values.get(default, {}).get("default")
    return default is None or (default not in (0, 1) and not re.search(r"[!=<>&|]", str(default)))


def wrong_numbers(mapping, config):
    """(path, value) of each."""
    values = {name: rule for name, rule in mapping["values"].items() if isinstance(rule, dict)}
    rules = [rule for rule in values.values() if not {"is", "count", "each", "listed"} & set(rule)]
    rules += [rule | {"default": None} for part in ("args", "flags") for rule in mapping[part].values() if isinstance(rule, dict) and rule.get("whole")]
    for rule in rules:
        paths = [rule["config"]] if isinstance(rule.get("config"), str) else rule.get("config", [])
        path = next((one for one in paths if at(config, one) is not None), None)
        number = None if path is None or "*" in path else at(config, path)
        if type(number) is not int:
            continue
        for value in (number + 0.5, LARGE, True, str(number), -max(number, 1)):
            if (value is True and not is_size(rule, values)) or (value == number + 0.5 and "times" in rule) or (rule.get("default") == -1 and value == -max(number, 1)):
                continue
            yield path, value


def out_of_range(mapping, config):
    """(path, value) of each."""
    for rule in [rule for part in ("args", "flags") for rule in mapping[part].values() if isinstance(rule, dict)]:
        paths = [rule["config"]] if isinstance(rule.get("config"), str) else rule.get("config", [])
        path = next((one for one in paths if at(config, one) is not None), next((one for one in paths if "." not in one), None))
        for bound, step in (("least", -0.001), ("least", -5), ("most", 0.5), ("most", LARGE)):
            if path and bound in rule:
                yield path, rule[bound] + step


# By the name of an argument: what a training takes.
RANGES = {"norm_epsilon": (0, None), "layernorm_epsilon": (0, None), "rotary_base": (1, None), "rotary_percent": (0, 1), "partial_rotary_factor": (0, 1),
          "attention_dropout": (0, 1), "hidden_dropout": (0, 1)}


def check_marks(checks):
    """What the training's programs read as a whole number is marked so in the mapping files; they compute with a base of rotations as it is."""
    whole = set()
    for file in ("options_megatron_core", "options_mindspeed_llm"):
        whole |= {row["name"] for row in json.loads((ROOT / f"rules/launch/{file}.json").read_text())["options"] if row.get("type") == "int"}
    whole -= {"--rotary-base"}
    for path in [*MODELS.glob("*.json"), *MODELS.glob("blocks/*.json")]:
        mapping = json.loads(path.read_text())
        for part in ("args", "flags"):
            for name, rule in mapping.get(part, {}).items():
                if isinstance(rule, dict) and "config" in rule and "--" + name.lstrip("-").replace("_", "-") in whole:
                    checks.expect(rule.get("whole"), f"{path.name}: {part}: {name} is not \"whole\"")
                wanted = RANGES.get(name.lstrip("-").replace("-", "_"))
                if wanted and isinstance(rule, dict) and "config" in rule:
                    checks.equal((rule.get("least"), rule.get("most")), wanted, f"{path.name}: {part}: range of {name}")


def expect_refused(checks, what, path, *words):
    done = run(tool("ckpt_convert"), *words)
    lines = done.stderr.splitlines()
    checks.expect(done.returncode == 4 and len(lines) == 1 and path in lines[0], f"{what}: {done.returncode} {done.stderr}{done.stdout[:200]}")


def written(config, file):
    file.write_text(json.dumps(config))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=41)
    options = parser.parse_args()
    checks = Checks()
    check_marks(checks)
    known = families()
    with temporary_directory() as directory:
        model = Path(directory) / "model"
        model.mkdir()
        tried = [(case.stem, config, path, value) for case in sorted((MODELS / "cases").glob("*.json")) for config in [json.loads(case.read_text())["config"]]
                 if known.get(config.get("model_type")) for path, value in wrong_numbers(known[config["model_type"]], config)]
        checks.expect(len(tried) > 2000 and len({name for name, *_ in tried}) > 50, f"only {len(tried)} numbers of {len({name for name, *_ in tried})} cases")
        ranges = sorted({(case.stem, path, value) for case in (MODELS / "cases").glob("*.json") for config in [json.loads(case.read_text())["config"]]
                         if known.get(config.get("model_type")) for path, value in out_of_range(known[config["model_type"]], config)})
        checks.expect(len(ranges) > 300, f"only {len(ranges)} numbers out of their ranges")
        configs = {case.stem: json.loads(case.read_text())["config"] for case in (MODELS / "cases").glob("*.json")}
        for name, config, path, value in tried[::options.every] + [(name, configs[name], path, value) for name, path, value in ranges[::options.every]]:
            written(with_value(config, path, value), model / "config.json")
            expect_refused(checks, f"{name}, {path}: {value}", path, "plan", model, "--devices", "8", "--device", "a2")
        # Whoever reads it.
        make_tiny(checks, "qwen3", Path(directory) / "hf")
        config = json.loads((Path(directory) / "hf/config.json").read_text())
        for value in (8192.5, LARGE, True, "8192", -1):
            written(config | {"max_position_embeddings": value}, Path(directory) / "hf/config.json")
            for words in (["hf", "out", "--tp", "2"], ["launch", "hf", "out", "--devices", "8"], ["verify", "hf"]):
                full = [str(Path(directory) / word) if word in ("hf", "out") else word for word in words]
                expect_refused(checks, f"{words[0]}: {value}", "max_position_embeddings", *full)
            checks.expect(not (Path(directory) / "out").exists(), f"{value}: something was written")
        written(config | {"max_position_embeddings": 8192.0}, Path(directory) / "hf/config.json")
        done = run(tool("ckpt_convert"), "launch", Path(directory) / "hf", Path(directory) / "out", "--devices", "8")
        text = "".join(path.read_text() for path in (Path(directory) / "out").rglob("*.sh"))
        checks.expect(done.returncode == 0 and "--max-position-embeddings 8192" in text and "8192.0" not in text, f"8192.0: {done.stderr}")
    checks.finish()


if __name__ == "__main__":
    main()
