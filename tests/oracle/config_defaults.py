"""Compares rules/config_defaults/transformers.json with the config classes of the installed transformers.

    config_defaults.py [--update]

For each model type of a mapping file that transformers has: the defaults of its class, of the keys that the mapping file asks
config.json for, but for lists and dictionaries, for None, which mapping files have defaults of their own for, and for the keys
that the file demands, or leaves to the mapping file, with its reasons. So a config.json that lacks a key is read as transformers reads it.
"""

import json
import sys
from dataclasses import MISSING, fields
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks  # noqa: E402
from json_text import laid_out  # noqa: E402

from transformers.models.auto.configuration_auto import CONFIG_MAPPING  # noqa: E402
from transformers.utils import logging  # noqa: E402

logging.set_verbosity_error()

MODELS = ROOT / "rules/models"
DEFAULTS = ROOT / "rules/config_defaults/transformers.json"


def keys_of(path):
    """The keys that the values of a mapping file, and of the blocks that it includes, are read from."""
    mapping = json.loads(path.read_text())
    values = {}
    for block in mapping.get("include", []):
        values.update(keys_of(MODELS / block))
    for name, rule in mapping.get("values", {}).items():
        paths = rule.get("config", [])
        values[name] = [path for path in ([paths] if isinstance(paths, str) else paths) if "." not in path]
    return values


def defaults_of(config_class, keys, left):
    own = {field.name: field.default for field in fields(config_class) if field.default is not MISSING}
    return {key: own[key] for key in sorted(keys)
            if key not in left and isinstance(own.get(key), (bool, int, float, str))}


def expected(document):
    out = {}
    for path in sorted(MODELS.glob("*.json")):
        keys = {key for paths in keys_of(path).values() for key in paths}
        for model_type in json.loads(path.read_text())["model_types"]:
            if model_type in CONFIG_MAPPING:
                left = {**document["demanded"], **document["left_to_mapping_files"].get(model_type, {})}
                out[model_type] = defaults_of(CONFIG_MAPPING[model_type], keys, left)
    return dict(sorted(out.items()))


def main():
    checks = Checks()
    document = json.loads(DEFAULTS.read_text())
    found = expected(document)
    if "--update" in sys.argv:
        DEFAULTS.write_text(laid_out({**document, "model_types": found}))
        document["model_types"] = found
    checks.equal(sorted(document["model_types"]), sorted(found), "model types; config_defaults.py --update writes the file")
    for model_type, keys in found.items():
        checks.equal(document["model_types"].get(model_type), keys, f"{model_type}; config_defaults.py --update writes the file")
    checks.finish()


if __name__ == "__main__":
    main()
