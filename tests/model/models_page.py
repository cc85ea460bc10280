"""docs/reference/models.md: the model families, and which tests hold each of them to what; and the index of blocks in
rules/models/README.md.

    models_page.py            checks that both are what the mapping files and the tables of the tests say
    models_page.py --update   writes them

Everything on the page is read from rules/models, its cases, tests/golden/conversion, and the table of the Megatron suite.
"""

import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support"), str(HERE.parent / "oracle/megatron")]
from checks import ROOT, Checks  # noqa: E402
from model_cases import CASES, layouts_for  # noqa: E402
import families  # noqa: E402

README = ROOT / "rules/models/README.md"
INDEX = re.compile(r"<!-- blocks -->\n.*?<!-- end -->", re.S)
PAGE = ROOT / "docs/reference/models.md"
MODELS = ROOT / "rules/models"
HEAD = """# Model families

Written by `tests/model/models_page.py --update` from the mapping files and from the tables of the tests; continuous integration
fails when one of them says something else. A family that is not here is [a JSON file](../guides/add-a-model.md) away. Of multimodal
models the language model is taken: see [multimodal models](conversion-options.md#multimodal-models).

Falcon-H1, Gemma 4, Kimi K3 and Step 3.5 train in layers that Megatron-Bridge brings. Those of Falcon-H1, Gemma 4 and Step 3.5 have a
weight of the Hugging Face files more than once: a norm, keys that are values too, and the gate of a head. The first is written back;
`ckpt_convert verify` tells whether training kept them the same. Gemma 4's second copy is not used.
Where layers of Gemma 4 E2B and E4B share keys and values, Megatron-Bridge has weights for them all the same, which nothing uses: they
become zeros, and are left out on the way back. So are the two rows before OPT's positions, which Megatron does not have.

Left out are models whose layers neither Megatron's, Megatron-Bridge's nor MindSpeed-LLM's current code has, or has only after arithmetic
that does not lead back:

* Falcon and Cohere (attention and MLP side by side; Falcon 3 is a Llama);
* OLMo 1 (norms without weights), OLMo 2 and 3 (norms behind attention and MLP only);
* Granite, with and without experts (factors on residuals and attention scores);
* Kimi Linear, Ling 2.5 (delta attention with a decay of each channel), MiniMax-01 (lightning attention);
* the indexer of MiniMax M3, which chooses blocks of keys: `--leave-out '*.index_*'` takes the rest. Attention to all keys is the same up
  to 2,048 tokens; `layer_types` in the config then has to say `full_attention`;
* Gemma 3n; GLM-130B, which only converters for older versions had;
* the layers for multi-token prediction of ERNIE 4.5, LongCat-Flash and K-EXAONE, which have no norm of their own, or names that no
  code of transformers has: `--leave-out 'model.mtp*'`, `--leave-out 'mtp*'`.

## What they are

"""
VERIFIED = """
## What they are held to

* **cases**: tiny models with a recorded plan of a conversion, every tensor with the rows that it is made of, read by a person.
* **there and back**: layouts to which the weights of the cases go, and from which they must come back bit for bit: MindSpeed-LLM's,
  Transformer Engine's, torch_dist; with experts also expert parallel, packed, whole, and over the tensor ranks; with latent attention
  also those of older versions and the split one. *Refused* are layouts that cannot hold the model, with a message that says why.
* **transformers**: makes the model of a case, and loads it again from what came back from Megatron: all weights equal, no key too
  much or too few. `-`: transformers has no class for it.
* **MindSpeed-LLM**: recorded outputs of its own converter that ours equals byte for byte.
* **megatron-core**: rows of the [suite](verified.md) in which that release loads the weights and computes the logits that transformers
  computes. `-`: its layers cannot express the model, or not without a GPU.

"""


def read(path):
    return json.loads(path.read_text())


def weights_of(mapping, seen):
    """The weights of a mapping file and of its blocks, each block once."""
    found = dict(mapping.get("weights", {}))
    for block in mapping.get("include", []):
        if block not in seen:
            seen.add(block)
            found.update(weights_of(read(MODELS / block), seen))
    return found


def attention_of(weights):
    ends = {name.rpartition(".")[2] for name in weights if name.startswith("attention")}
    spaces = ["state spaces"] * ("mamba.decay" in weights)
    if spaces and not ends:
        return "none, state spaces"
    if not ends & {"q", "q_nope", "q_up"}:
        return "-"
    latent = "kv_down" in ends
    parts = spaces + ["latent" if latent else "one key for all heads" if "kv" in ends else "grouped queries"]
    parts += ["a gate on the output"] * ("gate" in ends) + ["gated delta nets in some layers"] * ("linear.q" in weights)
    parts += ["sparse"] * ("indexer.q" in weights) + ["compressed"] * ("compressor.kv" in weights) + ["hyper-connections"] * ("streams.map" in weights)
    parts += ["biases"] * ("q_bias" in ends) + ["norms of queries and keys"] * ("k_norm" in ends) + ["sinks"] * ("sinks" in ends)
    parts += ["learned positions"] * ("positions" in weights)
    key = weights.get("attention.k", {})
    in_some = "unused" in key or ("when" in key and "linear.q" not in weights and not spaces)
    parts += [("linear or no attention in some layers" if "linear" in ends else "layers that share keys and values")] * in_some
    return ", ".join(parts)


def experts_of(weights):
    if not any(weight.get("each") == "expert" for weight in weights.values()):
        return "-"
    parts = ["yes"] + ["shared ones"] * ("shared.up" in weights)
    parts += ["bias on scores"] * ("router_bias" in weights)
    return ", ".join(parts)


def case_family(case, mappings):
    kind = case["config"]["model_type"]
    return next(mapping["family"] for mapping in mappings if kind in mapping["model_types"])


def releases():
    lines = (ROOT / "tests/oracle/megatron/versions.txt").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def runs_in(row, release):
    return not row.off and row.since <= tuple(map(int, release.split(".")[:2]))


def verified_cells(mapping, cases, recorded):
    refused = sum(len(case.get("refused", {})) for case in cases.values())
    layouts = sum(len(layouts_for(case)) for case in cases.values())
    loaded = sum(case["tensors_of"] == "transformers" for case in cases.values())
    rows = [row for row in families.FAMILIES if row.model_type in mapping["model_types"]]
    return [mapping["family"], ", ".join(cases), f"{layouts - refused}" + (f", {refused} refused" if refused else ""),
            str(loaded or "-"), str(recorded or "-"),
            *(", ".join(row.name for row in rows if runs_in(row, release)) or "-" for release in releases())]


def markdown(headings, rows):
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines) + "\n"


def page():
    mappings = [read(path) for path in sorted(MODELS.glob("*.json"))]
    cases = {path.stem: read(path) for path in sorted(CASES.glob("*.json"))}
    golden = [read(path)["family"] for path in sorted((ROOT / "tests/golden/conversion").glob("*.json"))]
    what, verified = [], []
    for mapping in mappings:
        weights = weights_of(mapping, set())
        own = {name: case for name, case in cases.items() if case_family(case, mappings) == mapping["family"]}
        mtp = "yes" if any(name.startswith("mtp.") for name in weights) else "-"
        what.append([mapping["family"], mapping["title"], ", ".join(f"`{kind}`" for kind in mapping["model_types"]),
                     attention_of(weights), experts_of(weights), mtp])
        names = {mapping["family"], *(name.replace("-", "_") for name in mapping["peer_names"])}
        verified.append(verified_cells(mapping, own, sum(name in names for name in golden)))
    return (HEAD + markdown(["family", "models", "model types", "attention", "experts", "MTP"], what) + VERIFIED
            + markdown(["family", "cases", "there and back", "transformers", "MindSpeed-LLM",
                        *(f"megatron-core {release}" for release in releases())], verified))


def listed(names):
    return ", ".join(f"`{name}`" for name in names) or "-"


def block_row(path):
    block = read(path)
    arguments = [*block.get("args", {}), *block.get("flags", {})]
    return [f"`{path.name}`", block["about"], listed(block.get("values", {})), listed(block.get("weights", {})), listed(arguments)]


def readme():
    rows = [block_row(path) for path in sorted((MODELS / "blocks").glob("*.json"))]
    index = markdown(["block", "about", "values", "weights", "args and flags"], rows)
    return INDEX.sub(lambda _: f"<!-- blocks -->\n{index}<!-- end -->", README.read_text())


def main():
    pages = {PAGE: page(), README: readme()}
    if "--update" in sys.argv:
        for path, text in pages.items():
            path.write_text(text)
        return
    checks = Checks()
    for path, text in pages.items():
        checks.equal(path.read_text(), text, f"{path.name}; tests/model/models_page.py --update writes it")
    checks.finish()


if __name__ == "__main__":
    main()
