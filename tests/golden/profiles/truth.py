"""`migrator compare` without --compat: figures that are known, because the profiles are made here.

The tool of the vendor is wrong on most of these: kernels on stream 0, two kernels that begin together, parts of a microsecond, an operator
of another thread that is open meanwhile, a plane without waits, streams under another key. Damaged and foreign files end with an error.
"""

import csv
import gzip
import json
import random
import shutil
import sys
import tarfile
import tempfile
import xml.etree.ElementTree
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from checks import Checks, run, tool  # noqa: E402

BASE_US = 1736408883000000
FORWARD, BACKWARD = 10, 11


def union(intervals):
    total, end = 0, None
    for begin, stop in sorted(intervals):
        if end is None or begin > end:
            total, end = total + stop - begin, stop
        elif stop > end:
            total, end = total + stop - end, stop
    return total


class Gpu:
    """A trace of a GPU from a plan in nanoseconds."""

    def __init__(self, stream=7, launches=("cudaLaunchKernel",), has_arrows=True):
        self.events, self.stream, self.link = [], stream, 0
        self.launches, self.has_arrows = launches, has_arrows
        self.computing, self.communication, self.parts = [], [], {}

    def event(self, **fields):
        fields["ts"] = fields["ts"] / 1000 + 5000000
        if "dur" in fields:
            fields["dur"] = fields["dur"] / 1000
        self.events.append(fields)

    def operator(self, name, begin, length, thread=FORWARD):
        self.event(ph="X", cat="cpu_op", name=name, pid=1, tid=thread, ts=begin, dur=length, args={"Input Dims": [[2, 3]]})

    def kernel(self, name, begin, length, part, launched=None, thread=FORWARD, stream=None, link=True):
        stream = self.stream if stream is None else stream
        self.link += 1
        args = {"stream": stream, "device": 0, "correlation": self.link if link else 0}
        self.event(ph="X", cat="kernel", name=name, pid=0, tid=stream, ts=begin, dur=length, args=args)
        if launched is not None:
            self.event(ph="X", cat="cuda_runtime", name=self.launches[self.link % len(self.launches)], pid=1, tid=thread, ts=launched, dur=3000,
                       args={"correlation": self.link if link else 0})
        if launched is not None and self.has_arrows:
            self.event(ph="s", cat="ac2g", name="ac2g", id=self.link, pid=1, tid=thread, ts=launched)
            self.event(ph="f", cat="ac2g", name="ac2g", id=self.link, pid=0, tid=stream, ts=begin, bp="e")
        if part is None:
            self.communication.append((begin, begin + length))
            return
        self.computing.append((begin, begin + length))
        time, count = self.parts.get(part, (0, 0))
        self.parts[part] = (time + length, count + 1)

    def text(self):
        return json.dumps({"schemaVersion": 1, "deviceProperties": [], "traceEvents": self.events})

    def truth(self):
        every = self.computing + self.communication
        computing, both = union(self.computing), union(every)
        whole = max(end for _, end in every) - min(begin for begin, _ in every)
        return {"compute_time": computing / 1e9, "communication_not_overlapped": (both - computing) / 1e9, "e2e_time": whole / 1e9,
                "scheduling_time": (whole - both) / 1e9}


def random_gpu(seed, stream):
    chance = random.Random(seed)
    out = Gpu(stream)
    out.event(ph="s", cat="fwdbwd", name="fwdbwd", id=1, pid=1, tid=FORWARD, ts=0)
    out.event(ph="f", cat="fwdbwd", name="fwdbwd", id=1, pid=1, tid=BACKWARD, ts=1, bp="e")
    # It is open all the time, on another thread than the backward pass.
    out.operator("aten::conv2d", 0, 100_000_000, FORWARD + 5)
    kinds = (("aten::mm", "ampere_gemm", "matmul_time_cube"), ("aten::mm", "splitKreduce_kernel", "matmul_time_vector"),
             ("aten::linear", "cutlass_80", "matmul_time_cube"),
             ("aten::_scaled_dot_product_flash_attention", "pytorch_flash::flash_fwd_kernel", "fa_time_fwd_cube"),
             ("aten::silu", "vectorized_elementwise", "vector_time_notrans"), (None, "triton_poi_fused", "vector_time_notrans"),
             (None, "sm90_xmma_gemm", "matmul_time_cube"), (None, "fmha_cutlassB", "fa_time_fwd_cube"))
    host, device = 1000, 50_000
    for _ in range(chance.randint(20, 60)):
        operator, kernel, part = chance.choice(kinds)
        backward = chance.random() < 0.3
        thread = BACKWARD if backward else FORWARD
        if operator:
            out.operator(operator, host, 9000, thread)
        if backward and part == "fa_time_fwd_cube" and operator:
            part = "fa_time_bwd_cube"
        length = chance.randint(300, 90_000)
        out.kernel(kernel, device, length, part, host + 2000, thread)
        if chance.random() < 0.2:  # another stream, at the same time
            out.kernel("ncclDevKernel_AllReduce", device + length // 2, length, None, stream=20)
        host += 12_000
        device = max(device + length + chance.choice([0, 137, 5000]), host)
    return out


def part_names():
    return ("fa_{}_fwd_cube", "fa_{}_fwd_vector", "fa_{}_bwd_cube", "fa_{}_bwd_vector", "conv_{}_fwd_cube", "conv_{}_fwd_vector", "conv_{}_bwd_cube",
            "conv_{}_bwd_vector", "matmul_{}_cube", "matmul_{}_vector", "vector_{}_notrans")


def compare(base, new, *words):
    return run(tool("migrator"), "compare", base, new, *words)


def check_truth(checks, name, metrics, plan):
    for key, value in plan.truth().items():
        checks.expect(abs(metrics[key] - value) < 1e-12, f"{name}: {key}: {metrics[key]} instead of {value}")
    for pattern in part_names():
        time, count = plan.parts.get(pattern.format("time"), (0, 0))
        checks.expect(abs(metrics[pattern.format("time")] - time / 1e6) < 1e-9, f"{name}: {pattern}: {metrics[pattern.format('time')]} instead of {time / 1e6}")
        checks.equal(metrics[pattern.format("num")], count, f"{name}: {pattern}")


def check_gpus(checks, directory):
    for seed in range(12):
        plans = [random_gpu(seed, 0), random_gpu(seed + 100, 7)]
        paths = [directory / "a.json", directory / "b.json.gz"]
        paths[0].write_text(plans[0].text())
        paths[1].write_bytes(gzip.compress(plans[1].text().encode()))
        done = compare(*paths, "--json")
        if checks.equal(done.returncode, 0, f"seed {seed}: {done.stderr}"):
            said = json.loads(done.stdout)
            check_truth(checks, f"seed {seed}, stream 0", said["base"]["metrics"], plans[0])
            check_truth(checks, f"seed {seed}, packed", said["new"]["metrics"], plans[1])


def check_rocm(checks, directory):
    """Collectives of ROCm have no correlation, and stream 0 is the one that computes."""
    plan = Gpu(0)
    plan.operator("aten::mm", 1000, 9000)
    plan.kernel("Cijk_Ailk_Bljk_SB_MT64x64", 20_000, 5_250, "matmul_time_cube", 2000)
    plan.operator("aten::silu", 12_000, 9000)
    plan.kernel("elementwise", 30_000, 1_500, "vector_time_notrans", 13_000, link=False)
    plan.kernel("ncclDevKernel_Generic", 31_000, 4_000, None, link=False)
    path = directory / "rocm.json"
    path.write_text(plan.text())
    said = json.loads(compare(path, path, "--json").stdout)
    check_truth(checks, "ROCm", said["base"]["metrics"], plan)
    checks.expect(any("stream 0" in note for note in said["base"]["notes"]), f"stream 0 is named: {said['base']['notes']}")


HIP = ("hipLaunchKernel", "hipExtModuleLaunchKernel", "hipModuleLaunchKernel", "hipExtLaunchKernel")


def random_hip(seed, streams):
    """As on an MI250: launches are of HIP, only numbers tie kernels to them, and those of collectives are 0."""
    chance = random.Random(seed)
    out = Gpu(streams[0], HIP, has_arrows=False)
    out.event(ph="s", cat="fwdbwd", name="fwdbwd", id=1, pid=1, tid=FORWARD, ts=0)
    out.event(ph="f", cat="fwdbwd", name="fwdbwd", id=1, pid=1, tid=BACKWARD, ts=1, bp="e")
    kinds = (("aten::mm", "Cijk_Ailk_Bljk_BBS_BH_MT128x128x32", "matmul_{}_cube"), ("aten::bmm", "Cijk_Alik_Bljk_HHS", "matmul_{}_cube"),
             ("aten::miopen_convolution", "miopenSp3AsmConv_v30_3_1_gfx9", "conv_{}_fwd_cube"),
             ("aten::_scaled_dot_product_flash_attention", "attn_fwd.kd", "fa_{}_fwd_cube"),
             ("aten::silu", "void at::native::elementwise_kernel<512, 1>", "vector_{}_notrans"), (None, "triton_red_fused_3", "vector_{}_notrans"),
             (None, "igemm_fwd_gtcx2_nhwc_fp16", "matmul_{}_cube"), (None, "bwd_kernel_dk_dv", "fa_{}_bwd_cube"))
    copies, host, device = 0, 1000, 50_000
    for number in range(chance.randint(20, 50)):
        operator, kernel, part = chance.choice(kinds)
        backward = operator in ("aten::_scaled_dot_product_flash_attention", "aten::miopen_convolution") and chance.random() < 0.4
        thread = BACKWARD if backward else FORWARD
        part = part.replace("fwd", "bwd") if backward else part
        if operator:
            out.operator(operator, host, 9000, thread)
        length = chance.randint(300, 60_000)
        # Most run on the first stream; two run at the same time on others.
        stream = streams[0] if number < 3 else chance.choice((*streams, streams[0], streams[0]))
        out.kernel(kernel, device + (0 if stream == streams[0] else length // 3), length, part.format("time"), host + 2000, thread, stream)
        if chance.random() < 0.3:
            out.kernel("ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>)", device + length // 2, length, None, stream=99, link=False)
        if chance.random() < 0.2:
            copies += 1
            out.event(ph="X", cat="gpu_memcpy", name="CopyHostToDevice", pid=0, tid=streams[0], ts=device + 10, dur=200,
                      args={"stream": streams[0], "correlation": 0})
        host += 12_000
        device = max(device + 2 * length + chance.choice([0, 137, 5000]), host)
    return out, copies


def check_hip(checks, directory):
    """GPU against GPU: with and without stream 0, kernels of several streams at once."""
    for seed in range(8):
        (one, one_copies), (other, other_copies) = random_hip(seed, (0, 1, 3)), random_hip(seed + 50, (2, 5, 1))
        paths = [directory / "hip.json", directory / "other_hip.json"]
        paths[0].write_text(one.text())
        paths[1].write_text(other.text())
        done = compare(*paths, "--json")
        if not checks.equal(done.returncode, 0, f"seed {seed}: {done.stderr}"):
            continue
        said = json.loads(done.stdout)
        for side, plan, copies in (("base", one, one_copies), ("new", other, other_copies)):
            check_truth(checks, f"seed {seed}, {side}", said[side]["metrics"], plan)
            checks.equal(said[side]["metrics"]["sdma_num_stream"], copies, f"seed {seed}, {side}: copies")
        # Each kernel that an operator has launched stands at it, whatever its stream.
        rows = {row[1]: row for row in said["sheets"]["OperatorCompareStatistic"]["rows"]}
        launched = [event for event in one.events if event.get("cat") == "cuda_runtime"]
        checks.expect({event["name"] for event in launched} <= set(HIP) and not set(rows) & set(HIP), f"{rows.keys()}")


def npu(planes, stream_key):
    """A trace of an NPU with one group; `planes`: waits of each in microseconds."""
    meta = [{"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": name}}
            for pid, name in ((1, "Python"), (2, "Ascend Hardware"), (3, "HCCL"), (4, "Overlap Analysis"))]
    events = []
    for tid in range(len(planes) + 1):
        name = "Group 7 Communication" if tid == 0 else f"Plane {tid - 1}"
        meta.append({"ph": "M", "name": "thread_name", "pid": 3, "tid": tid, "args": {"name": name}})
        meta.append({"ph": "M", "name": "thread_sort_index", "pid": 3, "tid": tid, "args": {"sort_index": tid}})

    def event(name, pid, tid, begin, length, **args):
        events.append({"ph": "X", "name": name, "pid": pid, "tid": tid, "ts": f"{BASE_US + begin}.000", "dur": length, "args": args})

    event("Computing", 4, 0, 0, 100)
    event("Communication(Not Overlapped)", 4, 0, 100, 50)
    event("Free", 4, 0, 150, 25)
    event("hcom_allReduce__7_0_1", 3, 0, 90, 60)
    for tid, wait in enumerate(planes, 1):
        if wait:
            event("Notify_Wait", 3, tid, 100, wait)
        event("Memcpy", 3, tid, 100 + wait, 60 - wait)
    event("MatMul", 2, 2, 0, 100, **{"Task Type": "AI_CORE", stream_key: 2, "Task Id": 1})
    event("MEMCPY_ASYNC", 2, 2, 160, 7.5, **{"Task Type": "PCIE_DMA_SQE", stream_key: 2, "Task Id": 2})
    return json.dumps(events + meta)


def check_npu(checks, directory):
    path = directory / "trace_view.json"
    for planes, wait in (((0, 20, 12), 12e-6), ((0, 0), None), ((30,), 30e-6)):
        for key in ("Stream Id", "Physic Stream Id"):
            path.write_text(npu(planes, key))
            metrics = json.loads(compare(path, path, "--json").stdout)["new"]["metrics"]
            checks.expect(metrics["wait_time"] == wait if wait is None else abs(metrics["wait_time"] - wait) < 1e-12,
                          f"waits {planes}: {metrics['wait_time']} instead of {wait}")
            checks.equal(metrics["sdma_time_stream"], 0.0075, f"copies with {key}")
            checks.equal(metrics["e2e_time"], 175e-6, "the whole")


def check_steps(checks, directory):
    """Each step has its own kernels: a GPU's by their launches, an NPU's by the table of kernels and the ends of the step."""
    plan = Gpu(7)
    for step, length in ((1, 10_000), (2, 30_000)):
        begin = step * 1_000_000
        plan.event(ph="X", cat="user_annotation", name=f"ProfilerStep#{step}", pid=1, tid=FORWARD, ts=begin, dur=900_000, args={})
        plan.operator("aten::mm", begin + 1000, 9000)
        # The kernel of the first step runs while the host is in the second.
        plan.kernel("ampere_gemm", begin + 1_100_000, length, "matmul_time_cube", begin + 2000)
    gpu = directory / "steps.json"
    gpu.write_text(plan.text())
    said = json.loads(compare(gpu, gpu, "--base-step", "1", "--new-step", "2", "--json").stdout)
    for side, length in (("base", 10e-6), ("new", 30e-6)):
        metrics = said[side]["metrics"]
        checks.expect(abs(metrics["compute_time"] - length) < 1e-12 and abs(metrics["matmul_time_cube"] - length * 1e3) < 1e-12, f"{side}: {metrics}")
    text = json.loads(npu((20,), "Stream Id"))
    text += [{"ph": "X", "cat": "cpu_op", "name": f"ProfilerStep#{i}", "pid": 1, "tid": 1, "ts": f"{BASE_US + begin}.000", "dur": length, "args": {}}
             for i, begin, length in ((4, 0, 120), (5, 120, 55))]
    path = directory / "trace_view.json"
    path.write_text(json.dumps(text))
    said = json.loads(compare(path, path, "--base-step", "4", "--new-step", "5", "--json").stdout)
    for side, figures in (("base", (100, 20, 120)), ("new", (0, 30, 55))):
        metrics = said[side]["metrics"]
        found = [round(metrics[key] * 1e6, 6) for key in ("compute_time", "communication_not_overlapped", "e2e_time")]
        checks.equal(found, list(figures), f"{side}: computing, communication and the whole of a step")
    done = compare(path, path, "--base-step", "4", "--new-step", "6")
    checks.equal(done.returncode, 2, "a step that there is not")
    checks.expect("there is no step 6; there are: 4, 5" in done.stderr, done.stderr)


def check_damage(checks, directory):
    good, bad = directory / "good.json", directory / "bad.json"
    text = random_gpu(3, 7).text()
    good.write_text(text)
    everything = json.loads(compare(good, good, "--json").stdout)["base"]["events"]
    bad.write_text(text[:len(text) * 2 // 3])
    done = compare(good, bad, "--json")
    checks.equal(done.returncode, 4, "a trace that is cut off")
    checks.expect("ends inside event" in done.stderr and "complete events were read" in done.stderr, done.stderr)
    said = json.loads(done.stdout)
    checks.expect(0 < said["new"]["events"] < everything and said["damage"], "what is whole of it is compared")
    bad.write_bytes(gzip.compress(text.encode())[:-200])
    done = compare(good, bad, "--json")
    checks.equal(done.returncode, 4, "packed data that is cut off")
    checks.expect("damaged or cut off" in done.stderr, done.stderr)
    deep = '{"traceEvents": [{"ph": "X", "args": ' + "[" * 1_000_000 + "]}"
    for name, content, says in (("nothing", b"", "is empty"), ("a page", b"<!DOCTYPE html><html>", "HTML"), ("a pointer", b"version https://git-lfs.github.com/spec/v1\n", "Git LFS"),
                                ("UTF-16", "[]".encode("utf-16"), "UTF-16"), ("a database", b"SQLite format 3\0" + bytes(100), "database"),
                                ("an object", b"{}", "no kernel"), ("words", b"hello", "does not begin like a trace"), ("deep", deep.encode(), "no kernel"),
                                ("a list of numbers", b'{"traceEvents": [1, 2]}', "no kernel")):
        bad.write_bytes(content)
        done = compare(good, bad)
        checks.equal(done.returncode, 4, f"{name}: {done.stderr}")
        checks.expect(str(bad) in done.stderr, f"{name}: which of the two files? {done.stderr}")
        checks.expect(says in done.stderr and done.stdout == "", f"{name}: {done.stderr}")
    for name, content in (("a comma at the end", text[:-2].rstrip("]") + ",]}"), ("NaN", text.replace('"correlation": 1}', '"correlation": 1, "x": NaN}')),
                          ("a huge number", text.replace('"correlation": 1}', '"correlation": 1, "x": 123456789012345678901234567890}')),
                          ("invalid UTF-8", text), ("a mark at the beginning", "\ufeff" + text)):
        bad.write_bytes(content.encode().replace(b"ampere_gemm", b"ampere_gemm\xff" if name == "invalid UTF-8" else b"ampere_gemm"))
        done = compare(good, bad, "--json")
        checks.equal(done.returncode, 0, f"{name}: {done.stderr}")
        checks.equal(json.loads(done.stdout)["new"]["metrics"], json.loads(done.stdout)["base"]["metrics"], name)


def check_words(checks, directory):
    good = directory / "good.json"
    good.write_text(random_gpu(3, 7).text())
    empty = directory / "rank_ascend_pt"
    empty.mkdir()
    several = directory / "several"
    for name in ("one_ascend_pt", "other_ascend_pt"):
        (several / name).mkdir(parents=True)
    for words, code, says in ((("compare", good), 2, "NEW is required"), (("compare", good, directory / "none.json"), 4, "no such file"),
                              (("compare", good, empty), 4, "not parsed"), (("compare", good, several), 4, "several profiles"),
                              (("compare", good, good, "--base-step", "1"), 2, "belong together"),
                              (("compare", good, good, "--base-step", "x", "--new-step", "1"), 2, "not a number of a step"),
                              (("compare", good, good, "--base-step", "1", "--new-step", "1"), 2, "has no steps"),
                              (("compare", good, good, "--only", "operator"), 2, "operators"),
                              (("compare", good, good, "--map", "x"), 2, "OLD=NEW"), (("compare", good, good, "--map", "{x"), 2, "--map:1:2"),
                              (("compare", good, good, "--fail-over", "x%"), 2, "not a number of percent"),
                              (("compare", good, good, "--threads", "2"), 2, "leave it out"),
                              (("compare", good, good, "--memory=1G"), 2, "leave it out"), (("compare", good, good, "--strict"), 2, "ends with 4"),
                              (("compare", good, good, "--step", "1"), 2, "--base-step and --new-step"),
                              (("compare", good, good, "--top", "9"), 2, "leave it out"), (("compare", good, good, "--rank", "0"), 2, "the folder of the rank"),
                              (("compare", good, good, "--max_kernel_num", "3"), 2, "")):
        done = run(tool("migrator"), *words)
        checks.equal(done.returncode, code, f"{words[1:]}: {done.stderr}")
        checks.expect(says in done.stderr, f"{words[1:]}: {done.stderr}")
    # Every option that the guide of msprof-analyze names, and how scripts write it.
    for words in ("--disable_details", "--disable_module", "--use_input_shape", "--use_kernel_type", "--force", "--debug",
                  "--enable_profiling_compare", "--enable_operator_compare", "--enable_communication_compare", "--enable_memory_compare",
                  "--enable_kernel_compare", "--enable_api_compare", "--gpu_flow_cat=ac2g", "--gpu_flow_cat ac2g", "--max_kernel_num 4",
                  "--max_kernel_num=10", '--op_name_map={"a":"b"}'):
        for profiles in (("-d", good, "-bp", good), ("--profiling_path", good, "--benchmark_profiling_path", good),
                         (good, good)):
            done = compare(*profiles, *words.split(" "))
            checks.equal(done.returncode, 0, f"{words} {profiles[0]}: {done.stderr}")
    for option in ("-o", "--output_path", "--out", "--report"):
        done = compare("-d", good, "-bp", good, option, directory / f"out{option}")
        checks.equal((done.returncode, (directory / f"out{option}/comparison.json").is_file()), (0, True), f"{option}: {done.stderr}")
    out = directory / "sheets"
    done = compare(good, good, "-o", out)
    checks.equal(done.returncode, 0, done.stderr)
    checks.expect((out / "OverallMetrics.csv").read_bytes().startswith(b"Index,Duration(ms),"), "sheets are written")
    checks.expect("E2E Time" in done.stdout and f"The report: {out}/comparison.html\n" in done.stdout, done.stdout)
    checks.expect("What costs the difference" in (out / "comparison.html").read_text(), "the page is written")
    printed = compare(good, good, "--json").stdout
    checks.equal((out / "comparison.json").read_text(), printed, "the file is what is printed")
    for name, sheet in json.loads(printed)["sheets"].items():
        with open(out / f"{name}.csv", encoding="utf-8", newline="") as file:
            lines = list(csv.reader(file))
        checks.equal((lines[0], len(lines) - 1), (sheet["headers"], len(sheet["rows"])), f"{name}: headers and rows")
    for words, files in ((("html",), {"comparison.html"}), (("json",), {"comparison.json"}), (("csv,json",), {"comparison.json", "OverallMetrics.csv"})):
        part = directory / words[0]
        checks.equal(compare(good, good, "--only", "overall", "--report", part, "--format", *words).returncode, 0, f"--format {words}")
        checks.equal({path.name for path in part.iterdir()}, files, f"--format {words}")
    done = compare(good, good, "--format", "html")
    checks.expect(done.returncode == 2 and "--report" in done.stderr, f"--format without --report: {done.stderr}")
    done = compare(good, good, "--report", good)
    checks.equal(done.returncode, 6, f"a report where a file is: {done.stderr}")


MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def cell_value(cell):
    if cell.get("t") == "inlineStr":
        return cell.find(f"{MAIN}is/{MAIN}t").text or ""
    value = cell.find(f"{MAIN}v")
    return None if value is None else float(value.text)


def check_workbook(checks, directory):
    """A workbook has the cells of the sheets: texts that are formulas elsewhere, markup, lines, a name longer than a cell of Excel."""
    plan = Gpu(7)
    names = ("=1+1", "<b>&\"'", "两个\nlines\x01", "x" * 40_000)
    for i, name in enumerate(names):
        plan.operator(name, 1000 + 20_000 * i, 9000)
        plan.kernel("vectorized_elementwise", 15_000 + 20_000 * i, 3_000, "vector_time_notrans", 2000 + 20_000 * i)
    trace, out = directory / "names.json", directory / "workbook"
    trace.write_text(plan.text())
    done = compare(trace, trace, "--report", out, "--format", "xlsx,json")
    checks.equal((done.returncode, {path.name for path in out.iterdir()}), (0, {"comparison.xlsx", "comparison.json"}), done.stderr)
    sheets = json.loads((out / "comparison.json").read_text())["sheets"]
    with zipfile.ZipFile(out / "comparison.xlsx") as archive:
        checks.equal(archive.testzip(), None, "checksums of the workbook")
        parts = {name: xml.etree.ElementTree.fromstring(archive.read(name)) for name in archive.namelist()}
    types = {item.get("PartName") for item in parts["[Content_Types].xml"]}
    targets = {item.get("Id"): item.get("Target") for item in parts["xl/_rels/workbook.xml.rels"]}
    named = {item.get("name"): targets[f"rId{item.get('sheetId')}"] for item in parts["xl/workbook.xml"].iter(f"{MAIN}sheet")}
    checks.equal(list(named), list(sheets), "names of sheets")
    for name, sheet in sheets.items():
        checks.expect(f"/xl/{named[name]}" in types, f"{name} has a type")
        rows = [[cell_value(cell) for cell in row] for row in parts[f"xl/{named[name]}"].iter(f"{MAIN}row")]
        checks.equal(rows[0], sheet["headers"], f"headers of {name}")
        wanted = [["INF" if cell == "inf" else cell for cell in row] for row in sheet["rows"]]
        checks.equal([row[0] for row in rows[1:]], [row[0] for row in wanted], f"first cells of {name}")
        if name == "OperatorCompareStatistic":
            checks.equal(sorted(row[1] for row in rows[1:]), sorted((*names[:2], "两个\nlines\\x01", "x" * 32_764 + "...")), "names of operators")
            continue
        for row, other in zip(rows[1:], wanted):
            checks.expect(all(a == b or isinstance(b, str) and len(b) > 5 for a, b in zip(row, other)), f"{name}: {row} instead of {other}"[:300])


def module_trace(length):
    """A network on one thread, another one open on a second thread meanwhile, and the backward pass of the first."""
    plan = Gpu()

    def frame(name, begin, span, thread):
        plan.event(ph="X", cat="python_function", name=name, pid=1, tid=thread, ts=begin, dur=span)
    frame("train.py(7): step", 0, 100000, FORWARD)
    frame("nn.Module: Net_0", 10000, 60000, FORWARD)
    frame("nn.Module: Linear_0", 20000, 30000, FORWARD)
    frame("nn.Module: Other_0", 15000, 200000, 12)
    plan.operator("aten::linear", 21000, 20000)
    plan.operator("aten::addmm", 22000, 15000)
    plan.kernel("gemm", 40000, length, "matmul_cube", 23000)
    plan.operator("aten::add", 55000, 9000)
    plan.kernel("add", 60000, 5000, "vector", 56000)
    plan.operator("AddmmBackward0", 120000, 30000, BACKWARD)
    plan.operator("aten::mm", 122000, 9000, BACKWARD)
    plan.kernel("gemm_back", 150000, 7000, "matmul_cube", 123000, BACKWARD)
    for phase, at, thread in (("s", 22000, FORWARD), ("f", 120000, BACKWARD)):
        plan.event(ph=phase, cat="fwdbwd", name="fwdbwd", id=1, pid=1, tid=thread, ts=at)
    return plan.text()


def check_modules(checks, directory):
    """Each thread has modules of its own, operators belong to the innermost one, and the backward pass to the module that it is of."""
    base, new = directory / "modules.json", directory / "slower_modules.json"
    base.write_text(module_trace(10000))
    new.write_text(module_trace(30000))
    done = compare(base, new, "--json", "--only", "operators")
    sheets = json.loads(done.stdout)["sheets"]
    rows = [[row[3].replace(" ", ""), row[4], row[6], row[8], row[10], row[12], row[13]] for row in sheets["ModuleCompareStatistic"]["rows"]]
    linear = "/Net_0/Linear_0"
    checks.equal(rows, [
        ["/Net_0", "[ TOTAL ]", 0.005, 0.015, 0.005, 0.035, 0.02], ["/Net_0", "aten::add", 0.005, None, 0.005, None, None],
        ["/Other_0", "[ TOTAL ]", 0, 0, 0, 0, 0],
        [linear, "[ TOTAL ]", 0.010, 0.010, 0.030, 0.030, 0.02], [linear, "aten::linear", 0.010, None, 0.030, None, None],
        [f"/[BACKWARD]{linear}", "[ TOTAL ]", 0.007, 0.007, 0.007, 0.007, 0], [f"/[BACKWARD]{linear}", "aten::mm", 0.007, None, 0.007, None, None],
    ], "modules")
    stacks = {row[2]: row[-2] for row in sheets["ModuleCompareStatistic"]["rows"] if row[4] == "[ TOTAL ]"}
    checks.equal(stacks[1], "nn.Module: Other_0", "a module without a call of Python around it")
    runs = [row for row in sheets["ModuleCompare"]["rows"] if "gemm [" in str(row[5])]
    checks.equal([[row[4], row[6], row[10], row[13]] for row in runs], [["aten::linear", 10, 30, 20]], "the operator that lost")
    checks.equal([row[0] for row in sheets["ModuleCompare"]["rows"]], list(range(1, len(rows) + 1)), "numbers of rows")
    without = json.loads(compare(base, new, "--json", "--only", "operators", "--no-modules").stdout)["sheets"]
    checks.equal(sorted(without), ["OperatorCauses", "OperatorCompare", "OperatorCompareStatistic"], "--no-modules")


KERNEL_COLUMNS = ("Step Id,Name,Type,OP State,Accelerator Core,Start Time(us),Duration(us),Input Shapes,mac_time(us),aiv_vec_time(us)")


def npu_folder(directory, operators):
    """A profile of operators that follow each other: name, stack and its kernels (name, core, state, microseconds)."""
    output = directory / "ASCEND_PROFILER_OUTPUT"
    output.mkdir(parents=True)
    events = [{"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": name}}
              for pid, name in ((1, "Python"), (2, "Ascend Hardware"), (4, "Overlap Analysis"))]
    rows, link = [KERNEL_COLUMNS], 0
    for i, (name, stack, kernels) in enumerate(operators):
        host, device = BASE_US + 100 * i, BASE_US + 5000 + 100 * i
        events.append({"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 9, "ts": f"{host}.000", "dur": 90,
                       "args": {"Call stack": stack} if stack else {}})
        for number, (kernel, core, state, length) in enumerate(kernels):
            link, begin = link + 1, f"{device + 20 * number}.000"
            where = {"pid": 2, "tid": 2, "ts": begin}
            events.append({"ph": "s", "cat": "async_npu", "name": "torch_to_npu", "id": link, "pid": 1, "tid": 9, "ts": f"{host}.000"})
            events.append({"ph": "f", "cat": "async_npu", "name": "torch_to_npu", "id": link, **where, "bp": "e"})
            events.append({"ph": "X", "name": kernel, **where, "dur": length, "args": {"Task Type": core, "Stream Id": 2, "Task Id": link}})
            events.append({"ph": "X", "name": "Computing", "pid": 4, "tid": 0, "ts": begin, "dur": length})
            rows.append(f'1,{kernel},{kernel},{state},{core},{begin}\t,{length},"""2,3""",1,1')
    (output / "trace_view.json").write_text(json.dumps(events))
    (output / "kernel_details.csv").write_text("\r\n".join(rows) + "\r\n")
    return directory


def forms_named(directory, names):
    """The faster forms that are told for operators that follow each other, each slower than in the base."""
    sides = []
    for side, length in (("base", 10), ("new", 19)):
        folder = directory / f"{side}_ascend_pt"
        shutil.rmtree(folder, ignore_errors=True)
        sides.append(npu_folder(folder, [(name, None, [("Kernel", "AI_VECTOR_CORE", "static", length)]) for name in names]))
    done = compare(*sides, "--json", "--only", "operators")
    rows = json.loads(done.stdout)["sheets"]["OperatorCauses"]["rows"]
    return {row[1]: set(row[10].split(", ")) if row[10] else set() for row in rows}


def check_faster_forms(checks, directory):
    """Each form is told with and without what may be missing, and neither in part nor with something in between."""
    directory.mkdir()
    for form in json.loads((Path(__file__).resolve().parents[3] / "rules/profiles/faster_forms.json").read_text())["forms"]:
        rules, wanted = set(form["rules"]), form["operators"]
        whole = [name.rstrip("?").split("|")[0] for name in wanted]
        short = [name.split("|")[-1] for name in wanted if not name.endswith("?")]
        for names in (whole, short, ["aten::relu", *whole, "aten::relu"]):
            told = forms_named(directory, names)
            checks.expect(all(rules <= told[name] for name in names if name != "aten::relu"), f"{names} have {rules}: {told}")
        no_forms = [["aten::relu", *short[1:]], [*short[:1], "aten::relu", *short[1:]], [*short[:-1], "aten::relu"]]
        for names in no_forms if len(short) > 1 else [["Optimizer.step#Other.step"], [short[0] + "2"]]:
            told = forms_named(directory, names)
            checks.expect(not any(rules & found for found in told.values()), f"{names} have none of {rules}: {told}")


def check_causes(checks, directory):
    """Each cause of a loss is named where the profile proves it, with the line of the project, and nothing else is."""
    stack = "/usr/lib/python3.11/site-packages/torch/nn/functional.py(12): f;\r\n/srv/who/net/model.py(3): forward;\r\n/srv/who/run.py(9): main"
    forms = [("aten::pow", None), ("aten::mean", None), ("aten::add", None), ("aten::rsqrt", None), ("aten::mul", None)]

    def operators(length, more):
        out = [("aten::sort", stack, [("Sort", "AI_CPU" if more else "AI_CORE", "static", length)]),
               ("aten::conv2d", None, [("Conv", "AI_CORE", "dynamic" if more else "static", length)]),
               ("aten::linear", stack, [("MatMul", "AI_CORE", "static", 10)] + ([("TransData", "AI_VECTOR_CORE", "static", length)] if more else [])),
               ("aten::relu", None, [("Relu", "AI_CORE", "static", 10)])]
        return out + [(name, where, [(name[6:].title(), "AI_VECTOR_CORE", "static", length)]) for name, where in forms]
    base, new = npu_folder(directory / "base_ascend_pt", operators(10, False)), npu_folder(directory / "new_ascend_pt", operators(19, True))
    project = directory / "project/net"
    project.mkdir(parents=True)
    (project / "model.py").write_text("import torch\n\nx = torch.ones(2).cuda()\n")
    for words, place, found in (((), "/srv/who/net/model.py:3", ""), (("--project", directory / "project"), "net/model.py:3", "method.cuda")):
        done = compare(base, new, "--json", "--only", "operators", *words)
        rows = {row[1]: row[2:] for row in json.loads(done.stdout)["sheets"]["OperatorCauses"]["rows"]}
        checks.equal({name: row[:8] for name, row in rows.items() if name in ("aten::sort", "aten::conv2d", "aten::linear")}, {
            "aten::sort": [0.01, 0.019, 0.01, 1, 1, 0.019, 0, 0], "aten::conv2d": [0.01, 0.019, 0.01, 1, 1, 0, 0.019, 0],
            "aten::linear": [0.01, 0.029, 0.02, 1, 2, 0, 0, 0.019]}, "causes")
        checks.expect("aten::relu" not in rows, "what lost nothing is not listed")
        checks.equal({row[8] for name, row in rows.items() if (name, None) in forms}, {"affinity.rms_norm"}, "the faster form")
        checks.equal([rows["aten::sort"][9], rows["aten::conv2d"][9]], [place, ""], "the line")
        checks.expect(rows["aten::sort"][10].startswith(found) and bool(rows["aten::sort"][10]) == bool(found), f"findings: {rows['aten::sort']}")
    text = compare(base, new, "--project", directory / "project").stdout
    for says in ("Why they do:\n", "0.019 ms more on the AI CPU", "0.019 ms more for changes of formats and dtypes", "2 kernels for each call, 1 in the base",
                 "a faster form: affinity.rms_norm", "called at net/model.py:3, where migrator analyze finds method.cuda"):
        checks.expect(says in text, f"{says!r} in {text}")
    both_slow = json.loads(compare(new, npu_folder(directory / "slower_ascend_pt", operators(40, True)), "--json", "--only", "operators").stdout)
    rows = {row[1]: row for row in both_slow["sheets"]["OperatorCauses"]["rows"]}
    checks.equal([rows["aten::sort"][7], rows["aten::linear"][9]], [0.021, 0.021], "only what is more than in the base")
    known = json.loads((Path(__file__).resolve().parents[3] / "rules/profiles/faster_forms.json").read_text())
    for rule in sorted({rule for form in known["forms"] for rule in form["rules"]}):
        checks.equal(run(tool("migrator"), "explain", rule).returncode, 0, f"faster_forms.json: {rule} is a rule")
    same = json.loads(compare(base, base, "--json").stdout)["sheets"]
    checks.equal(same["OperatorCauses"]["rows"], [], "nothing is lost")
    checks.expect("OperatorCauses" not in json.loads(compare(base, base, "--json", "--compat", "msprof").stdout)["sheets"], "msprof has no causes")
    done = compare(base, new, "--project", directory / "nothing")
    checks.expect(done.returncode == 4 and "nothing" in done.stderr, f"a project that is not there: {done.returncode} {done.stderr}")


def check_limit(checks, directory):
    """--fail-over ends with 1 where a part grew by more than it allows, and says which; whatever else is asked for."""
    base, new = directory / "modules.json", directory / "slower_modules.json"
    for words, code in ((("--fail-over", "300%"), 0), (("--fail-over", "50"), 1), (("--fail-over", "0"), 1), (("--fail-over", "50%", "--only", "operators"), 1), ((), 0)):
        done = compare(base, new, *words)
        checks.equal(done.returncode, code, f"{words}: {done.stderr}")
        checks.equal("Computing Time takes 68.2 % longer than in the base" in done.stderr, code == 1, f"{words}: {done.stderr}")
    checks.equal(compare(base, base, "--fail-over", "0").returncode, 0, "nothing is slower than itself")


def check_cut_tables(checks, directory):
    """No table of a profile can be cut off, emptied or joined with another one unnoticed."""
    with tarfile.open(Path(__file__).parent / "data/npu_l1_r0.tar.gz") as archive:
        archive.extractall(directory)
    whole, tables = directory / "npu_l1_r0_ascend_pt", ("trace_view.json", "kernel_details.csv", "memory_record.csv", "operator_memory.csv", "communication.json")
    cut, generator = directory / "cut_ascend_pt", random.Random(5)
    shutil.copytree(whole, cut)
    for name, words in [(table, ()) for table in tables] + [("op_statistic.csv", ("--by-type",))]:
        path = cut / "ASCEND_PROFILER_OUTPUT" / name
        content = path.read_bytes()
        ends = [generator.randrange(1, len(content.rstrip())) for _ in range(4)]
        # Where a row ends, nothing tells that another one has followed.
        broken = [content[:end] for end in ends if name.endswith(".json") or content[end - 1:end] != b"\n"] + [b"", b"<html>"]
        if name.endswith(".csv"):
            broken.append(content + b"one,more\n")
        for text in broken:
            path.write_bytes(text)
            done = compare(whole, cut, "--json", *words)
            checks.equal(done.returncode, 4, f"{name}, {len(text)} of {len(content)} bytes: {done.stderr[-200:]}")
            checks.expect(name in done.stderr, f"{name} is named: {done.stderr[-200:]}")
        path.write_bytes(content)
    checks.equal(compare(whole, cut, "--json").returncode, 0, "whole again")
    (cut / "ASCEND_PROFILER_OUTPUT/trace_view.json").unlink()
    (cut / "ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_0.db").write_bytes(b"SQLite format 3\0")
    done = compare(whole, cut)
    checks.equal(done.returncode, 4, done.stderr)
    checks.expect("ascend_pytorch_profiler_0.db: the file is too short for a database" in done.stderr, done.stderr)


def main():
    checks = Checks()
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        check_gpus(checks, directory)
        check_rocm(checks, directory)
        check_hip(checks, directory)
        check_npu(checks, directory)
        check_steps(checks, directory)
        check_damage(checks, directory)
        check_words(checks, directory)
        check_faster_forms(checks, directory / "forms")
        check_modules(checks, directory)
        check_limit(checks, directory)
        check_causes(checks, directory / "causes")
        check_cut_tables(checks, directory / "cut")
        check_workbook(checks, directory)
    checks.finish()


if __name__ == "__main__":
    main()
