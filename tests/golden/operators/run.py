"""`migrator ops` on lists, counts, logs, traces and graphs: verdicts, shares, exit codes, and what it says of bad input.

cases.json are 60 names judged by rule from the sources; models/ the operators that one training step of 13 models ran, and which
of them leave the NPU of an Atlas A2; graph.pt2 was written by torch 2.13: branches with lgamma and sin, and erfc of uint8.
"""

import gzip
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from checks import ROOT, Checks, tool  # noqa: E402

HERE = Path(__file__).resolve().parent
MOST_UNKNOWN = 0.02


def ops(*words, text=None):
    return subprocess.run([str(tool("migrator")), "ops", *map(str, words)], input=text, capture_output=True, text=True)


def judged(*words, text=None):
    return json.loads(ops(*words, "--json", text=text).stdout)


def check_cases(checks):
    cases = json.loads((HERE / "cases.json").read_text())
    for chip in sorted({case["chip"] for case in cases}):
        of_chip = [case for case in cases if case["chip"] == chip]
        text = "".join(f"{case['name']} {case['dtype']}\n" for case in of_chip)
        found = judged("-", "--chip", chip, text=text)
        checks.equal((found["chip"], found["torch"]), (chip, "2.13"), "chip and torch")
        rows = {(row["name"], row["dtype"]): row for row in found["operators"]}
        for case in of_chip:
            row = rows[case["name"], case["dtype"]]
            if case["expect"].startswith("forward npu"):
                said = (row["forward"].startswith("npu"), row["backward"], row["by"])
                checks.equal(said, (True, "cpu_fallback", case["op"]), f"{case['name']} on {chip}")
            else:
                checks.equal(row["forward"], case["expect"], f"{case['name']} ({case['dtype']}) on {chip}")
            checks.expect(row["source"], f"{case['name']}: no source")


def check_models(checks):
    models = {path.name: json.loads(path.read_text()) for path in sorted((HERE / "models").glob("*.json"))}
    operators = {name: {op for phase in ("forward", "backward", "optimizer") for op in model.get(phase, {})}
                 for name, model in models.items()}
    every = json.dumps({"forward": {op: 1 for ops_of in operators.values() for op in ops_of}})
    for chip, most_unknown in (("a2", MOST_UNKNOWN), ("a3", MOST_UNKNOWN), ("950", 0.12), ("910a", 0.12), ("310p", 0.12)):
        verdicts = {row["name"]: row["forward"] for row in judged("-", "--chip", chip, text=every)["operators"]}
        for name, wanted in operators.items():
            checks.expect(wanted <= verdicts.keys(), f"{name}: operators without a verdict: {wanted - verdicts.keys()}")
            unknown = [op for op in wanted if verdicts[op] == "unknown"]
            checks.expect(len(unknown) <= most_unknown * len(wanted), f"{name} on {chip}: not known: {unknown}")
            left = {op: verdicts[op] for op in wanted if not verdicts[op].startswith("npu")}
            if chip == "a2":
                checks.equal(left, models[name]["leaves_the_npu"], f"{name}: what leaves the NPU")
    path = HERE / "models/custom-gamma_vae.json"
    rows = {row["name"]: row["count"] for row in judged(path)["operators"]}
    checks.equal((rows["digamma"], set(rows)), (2, operators[path.name]), "the counts of a file")


def event(name, begin, duration, external, category="cpu_op", kinds=("float",)):
    return {"ph": "X", "cat": category, "name": name, "ts": begin, "dur": duration, "pid": 1, "tid": 1,
            "args": {"External id": external, "Input type": list(kinds)}}


# conv2d calls what a GPU has for it; lgamma runs beside it.
HOST = [event("aten::conv2d", 0, 100, 1), event("aten::convolution", 10, 80, 2), event("aten::cudnn_convolution", 20, 50, 3),
        event("aten::lgamma", 200, 20, 4, kinds=("c10::Half", "")), event("autograd::engine::evaluate_function", 300, 5, 5),
        event("Optimizer.step#AdamW.step", 310, 5, 6)]
DEVICE = [event("k1", 25, 30, 3, "kernel"), event("k2", 205, 10, 4, "kernel")]


def shares(report):
    return {row["name"]: (row["dtype"], row["count"], round(row["share"], 3), row["forward"]) for row in report["operators"]}


def check_traces(checks, directory):
    def written(name, value):
        path = directory / name
        text = value if isinstance(value, str) else json.dumps(value)
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
        return path

    # 80 of 120 in convolution, with what is in it; 20 in conv2d around it; 20 in lgamma.
    of_host = {"aten::conv2d": ("float32", 1, 0.167, "npu_aclnn"), "aten::convolution": ("float32", 1, 0.667, "npu_aclnn"),
               "aten::lgamma": ("float16", 1, 0.167, "cpu_fallback")}
    for name, value in (("object.json", {"schemaVersion": 1, "traceEvents": HOST, "more": [{"name": "aten::x"}]}),
                        ("list.json", HOST), ("packed.json.gz", {"traceEvents": HOST})):
        checks.equal(shares(judged(written(name, value))), of_host, name)
    device = judged(written("device.json", {"traceEvents": DEVICE + HOST}))
    checks.equal(shares(device)["aten::lgamma"][2], 0.25, "10 of 40 us on the device")
    checks.expect("of the time on the device" in device["says"] and "75.0 %" in device["says"], device["says"])
    whole = json.dumps({"traceEvents": HOST})
    cut = written("cut.json", whole[:whole.index("Optimizer")])
    result = ops(cut, "--json")
    checks.equal((result.returncode, shares(json.loads(result.stdout))["aten::lgamma"][1]), (0, 1), "a trace that ends early")
    checks.expect("only the beginning of the trace could be read" in result.stderr, result.stderr)
    packed = gzip.compress(whole.encode())
    (directory / "cut.json.gz").write_bytes(packed[: len(packed) // 2])
    result = ops(directory / "cut.json.gz")
    checks.equal(result.returncode, 4, "a packed trace that is cut off before its first event ends")
    checks.expect("damaged or cut off" in result.stderr, result.stderr)
    many = [event(f"aten::{name}", number, 1, number) for number, name in enumerate(["lgamma", "sin"] * 5000)]
    packed = gzip.compress(json.dumps(many).encode())
    (directory / "cut.json.gz").write_bytes(packed[: len(packed) // 2])
    result = ops(directory / "cut.json.gz", "--json")
    counts = {row["name"]: row["count"] for row in json.loads(result.stdout)["operators"]}
    checks.expect(result.returncode == 0 and 1000 < counts["aten::lgamma"] < 4500, f"{result.returncode}: {counts}")
    checks.expect("the gzip data is damaged or cut off" in result.stderr, result.stderr)


def check_folders(checks, directory):
    """A folder of Ascend's profiler is read by its trace."""
    output = directory / "host_1_ascend_pt/ASCEND_PROFILER_OUTPUT"
    output.mkdir(parents=True)
    (output / "trace_view.json").write_text(json.dumps(HOST))
    for path in (output.parent, output, output / "trace_view.json"):
        checks.equal(shares(judged(path))["aten::lgamma"][1], 1, str(path))
    checks.equal(ops(directory / "host_1_ascend_pt/..", text=None).returncode, 0, "the folder around it")


def check_dimensions(checks, directory):
    """CANN has tensors of up to eight dimensions, where the page of a kernel does not say less of one of its tensors."""
    path = directory / "dimensions.json"
    why = "a tensor has 9 dimensions, and the page of aclnnSin allows 8"
    for name, dims, verdict, why in (("aten::sin", [[2] * 8, [2, 2], [], [[2, 2], [1] * 8]], "npu_aclnn", ""),
                                     ("aten::sin", [[2, 2], [2] * 9], "refused", why), ("aten::sin", [[[2, 2], [1] * 9]], "refused", why),
                                     ("aten::embedding", [[9, 2], [2, 2, 2]], "npu_aclnn", "")):
        one = event(name, 0, 10, 1)
        one["args"]["Input Dims"] = dims
        path.write_text(json.dumps([one]))
        row = judged(path)["operators"][0]
        checks.equal((row["forward"], row["why"]), (verdict, why), f"dimensions {dims}")


def check_instead(checks):
    sentence = "torch.sqrt(a * a + b * b) runs on the NPU; it overflows earlier."
    checks.equal([row["instead"] for row in judged("-", text="torch.hypot\ntorch.sin\ntorch.lgamma\n")["operators"]], [sentence, "", ""], "instead")
    checks.expect(f"\n    {sentence}\n" in ops("-", text="torch.hypot\n").stdout, "what to write is not said")


def check_explained(checks):
    page = subprocess.run([str(tool("migrator")), "explain", "torch.addmm"], capture_output=True, text=True).stdout
    checks.expect("\n  page of aclnnAddmm: up to 2 dimensions; broadcast between inputs; dtypes must be promotable to a common type; some inputs must "
                  "share one dtype; deterministic on some chips with a system option only\n" in page, page)


def check_report(checks, directory):
    result = ops("-", "--report", directory / "report", "--format", "html,json,sarif", text="torch.hypot\ntorch.sin\nmylib::y\n")
    checks.equal(result.returncode, 0, result.stderr)
    checks.equal(sorted(path.name for path in (directory / "report").iterdir()), ["ops.html", "ops.json", "ops.sarif"], "files")
    checks.expect(result.stdout.endswith(f"The report: {directory}/report/ops.html\n"), result.stdout)
    rows = json.loads((directory / "report/ops.json").read_text())["operators"]
    checks.equal(rows[0]["chips"], {chip: "cpu_fallback" for chip in ("910b", "910_93", "950", "910", "310p", "310b")}, "chips")
    run = json.loads((directory / "report/ops.sarif").read_text())["runs"][0]
    checks.equal([(item["ruleId"], item["level"], item["message"]["text"]) for item in run["results"]],
                 [("operator.cpu_fallback", "warning", "torch.hypot on Atlas A2: runs on the CPU, with copies there and back (no NPU kernel). "
                   "torch.sqrt(a * a + b * b) runs on the NPU; it overflows earlier."),
                  ("operator.unknown", "note", "mylib::y on Atlas A2: not known: no source says (listed nowhere: neither in torch nor in torch_npu).")],
                 "results")
    page = (directory / "report/ops.html").read_text()
    checks.equal(page.count("<tr data-verdict="), 3, "rows of the page")
    checks.expect("{{" not in page, "a mark is left")
    hostile = directory / "<b>&.txt"
    hostile.write_text("torch.sin\n")
    ops(hostile, "--report", directory / "hostile")
    checks.equal(sorted(path.name for path in (directory / "hostile").iterdir()), ["ops.html", "ops.json"], "the usual files")
    checks.expect("<b>" not in (directory / "hostile/ops.html").read_text(), "the name of the input is markup")
    checks.equal(ops("-", "--format", "sarif", text="torch.sin").returncode, 2, "--format without --report")


def listed(*words):
    return subprocess.run([str(tool("migrator")), "rules", "operators", *words], capture_output=True, text=True)


def check_list(checks):
    whole = json.loads(listed("--json").stdout)
    rules = json.loads((ROOT / "rules/operators/operators.json").read_text())["operators"]
    checks.equal([row["name"] for row in whole["operators"]], [row["name"] for row in rules], "all operators, in their order")
    for verdict in ("cpu_fallback", "npu_aclop", "refused"):
        wanted = [row["name"] for row in whole["operators"] if row["here"]["verdict"] == verdict]
        found = json.loads(listed("--verdict", verdict, "--json").stdout)["operators"]
        checks.equal([row["name"] for row in found], wanted, verdict)
    on_p = {row["name"]: row["here"]["verdict"] for row in json.loads(listed("--chip", "310P", "--json").stdout)["operators"]}
    differ = [(row["name"], row["here"]["verdict"], on_p[row["name"]]) for row in whole["operators"] if row["here"]["verdict"] != on_p[row["name"]]]
    found = json.loads(listed("--compare", "310P", "--json").stdout)
    checks.equal([(row["name"], row["here"]["verdict"], row["there"]["verdict"]) for row in found["operators"]], differ, "A2 and 310P")
    text = listed("reverse", "--torch-version", "2.1", "--compare-version", "2.7").stdout
    checks.expect("reverse  npu_aclop -> unknown: its kernel is there with torch <=2.1 only\n" in text, text)
    checks.expect(text.endswith(" with different verdicts on Atlas A2 with torch 2.1 and Atlas A2 with torch 2.7\n"), text)
    checks.equal(listed("linalg_inv", "--verdict", "cpu_fallback").stdout.splitlines()[-1].split(" on ")[1], "Atlas A2 with torch 2.13; cpu_fallback 4", "a word")
    for words in (("--chip", "a4"), ("--compare", "a4"), ("--verdict", "fine"), ("--compare-version", "new")):
        checks.equal(listed(*words).returncode, 2, f"{words}")


def check_graph(checks):
    found = judged(HERE / "graph.pt2")
    rows = {row["name"]: (row["dtype"], row["forward"], row["by"]) for row in found["operators"]}
    checks.equal(found["kind"], "graph", "kind")
    checks.equal(rows.get("aten::lgamma.default"), ("float32", "cpu_fallback", "lgamma.out"), "in a branch")
    checks.equal(rows.get("aten::sin.default"), ("float32", "npu_aclnn", "sin"), "in the other")
    checks.equal(rows.get("aten::special_erfc.default"), ("uint8", "dtype_refused", "erfc"), "erfc of bytes")


def check_logs(checks):
    log = ("[W] The operator 'aten::isin.Tensor_Tensor_out' is not currently supported on the NPU backend and will fall back to "
           "run on the CPU.\nstep 1 aten::add is fine\nRuntimeError: aclnnCdist failed, error code is 161002\n"
           "[W] The operator 'aten::lgamma.out' is not currently supported and will fall back to run on the CPU\n" * 2)
    found = judged("-", text=log)
    checks.equal({row["name"]: row["count"] for row in found["operators"]},
                 {"aten::isin.Tensor_Tensor_out": 2, "aclnnCdist": 2, "aten::lgamma.out": 2}, "operators of a log")
    checks.equal(found["kind"], "log", "kind")


def check_names(checks):
    """One operator, however people write it."""
    same = ("aten::lgamma", "aten.lgamma.default", "torch.ops.aten.lgamma", "lgamma", "torch.lgamma", "torch.Tensor.lgamma", "Tensor.lgamma")
    for row in judged("-", text="\n".join(same))["operators"]:
        checks.equal(row["forward"], "cpu_fallback", row["name"])
    checks.equal(judged("-", text="nn.functional.gelu torch.bfloat16 3")["operators"][0]["count"], 3, "a count")
    unknown = judged("-", text="mylib::fused")["operators"][0]
    checks.equal((unknown["forward"], unknown["why"]), ("unknown", "listed nowhere: neither in torch nor in torch_npu"), "a library's")
    with_version = judged("-", "--torch-version", "2.1", text="npu_fusion_attention_v3")["operators"][0]
    checks.equal(with_version["forward"], "unknown", "a kernel that came later")


def check_recorder(checks):
    # What a CPU calls in its place is judged in a recording; in a list it is what somebody calls on an NPU.
    for text, verdict in (("# recorded operators\naten::mkldnn_rnn_layer float32 2\n", "npu_aclnn"), ("aten::mkldnn_rnn_layer\n", "cpu_fallback")):
        checks.equal(judged("-", text=text)["operators"][0]["forward"], verdict, text)
    result = ops("--recorder")
    checks.equal((result.returncode, result.stderr), (0, ""), "--recorder")
    compile(result.stdout, "record_ops.py", "exec")


def check_exit_codes(checks, directory):
    for words, text, code, says in (
        (("-", "--fail-on", "cpu_fallback"), "torch.lgamma\n", 1, ""),
        (("-", "--fail-on", "refused"), "torch.lgamma\n", 0, ""),
        (("-", "--fail-on", "refused"), "aten::_scaled_dot_product_efficient_attention\n", 1, ""),
        (("-",), "", 4, "there is no operator in it"),
        (("-",), "torch.add\nthis is prose about things\n", 4, "standard input:2: this is not a name of an operator"),
        (("-",), "\x00\x01\x02", 4, "standard input:1: this is not a name of an operator"),
        (("-",), '{"a": 1}', 4, "there is no operator in it"),
        (("-",), '{"traceEvents": [{"name": ', 4, "standard input"),
        (("-", "--chip", "a4"), "torch.add", 2, 'unknown chip "a4"; did you mean "a'),
        ((), None, 2, "name a trace, a graph, a log or a list"),
        (("-", "--torch-version", "new"), "torch.add", 2, "is not a version such as 2.7"),
        ((directory / "missing.json",), None, 4, "there is no such file"),
        ((directory,), None, 4, ""),
    ):
        result = ops(*words, text=text)
        checks.equal(result.returncode, code, f"{words} {text!r}: exit code ({result.stderr.strip()})")
        checks.expect(says in result.stderr, f"{words}: {result.stderr}")


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as directory:
        check_cases(checks)
        check_models(checks)
        check_traces(checks, Path(directory))
        check_folders(checks, Path(tempfile.mkdtemp(dir=directory)))
        check_dimensions(checks, Path(directory))
        check_instead(checks)
        check_explained(checks)
        check_report(checks, Path(directory))
        check_list(checks)
        check_graph(checks)
        check_logs(checks)
        check_names(checks)
        check_recorder(checks)
        check_exit_codes(checks, Path(directory))
    checks.finish()


if __name__ == "__main__":
    main()
