"""Makes the generated files of rules/operators from the operator facts, and prints what changed.

    operator_rules.py FACTS         FACTS: a directory with aten_npu.json, aclnn.json, public_names.json and verdicts.json

The facts are counts and measurements: which kernels op-plugin and torch_npu register for each ATen overload, what the pages of the aclnn
operators say, and which overloads each public name of torch runs forward and backward. Their fields are explained in each file.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path

RULES = Path(__file__).resolve().parents[1] / "rules"
OUT = RULES / "operators"
CHIPS = ("910", "910b", "910_93", "950", "310p", "310b")
# Below the 910B, kernels that are compiled for each shape come first; from it on, those of aclnn.
COMPILED_PER_SHAPE = ("910", "310p")
WEAK = {"950", "310b"}  # so much of them is not known that it is said of the chip
DOCUMENTED_WHOLE = ("910b", "910_93")  # op-plugin is written for these; what a page leaves out runs all the same
RANK = ("npu_native", "npu_aclnn", "npu_aclop", "unknown", "cpu_fallback", "refused")
# What a CPU calls where an NPU calls another operator of the same meaning.
CPU_FORMS = {
    "_scaled_dot_product_flash_attention_for_cpu": "scaled_dot_product_attention",
    "_scaled_dot_product_flash_attention_for_cpu_backward": "npu_fusion_attention_grad",
    "_ctc_loss.Tensor": "_ctc_loss",
    "_ctc_loss_backward.Tensor": "_ctc_loss_backward",
}
# Checks of graphs, and hints: nothing that a device computes.
NO_KERNEL = {"_assert_scalar", "_assert_tensor_metadata", "_functional_assert_scalar", "_functional_sym_constrain_range",
             "_functional_sym_constrain_range_for_size", "_print", "_version", "is_pinned", "pin_memory", "_pin_memory",
             "sym_constrain_range", "sym_constrain_range_for_size", "unflatten_dense_tensors", "flatten_dense_tensors"}
DTYPES = {"f32": "float32", "f16": "float16", "f64": "float64", "bf16": "bfloat16", "i8": "int8", "i16": "int16", "i32": "int32",
          "i64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64", "bool": "bool", "c32": "complex32",
          "c64": "complex64", "c128": "complex128"}
# How rules/sources.json, which has their versions, calls the sources of the facts.
CITED = {"Ascend/op-plugin": "Ascend/op-plugin source", "Ascend/pytorch": "Ascend/pytorch source", "torch": "PyTorch operators",
         "hicann/ops-nn": "hicann/ops docs", "hicann/ops-math": "hicann/ops docs", "hicann/ops-transformer": "hicann/ops docs"}
FIRST, LAST = (2, 1), (2, 15)  # versions of torch that op-plugin speaks of
DEEPEST = 12  # operators inside operators


class Facts:
    def __init__(self, directory):
        self.raw = {name: json.loads((directory / f"{name}.json").read_text())
                    for name in ("aten_npu", "aclnn", "public_names", "verdicts")}
        self.ops = {row["op"]: row for row in self.raw["aten_npu"]["ops"]}
        self.aclnn = {row["name"]: row for row in self.raw["aclnn"]["aclnn"]}
        self.overloads = defaultdict(list)
        for name in self.ops:
            self.overloads[name.split(".")[0]].append(name)
        self.of_name = {row["name"]: row for row in self.raw["verdicts"]["names"]}
        self.known = {}

    def page(self, name):
        row = self.aclnn.get(name)
        return row if row and row.get("page") and not row.get("experimental") else None

    def verdict(self, name, chip, depth=0):
        """(word, operator that decides, why)"""
        key = name, chip
        if key not in self.known:
            self.known[key] = ("npu_native", None, None)  # of an operator that leads back to itself
            self.known[key] = self.judged(CPU_FORMS.get(name, name), chip, depth)
        return self.known[key]

    def worst(self, names, chip, depth):
        found = [self.verdict(name, chip, depth + 1) for name in names] if depth < DEEPEST else []
        return max(found, key=lambda item: RANK.index(item[0]), default=("npu_native", None, None))

    def judged(self, name, chip, depth):
        row = self.ops.get(name)
        if row is None:
            return "unknown", name, "not listed"
        kind = row["kind"]
        if kind == "native":
            return "npu_native", None, None
        if kind == "cpu_fallback":
            return "cpu_fallback", name, "no NPU kernel"
        if kind == "none":
            return "refused", name, "neither an NPU nor a CPU kernel"
        if kind == "sparse":
            return "unknown", name, "only for sparse tensors"
        if kind in ("both", "aclop") and (kind == "aclop" or chip in COMPILED_PER_SHAPE):
            if row.get("aclop_host") == "always":
                return "cpu_fallback", name, "the kernel itself computes on the CPU"
            return "npu_aclop", name, None
        if kind in ("both", "aclnn"):
            return self.of_aclnn(name, row, chip, depth)
        return self.composed(name, row, chip, depth)

    def of_aclnn(self, name, row, chip, depth):
        if row.get("host") == "always":
            return "cpu_fallback", name, "the kernel itself computes on the CPU"
        if chip in DOCUMENTED_WHOLE:
            return "npu_aclnn", name, None
        names = row.get("aclnn", [])
        if chip in COMPILED_PER_SHAPE and row.get("soc_else"):
            return "npu_aclop", name, "as a loop of single operators"
        if not names:
            called = [self.overloads[call][0] for call in row.get("calls", []) if self.overloads.get(call)]
            word, _, why = self.worst(called, chip, depth)
            return (word, name, why) if word in ("unknown", "npu_aclop") else ("npu_aclnn", name, None)
        pages = {each: self.page(each) for each in names}
        says = {each: page["chips"] for each, page in pages.items() if page and "chips" in page}
        if any(chip in said.get("yes", "").split() for said in says.values()):
            return "npu_aclnn", name, None
        denied = sorted(each for each, said in says.items() if chip in said.get("no", "").split())
        if denied:
            return "unknown", name, f"the page of {denied[0]} says no for this chip"
        return "unknown", name, f"chip support of {sorted(names)[0]} not documented"

    def composed(self, name, row, chip, depth):
        if "decomposes_to" in row:
            return self.worst([each for each in row["decomposes_to"] if each != name], chip, depth)
        base, _, overload = name.partition(".")
        if overload.endswith("out"):  # made from the form that returns its result
            form = base if overload == "out" else f"{base}.{overload.removesuffix('_out')}"
            if form in self.ops:
                return self.verdict(form, chip, depth + 1)
        for other in self.overloads.get(row.get("decomposes_to_base", base), []):
            if "decomposes_to" in self.ops[other]:
                return self.verdict(other, chip, depth + 1)
        if base in NO_KERNEL:
            return "npu_native", None, None
        return "unknown", name, "what it is composed of was not measured"

    def dtypes(self, row):
        """{chip: dtypes} where one generated kernel stands behind the operator and its page lists them."""
        page = self.page(row["aclnn"][0]) if row.get("gen") and len(row.get("aclnn", [])) == 1 else None
        if not page or not page.get("in"):
            return {}
        everywhere = {dtype for text in page["in"].values() for dtype in text.split()}
        out = {}
        for chip in CHIPS:
            only = page.get("only", {}).get(chip)
            only = only if isinstance(only, str) else " ".join(only.values()) if only else ""
            without = page.get("not", {}).get(chip, "")
            found = (set(only.split()) or everywhere) - set(without.split() if isinstance(without, str) else without)
            if chip in page["chips"].get("yes", "").split():
                out[chip] = [DTYPES[dtype] for dtype in DTYPES if dtype in found]
        return out


def by_value(of_chip):
    """[(chips, value)], chips with one value together."""
    groups = {}
    for chip in CHIPS:
        if chip in of_chip:
            groups.setdefault(json.dumps(of_chip[chip]), []).append(chip)
    return [(chips, json.loads(value)) for value, chips in groups.items()]


def without_empty(row):
    return {key: value for key, value in row.items() if value not in (None, "", [], {})}


def range_of(versions):
    """ "2.1-2.3;2.4-2.12" as a condition of versions; nothing where it is all of them."""
    ends = [tuple(int(part) for part in end.split(".")) for piece in versions.split(";") for end in piece.split("-")]
    first, last = min(ends), max(ends)
    conditions = [f">={first[0]}.{first[1]}"] if first > FIRST else []
    return ",".join(conditions + ([f"<={last[0]}.{last[1]}"] if last < LAST else []))


def operator_row(facts, row):
    name = row["op"]
    on = []
    for chips, (word, by, why) in by_value({chip: facts.verdict(name, chip) for chip in CHIPS}):
        on.append(without_empty({"chips": chips, "verdict": word, "by": by if by != name else None, "why": why}))
    versions = ";".join(filter(None, (row.get("v_aclnn"), row.get("v_aclop"))))
    return without_empty({
        "name": name, "versions": range_of(versions) if versions else None, "on": on,
        "aclnn": row.get("aclnn", []), "runs": row.get("decomposes_to", []),
        "dtypes": [{"chips": chips, "allowed": allowed} for chips, allowed in by_value(facts.dtypes(row))],
        "on_the_host": row.get("host"),
    })


def schema_rows(facts):
    """The operators of torch_npu that programs call by name, with what each overload takes."""
    of_name = defaultdict(list)
    for row in facts.ops.values():
        if row.get("schema") and not row["op"].startswith("_"):
            of_name[row["op"].split(".")[0]].append("(" + row["schema"].split("(", 1)[1])
    return [{"name": name, "takes": sorted(set(schemas))} for name, schemas in sorted(of_name.items())]


def kernel_versions(facts, names):
    """Of torch, in which all of these operators have kernels; nothing where it is all versions."""
    ranges = {range_of(";".join(filter(None, (row.get("v_aclnn"), row.get("v_aclop"))))) for row in map(facts.ops.get, names)
              if row and (row.get("v_aclnn") or row.get("v_aclop"))}
    return ",".join(sorted(filter(None, ranges)))


def denied_by_pages():
    """The interfaces that the API pages of any version call not supported."""
    rows = json.loads((RULES / "api/torch.json").read_text())["apis"]
    return {row["name"] for row in rows if "no" in (row.get("support"), *(row["support"].values() if isinstance(row.get("support"), dict) else ()))}


def is_told(row, denied):
    """Whether an analysis says something of the name: not all of its calls run in compiled kernels, or the pages deny it."""
    off = {"cpu_fallback", "dtype_refused", "refused"}
    if "versions" in row or row["name"] in denied:
        return True
    for on in row["on"]:
        words = {on.get(key) for key in ("forward", "backward", "some", "backward_some")}
        is_unknown = "unknown" in words and not on.get("denied") and not WEAK.issuperset(on["chips"])
        if words & off or is_unknown or "npu_aclop" in words and set(on["chips"]) & set(DOCUMENTED_WHOLE):
            return True
    return False


def name_row(facts, row):
    on = []
    for chips, said in facts.of_name[row["name"]]["chips"].items():
        # A kernel whose page leaves out a chip that the kernels are written for runs all the same.
        denied = said.get("why", "").endswith("says no for this chip") and set(chips.split()) <= set(DOCUMENTED_WHOLE)
        on.append(without_empty({
            "chips": chips.split(), "denied": denied or None, "forward": said["f"], "by": said.get("by"), "backward": said.get("b"),
            "backward_by": said.get("b_by"), "some": said.get("some"), "some_by": said.get("some_by"),
            "backward_some": said.get("b_some"), "backward_some_by": said.get("b_some_by"), "why": said.get("why"),
        }))
    return without_empty({"name": row["name"], "also": row.get("also"), "forward": row.get("forward", []),
                          "forward_some": row.get("forward_some", []), "backward": row.get("backward", []),
                          "versions": kernel_versions(facts, row.get("forward", []) + row.get("backward", [])), "on": on})


def layout_constraint(contiguous):
    """Of what a page says of tensors that are not contiguous: for all of them, or by parameter."""
    if contiguous is False:
        return ["tensors must be contiguous"]
    if isinstance(contiguous, dict):
        return [f"{', '.join(name for name, is_free in contiguous.items() if not is_free)} must be contiguous"]
    return []


def order_constraint(deterministic):
    said = set(deterministic.values()) if isinstance(deterministic, dict) else {deterministic}
    if "no" in said:
        return ["not deterministic"]
    return ["deterministic on some chips with a system option only"] if "opt_in" in said else []


def kernel_row(row):
    return without_empty({"name": row["name"], "page": row["page"], "experimental": row.get("experimental"), "max_dims": row.get("max_dims"),
                          "constraints": [*row.get("facts", []), *layout_constraint(row.get("noncontiguous")),
                                          *order_constraint(row.get("deterministic"))]})


def cited(facts, name):
    sources = facts.raw[name]["source"]
    sources = sources if isinstance(sources, list) else [sources]
    return "; ".join(f"{CITED[item.get('repository') or item['package']]}: {item['path']}" for item in sources)


def write(file, head, key, rows):
    path = OUT / file
    before = {row["name"]: row for row in json.loads(path.read_text())[key]} if path.exists() else {}
    after = {row["name"]: row for row in rows}
    lines = [json.dumps(row, ensure_ascii=False) for row in rows]
    top = json.dumps(head, ensure_ascii=False, indent=2)[:-2]
    path.write_text(top + f',\n  "{key}": [\n    ' + ",\n    ".join(lines) + "\n  ]\n}\n")
    changed = sorted(name for name in before.keys() & after.keys() if before[name] != after[name])
    print(f"{file}: {len(rows)} rows; new {len(after.keys() - before.keys())}, gone {len(before.keys() - after.keys())}, "
          f"changed {len(changed)}")
    for name in changed[:20]:
        print(f"  {name}")


def main(directory):
    facts = Facts(Path(directory))
    torch = facts.raw["verdicts"]["torch"]
    built = facts.raw["verdicts"]["torch_npu"]
    OUT.mkdir(exist_ok=True)
    write("operators.json", {"schema": 1, "about": "ATen overloads and the operators of torch_npu: what runs where one is called on an NPU.",
                             "source": cited(facts, "aten_npu"), "torch": torch, "torch_npu": built},
          "operators", [operator_row(facts, row) for row in facts.ops.values()])
    denied = denied_by_pages()
    names = [name_row(facts, row) for row in facts.raw["public_names"]["names"]]
    write("names.json", {"schema": 1, "about": "Public names of torch whose calls run in compiled kernels: their operators forward and "
                         "backward, and what becomes of them.", "source": cited(facts, "public_names")},
          "names", [row for row in names if not is_told(row, denied)])
    write("names_told.json", {"schema": 1, "about": "The same for names of which an analysis says something: some of their calls leave the NPU, "
                              "or the API pages deny them.", "source": cited(facts, "public_names")},
          "names", [row for row in names if is_told(row, denied)])
    write("schemas.json", {"schema": 1, "about": "What the operators of torch_npu take.", "source": cited(facts, "aten_npu")},
          "schemas", schema_rows(facts))
    write("kernels.json", {"schema": 1, "about": "aclnn operators that have a page: where it is, and the constraints that it states.",
                           "source": cited(facts, "aclnn")},
          "kernels", [kernel_row(row) for row in facts.aclnn.values() if row.get("page")])


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    main(sys.argv[1])
