"""Makes the lists of options in rules/launch from the facts about training programs.

    launch_options.py FACTS         FACTS: a directory with options_mindspeed_llm.json, options_megatron_core.json and fsdp2_yaml_keys.json

The facts are read from the programs' sources by syntax tree. What a launch needs of a row is kept: the name, what it takes, its
choices, its plain default, where it comes from.
"""

import json
import sys
from pathlib import Path

OUT = Path(__file__).resolve().parents[1] / "rules" / "launch"
TAKES = {"+": "some", "*": "any", "?": "maybe"}
TYPES = {"int": "int", "float": "float", "bool": "bool"}
LAYERS = ("MindSpeed-LLM", "MindSpeed-MM", "MindSpeed", "Megatron-LM")


def layer(source):
    return next(name for name in LAYERS if source.startswith(name))


def takes(row):
    action = row.get("action")
    if isinstance(action, dict):
        return "switch"  # --name and --no-name
    if action:
        return "none"
    return TAKES.get(row.get("nargs"), "many" if row.get("nargs") else "")


def short(row):
    out = {"name": row["name"]}
    if takes(row):
        out["takes"] = takes(row)
    if row.get("type") in TYPES:
        out["type"] = TYPES[row["type"]]
    choices = [choice for layer_of in [row, *row.get("overrides", [])] for choice in layer_of.get("choices", [])
               if not isinstance(choice, dict)] if not isinstance(row.get("choices"), dict) else []
    if choices and takes(row) != "none":
        out["words"] = list(dict.fromkeys(str(choice) for choice in choices if choice is not None))
    default = row.get("default")
    if isinstance(default, (int, float, str)) and not isinstance(default, bool):
        out["default"] = str(default)
    if row.get("aliases"):
        out["aliases"] = row["aliases"]
    return out


def mindspeed(facts):
    rows = []
    for row in facts["rows"]:
        out = short(row)
        if layer(row["source"]) != "Megatron-LM":
            out["layer"] = layer(row["source"])
        if row["program"] != ["train"]:
            out["program"] = row["program"][0]
        rows.append(out)
    return rows


def megatron(facts):
    releases = list(facts["counts"])
    rows = []
    for row in facts["rows"]:
        out = short(row)
        known = [releases.index(version) for version in row["versions"]]
        if known[0] > 0:
            out["since"] = releases[known[0]]
        if known[-1] < len(releases) - 1:
            out["until"] = releases[known[-1]]
        rows.append(out)
    return rows


def yaml_keys(facts):
    rows = []
    for row in facts["rows"]:
        out = {"name": row["section"] + "." + row["key"], "type": TYPES.get(row["type"], row["type"].lower())}
        if out["type"] in ("str", "choice"):
            del out["type"]
        elif out["type"] not in TYPES.values():
            out["type"] = "list" if out["type"].startswith("list") else "any"
        if row.get("choices"):
            out["words"] = [str(choice) for choice in row["choices"]]
        default = row.get("default")
        if isinstance(default, (bool, int, float, str)):
            out["default"] = str(default).lower() if isinstance(default, bool) else str(default)
        if row.get("required"):
            out["required"] = True
        out["program"] = row["program"].split()[1] if row["program"].startswith("MindSpeed-LLM") else "MindSpeed-MM"
        rows.append(out)
    return rows


def write(name, about, facts, rows):
    extra = {"releases": list(facts["counts"])} if "counts" in facts else {}
    text = json.dumps({"schema": 1, "about": about, "source": CITED[name], **extra, "options": rows}, indent=2)
    (OUT / f"{name}.json").write_text(text + "\n")
    print(name, len(rows))


CITED = {
    "options_mindspeed_llm": "MindSpeed-LLM: mindspeed_llm/features_manager, mindspeed_llm/training/arguments.py; "
                             "MindSpeed: mindspeed/features_manager, mindspeed/arguments.py; Megatron-LM: arguments.py",
    "options_megatron_core": "Megatron-LM: arguments.py",
    "fsdp2_yaml_keys": "MindSpeed-LLM: mindspeed_llm/fsdp2/utils/arguments.py; MindSpeed-MM: mindspeed_mm/fsdp/params",
}


def main():
    read = {name: json.loads((Path(sys.argv[1]) / f"{name}.json").read_text()) for name in CITED}
    write("options_mindspeed_llm", "Options of MindSpeed-LLM's programs on its mcore engine: pretrain_gpt.py and those that share its "
          "parser, and two tools.", read["options_mindspeed_llm"], mindspeed(read["options_mindspeed_llm"]))
    write("options_megatron_core", "Options of Megatron-LM's training programs, by release.", read["options_megatron_core"],
          megatron(read["options_megatron_core"]))
    write("fsdp2_yaml_keys", "Keys of the YAML files that train_fsdp2.py of MindSpeed-LLM, and MindSpeed-MM, read.",
          read["fsdp2_yaml_keys"], yaml_keys(read["fsdp2_yaml_keys"]))


if __name__ == "__main__":
    main()
