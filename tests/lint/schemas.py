"""The JSON Schemas of the repository are those that the programs print, and the tables of the documents and the dataclasses of the
Python module are theirs.

    schemas.py [--fix]      --fix writes both anew, with the programs of the build

A document has a table between `<!-- schema NAME: DEFINITION -->` and `<!-- end -->`: a row for each key of that definition.
DEFINITION `words` stands for all words of "match", each with its table; `rows` for the tables of bulk facts; `A+B` for one table of
two definitions, where a key that only one has says so.
"""

import argparse
import json
import keyword
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks, tool  # noqa: E402

SCHEMAS = {
    "rules": (("migrator", "schema", "rules"), "rules/schema/rules.schema.json"),
    "report": (("migrator", "schema", "report"), "docs/reference/report.schema.json"),
    "decisions": (("migrator", "schema", "decisions"), "docs/reference/decisions.schema.json"),
    "model": (("ckpt_convert", "models", "schema"), "rules/schema/model.schema.json"),
    "case": (("ckpt_convert", "models", "schema", "case"), "rules/schema/model_case.schema.json"),
}
REPORT_MODULE = "python/migration_toolkit/report.py"
DOCUMENTS = ("rules/README.md", "rules/models/README.md", "docs/reference/report-schema.md")
BLOCK = re.compile(r"<!-- schema (\w+): ([\w+]+) -->\n.*?<!-- end -->", re.S)


def printed(command):
    return subprocess.run([str(tool(command[0])), *command[1:]], capture_output=True, text=True, check=True).stdout


def words_of(schema):
    """The words that a text, or each text of a list, may be."""
    found = schema.get("enum") or schema.get("then", {}).get("enum") or schema.get("items", {}).get("enum") or []
    return ", ".join(f"`{word}`" for word in found)


def definition_of(schema, name):
    """A definition of the schema, the schema itself under its own name, or two definitions as one."""
    parts = [schema["$defs"].get(part, schema) for part in name.split("+")]
    if len(parts) == 1:
        return parts[0]
    keys = {}
    for part, other, title in zip(parts, parts[::-1], name.split("+")):
        for key, value in part["properties"].items():
            only = "" if key in other["properties"] else f"{title.removesuffix('_tensor')} only: "
            keys.setdefault(key, {**value, "description": only + value["description"]})
    return {**parts[0], "properties": keys}


def table(schema, definition):
    needed = definition.get("required", [])
    lines = ["| key | meaning |", "|---|---|"]
    for key, value in definition.get("properties", {}).items():
        says = [value.get("description", "")]
        says += [f"one of {words_of(value)}"] if words_of(value) else []
        default = value.get("default")
        says += [f"without it `{json.dumps(default)}`"] if default not in (None, False, "") else []
        says += [] if key in needed else ["optional"]
        lines.append(f"| `{key}` | {'; '.join(part for part in says if part)} |")
    return "\n".join(lines)


def name_of(reference):
    return reference["$ref"].rsplit("/", 1)[1]


def words(schema):
    """Every word of "match": what it looks for, the table of its keys, and that of its fix."""
    parts = []
    for word, value in schema["$defs"]["rule"]["properties"]["match"]["properties"].items():
        part = f"**`{word}`**: {value['description']}."
        part += f" One of {words_of(value)}." if words_of(value) else ""
        if "$ref" in value:
            part += "\n\n" + table(schema, schema["$defs"][name_of(value)])
        parts.append(part)
    fixes = [name_of(item) for item in schema["$defs"]["rule"]["properties"]["fix"]["anyOf"]]
    for fix in fixes:
        definition = schema["$defs"][fix]
        parts.append(f"Fix `{fix}`: {definition['description']}.\n\n{table(schema, definition)}")
    return "\n\n".join(parts)


def rows(schema):
    parts = []
    for item in schema["$defs"]["table"]["properties"]["rows"]["items"]["anyOf"]:
        definition = schema["$defs"][name_of(item)]
        parts.append(f"Rows `{name_of(item).removesuffix('_row')}`: {definition['description']}.\n\n{table(schema, definition)}")
    return "\n\n".join(parts)


def block(match, schemas):
    schema, name = schemas[match[1]], match[2]
    made = {"words": words, "rows": rows}.get(name)
    text = made(schema) if made else table(schema, definition_of(schema, name))
    return f"<!-- schema {match[1]}: {name} -->\n{text}\n<!-- end -->"


def annotation(value):
    """The type of a value in Python."""
    if "$ref" in value:
        return class_of(name_of(value))
    kind = value.get("type")
    if "array" in (kind or ()):
        return f"List[{annotation(value['items'])}]"
    if "anyOf" in value:
        return f"Optional[{annotation(value['anyOf'][0])}]"
    if kind == "object":
        return f"Dict[str, {annotation(value.get('additionalProperties', {}))}]"
    return {"integer": "int", "number": "float", "boolean": "bool", "object": "dict"}.get(kind, "str")


def class_of(name):
    return "".join(part.capitalize() for part in name.split("_"))


def dataclass(name, definition):
    needed = definition.get("required", [])
    fields = sorted(definition["properties"].items(), key=lambda field: field[0] not in needed)
    lines = ["", "", "@dataclasses.dataclass", f"class {class_of(name)}:"]
    for key, value in fields:
        field = key + "_" if keyword.iskeyword(key) else key
        lines.append(f"    {field}: {annotation(value)}" if key in needed else f"    {field}: Optional[{annotation(value)}] = None")
    return lines


def report_module(schema):
    lines = ['"""`report.json` of migrator as dataclasses; docs/reference/report-schema.md describes the fields.', "",
             'Generated from the JSON Schema by tests/lint/schemas.py.', '"""', "", "from __future__ import annotations", "",
             "import dataclasses", "from typing import Dict, List, Optional"]
    for name, definition in [*schema["$defs"].items(), ("report", schema)]:
        lines += dataclass(name, definition)
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fix", action="store_true")
    fix = parser.parse_args().fix
    checks = Checks()
    fresh = {path: printed(command) for command, path in SCHEMAS.values()}
    schemas = {name: json.loads(fresh[path]) for name, (_, path) in SCHEMAS.items()}
    for name in DOCUMENTS:
        fresh[name] = BLOCK.sub(lambda match: block(match, schemas), (ROOT / name).read_text())
    fresh[REPORT_MODULE] = report_module(schemas["report"])
    for path, text in fresh.items():
        if fix:
            (ROOT / path).write_text(text)
        checks.equal((ROOT / path).read_text(), text, f"{path}: run tests/lint/schemas.py --fix after a build")
    checks.finish()


if __name__ == "__main__":
    main()
