"""No two pieces of advice that can be given for one project advise opposite things.

Each rule of advice says what it moves and which way (`advises`). Of two rules that move one thing in two ways, one must exclude the other: by
`unless_said`, or by what the project mentions. And every NAME=VALUE of a variable that advice, generated scripts and profiles name is a value that the
table of variables takes, that no remark calls slow, and the same everywhere.
"""

import itertools
import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from checks import ROOT, Checks  # noqa: E402

VALUE = re.compile(r"\b([A-Z][A-Z0-9_]{5,})=([A-Za-z0-9_:.]*[A-Za-z0-9_])")
# Not those that are for one engine only.
EXPORT = re.compile(r'^export (\w+)="\$\{\1:-([^{}$"]+)\}"$', re.MULTILINE)


def rules_of_advice():
    for path in sorted((ROOT / "rules/advice").glob("*.json")):
        yield from (rule for rule in json.loads(path.read_text())["rules"] if rule["kind"] == "advice")


def tables():
    for path in sorted((ROOT / "rules/env").glob("*.json")):
        yield from json.loads(path.read_text()).get("tables", [])


def exclude(a, b):
    """Whether both can never be said in one project."""
    for one, other in ((a, b), (b, a)):
        if other["id"] in one.get("unless_said", []):
            return True
        if set(one.get("if_mentioned", [])) and set(one.get("if_mentioned", [])) <= set(other.get("unless_mentioned", [])):
            return True
    return bool(set(a.get("megatron", [])) and set(b.get("megatron", [])) and not set(a["megatron"]) & set(b["megatron"]))


def opposites(rules):
    """Pairs that move one thing in two ways."""
    for a, b in itertools.combinations(rules, 2):
        for what in sorted(a.get("advises", {}).keys() & b.get("advises", {}).keys()):
            if a["advises"][what] != b["advises"][what] and not exclude(a, b):
                yield f"{a['id']} moves {what}: {a['advises'][what]}, {b['id']} moves it: {b['advises'][what]}"


def takes(row, value):
    if "one_of" in row and value.lower() not in [word.lower() for word in row["one_of"]]:
        return False
    if row.get("options"):
        value = value[1:].lstrip(",") if "first" in row and value[:1] in row["first"]["one_of"] else value
        return not value or all(part.split(":")[0] in row["options"] for part in value.split(","))
    if row.get("numbers"):
        return not any(letter.isalpha() for letter in value)
    bounds = [key for key in ("min", "max", "above", "below", "multiple_of") if key in row]
    if not bounds:
        return True
    number = float(value)
    return (number >= row.get("min", number) and number <= row.get("max", number) and ("above" not in row or number > row["above"])
            and ("below" not in row or number < row["below"]) and ("multiple_of" not in row or number % row["multiple_of"] == 0))


def advised_values():
    """(where, variable, value) of all texts that tell somebody to set a variable."""
    for rule in rules_of_advice():
        for name, value in VALUE.findall(rule["message"]):
            yield rule["id"], name, value
        for name, value in rule["advises"].items():
            if re.fullmatch("[A-Z_]{6,}", name) and " " not in value:
                yield rule["id"], name, value
    for rule in json.loads((ROOT / "rules/profiles/advice.json").read_text())["rules"]:
        for name, value in VALUE.findall(rule["advice"]):
            yield rule["id"], name, value
    for variable in json.loads((ROOT / "rules/start/start.json").read_text())["variables"]:
        if "$" not in variable["value"]:
            yield "rules/start/start.json", variable["name"], variable["value"]
    for path in sorted((ROOT / "templates/launch").rglob("*.sh")):
        for name, value in EXPORT.findall(path.read_text()):
            yield str(path.relative_to(ROOT)), name, value


def advising_texts():
    """(where, text) of all texts that tell somebody to set a variable."""
    yield from ((rule["id"], rule["message"]) for rule in rules_of_advice())
    yield from ((rule["id"], rule["advice"]) for rule in json.loads((ROOT / "rules/profiles/advice.json").read_text())["rules"])


def unnamed(text, rows):
    """What excludes a value that the text advises, and that it does not name: a project may have set it."""
    for name, value in VALUE.findall(text):
        for option, others in rows.get(name, {}).get("excludes", {}).items():
            yield from (other for other in others if option in value and other not in text)


def self_test(checks):
    """The check finds what it is for."""
    more = {"id": "a", "advises": {"x": "more"}}
    less = {"id": "b", "advises": {"x": "less"}}
    checks.equal(len(list(opposites([more, less]))), 1, "two rules that move one thing in two ways")
    checks.equal(len(list(opposites([more, {**less, "unless_said": ["a"]}]))), 0, "one is silent where the other speaks")
    checks.equal(len(list(opposites([{**more, "if_mentioned": ["y"]}, {**less, "unless_mentioned": ["y", "z"]}]))), 0, "for different projects")
    checks.equal(len(list(opposites([more, {**less, "advises": {"x": "more"}}]))), 0, "the same way")
    checks.expect(not takes({"min": 0, "max": 7}, "9") and takes({"min": 0, "max": 7}, "4"), "bounds of a number")
    checks.expect(not takes({"one_of": ["0", "1"]}, "2"), "words of a variable")
    rows = {"ALLOC_CONF": {"excludes": {"a:1": ["b"]}}}
    checks.equal((list(unnamed("Set ALLOC_CONF=a:1.", rows)), list(unnamed("Set ALLOC_CONF=a:1 in place of b.", rows))), (["b"], []), "what a value excludes")


def main():
    checks = Checks()
    self_test(checks)
    rules = list(rules_of_advice())
    for rule in rules:
        checks.expect(rule.get("advises"), f"{rule['id']}: \"advises\" is missing: what it moves, and which way")
    for one in opposites(rules):
        checks.expect(False, one)
    rows = {row["name"]: row for table in tables() if table["match"] == "variable_value" for row in table["rows"]}
    slow = {(row["name"], row["value"]) for table in tables() if table["match"] == "value_remark" for row in table["rows"]}
    for where, text in advising_texts():
        checks.equal(list(unnamed(text, rows)), [], f"{where}: what excludes the value that it advises")
    said = {}
    for where, name, value in advised_values():
        if name in rows:
            checks.expect(takes(rows[name], value), f"{where}: {name} does not take {value}")
        checks.expect((name, value) not in slow, f"{where}: {name}={value} is called slow elsewhere")
        first, before = said.setdefault(name, (where, value))
        checks.equal(value, before, f"{where}: {name} is {before} in {first}")
    launch = json.loads((ROOT / "rules/launch/launch.json").read_text())
    larger = next(number["value"] for number in launch["numbers"] if number["name"] == "larger_payload")
    reserve = json.loads((ROOT / "rules/planner/hardware.json").read_text())["reserve"]
    checks.equal(larger, f"hccl_payload > {rows['HCCL_BUFFSIZE']['default']}", "what HCCL_BUFFSIZE is where nothing sets it")
    template = (ROOT / "templates/launch/common/environment.sh").read_text()
    conditions = re.findall(rf"^export {reserve['buffer_variable']}=.*\{{hccl_payload\}}\}}\}}\" #\? (.*)$", template, re.M)
    checks.equal(conditions, ["larger_payload & !fsdp2", "short_memory"], "where launch sets HCCL_BUFFSIZE: to what is sent, else not at all")
    checks.equal(str(reserve["buffer_mib"]), rows["HCCL_BUFFSIZE"]["default"], "the same for plan")
    checks.finish()


if __name__ == "__main__":
    main()
