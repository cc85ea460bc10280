"""`migrator analyze` on every public name of torch that was measured: what leaves the NPU is told, and nothing else is.

For each chip a program uses each name once, in a function of its own, as code would: as a function, a class, a method of a tensor or of a
distribution. A name without a finding would be silent; a finding of a name that runs whole in kernels would be noise.
"""

import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from checks import ROOT, Checks, run, tool  # noqa: E402

OPERATORS = ROOT / "rules/operators"
LEAVES = {"cpu_fallback", "dtype_refused", "refused"}  # No public name has had the last two: a rule would have to speak of them.
ROWS = {row["name"]: row for row in json.loads((OPERATORS / "chips.json").read_text())["chips"]}
PRODUCTS = {name: row["product"] for name, row in ROWS.items()}
WEAK = {name for name, row in ROWS.items() if row.get("weak")}
COMPILED = {name for name, row in ROWS.items() if row.get("compiles")}
CHIPS = {"A2": "910b", "A3": "910_93", "950": "950", "910A": "910", "310P": "310p", "310B": "310b"}
# The first that fits, by what is known of forward, backward and of some arguments.
ORDER = (("operator.on_cpu", "forward"), ("operator.backward_on_cpu", "backward"), ("operator.sometimes_on_cpu", "some"),
         ("operator.sometimes_on_cpu", "backward_some"))


def rows():
    return [row for file in ("names.json", "names_told.json") for row in json.loads((OPERATORS / file).read_text())["names"]]


def use_of(name):
    """An expression that uses the name as programs do."""
    name, _, arguments = name.rstrip(")").partition("(")
    owner, _, member = name.rpartition(".")
    if owner == "torch.Tensor":
        return f"x.{member}({arguments})"
    if owner.startswith("torch.distributions.") and owner.rpartition(".")[2][:1].isupper():
        return f"{owner}(x).{member}()"
    return f"{name}({arguments})"


def wanted_of(row, chip):
    """The rule that speaks of the name on the chip; None: it runs in kernels, or the API pages speak of it."""
    on = next(on for on in row["on"] if chip in on["chips"])
    return next((rule for rule, key in ORDER if on.get(key) in LEAVES), None)


def found_in(directory, *words):
    done = run(tool("migrator"), "analyze", directory, "--json", *words)
    report = json.loads(done.stdout)
    rules = {}
    for finding in (finding for file in report["files"] for finding in file["findings"]):
        rules.setdefault(finding["begin"]["line"], []).append(finding)
    return report, rules


def check_chip(checks, names, directory, word, chip):
    _, by_line = found_in(directory, "--chip", word)
    for i, row in enumerate(names):
        said = [finding for finding in by_line.get(2 * i + 4, []) if finding["rule"].startswith("operator.")]
        wanted = wanted_of(row, chip)
        shown = f"{row['name']} on {word}"
        if wanted is not None:
            # A distribution may have its own reason, and its method another.
            if checks.equal({finding["rule"] for finding in said}, {wanted}, shown):
                checks.expect(f"On {PRODUCTS[chip]} this is the operator " in said[0]["message"], f"{shown}: {said[0]['message']}")
            continue
        on = next(on for on in row["on"] if chip in on["chips"])
        may_say = {"operator.compiled"} if on["forward"] == "npu_aclop" else {"operator.unknown"} if "unknown" in on.values() else set()
        checks.expect({finding["rule"] for finding in said} <= may_say, f"{shown}: {[finding['rule'] for finding in said]}")
        if chip in WEAK or on["forward"] == "npu_aclop" and chip in COMPILED:
            checks.equal(said, [], f"{shown}: what is true of most operators of a chip is not said of each")


def check_versions(checks, directory):
    """Shifts have kernels from torch 2.7 on."""
    (directory / "a.py").write_text("import torch\n\n\ndef f(x: torch.Tensor):\n    return torch.bitwise_left_shift(x, 1)\n")
    for version, wanted in (("2.6", ["operator.on_cpu"]), ("2.7", [])):
        _, by_line = found_in(directory, "--torch-version", version)
        checks.equal([item["rule"] for item in by_line.get(5, []) if item["rule"].startswith("operator.")], wanted, f"a shift with torch {version}")


def check_places(checks, directory):
    lines = ["import torch", "", "", "def f(x: torch.Tensor):", *["    x = x + torch.lgamma(x)"] * 8, "    return x", "", "",
             "def g(x: torch.Tensor):", "    return [x.lgamma() for _ in range(2)]"]
    (directory / "a.py").write_text("\n".join(lines) + "\n")
    report, by_line = found_in(directory)
    checks.equal({line: len(found) for line, found in by_line.items()}, {5: 1, 17: 1}, "one finding for each operator and function")
    checks.expect("On Atlas A2 this is the operator lgamma. Also in lines 6, 7, 8, 9, 10 and 2 more." in by_line[5][0]["message"],
                  by_line[5][0]["message"])
    checks.equal((by_line[5][0]["severity"], by_line[5][0]["effort"]), ("warning", "check"), "it is to be reviewed")
    for chip, says in (("A2", ""), ("910A", "compiled at run time"), ("950", "What is known of the 950 is weak")):
        report, _ = found_in(directory, "--chip", chip)
        notes = " ".join(note if isinstance(note, str) else note["text"] for note in report["notes"])
        checks.expect(says in notes and (says or "weak" not in notes and "compiled at" not in notes), f"notes for {chip}: {notes}")
    (directory / "pyproject.toml").write_text('[tool.migrator]\nchip = "910A"\n')
    report, _ = found_in(directory)
    checks.expect("910A" in json.dumps(report["notes"]), f"the chip of the settings: {report['notes']}")
    refused = run(tool("migrator"), "analyze", directory, "--chip", "a4")
    checks.equal(refused.returncode, 2, "a chip that there is not")
    checks.expect('unknown chip "a4"; did you mean "a' in refused.stderr, refused.stderr)


def main():
    checks = Checks()
    names = rows()
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        functions = [f"def f{i}(x: torch.Tensor):\n    {use_of(row['name'])}\n" for i, row in enumerate(names)]
        (directory / "a.py").write_text("import torch\n\n" + "".join(functions))
        for word, chip in CHIPS.items():
            check_chip(checks, names, directory, word, chip)
        check_places(checks, directory)
        (directory / "pyproject.toml").unlink()
        check_versions(checks, directory)
    checks.finish()


if __name__ == "__main__":
    main()
