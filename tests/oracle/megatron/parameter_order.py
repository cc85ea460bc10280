"""The order of parameters that rules/parameters/ states, against that of Megatron's modules."""

import functools
import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from checks import ROOT  # noqa: E402


def stated():
    """All names with their places; numbers of layers and experts are 0."""
    rules = json.loads((ROOT / "rules/parameters/megatron.json").read_text())
    names = [part for name in rules["names"]
             for part in ([name.replace("{layer}", rest) for rest in rules["layer"]] if name.endswith("{layer}") else [name])]
    return {name: place for place, name in enumerate(names)}


STATED = stated()


@functools.cache
def first_place(start):
    return min(place for name, place in STATED.items() if name.startswith(start))


def place(name):
    """What to sort by: names of a layer come again for every layer, in it those of an expert for every expert."""
    general = re.sub(r"(?<=\.)\d+(?=\.)", "0", name)
    out = [STATED[general]]
    for numbered in ("local_experts", "layers"):
        if found := re.search(rf"{numbered}\.(\d+)\.", name):
            out = [first_place(general[:general.index(numbered)] + numbered), int(found[1]), *out]
    return out


def is_sorted(names):
    """Whether the parameters of a chunk come in the stated order."""
    places = [place(name) for name in names]
    return places == sorted(places)
