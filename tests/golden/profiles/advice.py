"""Advice of `migrator profile` from files: for each rule a profile with which it is given and others, just beside, with which it is not."""

import copy
import csv
import io
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from checks import ROOT, Checks, run, tool  # noqa: E402

BASE_US = 1_736_408_883_000_000
KERNEL = {"Step Id": 1, "Name": "k", "Type": "Mul", "OP State": "dynamic", "Accelerator Core": "AI_CORE", "Start Time(us)": BASE_US + 100,
          "Duration(us)": 50, "Block Dim": 24, "Mix Block Dim": 0, "Input Shapes": "", "Input Data Types": "FLOAT", "Input Formats": "ND",
          "Output Shapes": "", "Output Data Types": "FLOAT", "aic_mac_ratio": 0.9, "aic_scalar_ratio": 0, "aic_mte1_ratio": 0, "aic_mte2_ratio": 0,
          "aic_fixpipe_ratio": 0, "aiv_vec_ratio": 0, "aiv_scalar_ratio": 0, "aiv_mte2_ratio": 0, "aiv_mte3_ratio": 0, "aiv_vec_time(us)": 1}
LARGE = {"Type": "MatMulV2", "Input Shapes": "8192,8192;8192,8192", "Input Data Types": "DT_BF16;DT_BF16", "Input Formats": "ND;ND",
         "Output Shapes": "8192,8192", "Output Data Types": "DT_BF16"}
ATTENTION = {"Type": "FlashAttentionScore", "Accelerator Core": "MIX_AIC", "Input Shapes": "2,8,4096,128;2,8,4096,128;2,8,4096,128",
             "Output Shapes": "2,8,4096,8;2,8,4096,8;;2,8,4096,128", "aic_mac_ratio": 0}
GRAD = {**ATTENTION, "Type": "FlashAttentionScoreGrad", "Input Shapes": "4096,2,1024;4096,2,1024;4096,2,1024;4096,2,1024;2,8,4096,8",
        "Output Shapes": "4096,2,1024"}
VECTOR = {"Accelerator Core": "AI_VECTOR_CORE", "aic_mac_ratio": 0}
PROCESSES = {1: "Python", 2: "CANN", 3: "Ascend Hardware", 4: "Overlap Analysis", 5: "AI Core Freq", 6: "Communication"}


def kernels(*changes):
    return {"kernels": [{**KERNEL, "Start Time(us)": BASE_US + 100 + 60 * number, **change} for number, change in enumerate(changes)]}


def host(*names):
    return {"events": [{"ph": "X", "pid": 1, "tid": 1, "cat": "cpu_op", "name": name, "at": 10 * number, "dur": 5} for number, name in enumerate(names)]}


def quiet(length, calls):
    """A long time without kernels, and calls of the runtime in it."""
    return {"events": [{"ph": "X", "pid": 4, "tid": 1, "name": "Free", "at": 1000, "dur": length},
                       {"ph": "X", "pid": 4, "tid": 1, "name": "Computing", "at": 1000 + length, "dur": 100 * length},
                       {"ph": "X", "pid": 2, "tid": 1, "name": "AscendCL@aclrtMemcpy", "at": 1, "dur": 1}] +
            [{"ph": "X", "pid": 2, "tid": 1, "name": "AscendCL@aclrtMemcpy", "at": 1000 + 10 * number, "dur": 1} for number in range(calls)]}


def clock(*megahertz):
    """Computing for 1000 us, each frequency for the same part of it."""
    part = 1000 / len(megahertz)
    return {"events": [{"ph": "X", "pid": 4, "tid": 1, "name": "Computing", "at": 1000, "dur": 1000}] +
            [{"ph": "C", "pid": 5, "tid": 0, "name": "AI Core Freq", "at": 1000 + part * number, "args": {"MHz": value}}
             for number, value in enumerate(megahertz)]}


def transfer(bandwidth, at, size=64):
    return {**kernels({**LARGE, "Duration(us)": 5000}), "communication": {"step1": {"collective": {"hcom_allReduce__1_1_1@7": {
        "Communication Time Info": {"Start Timestamp(us)": BASE_US + at, "Elapse Time(ms)": 2},
        "Communication Bandwidth Info": {"SDMA": {"Transit Size(MB)": size, "Bandwidth(GB/s)": bandwidth}}}}}}}


def collected(length):
    return {"events": [{"ph": "X", "pid": 1, "tid": 9, "cat": "GC", "name": "GC", "at": 10, "dur": length}]}


def variable(name, value):
    return {"variables": {name: value}}


def calls(pid, name, length, number=1, **more):
    return {"events": [{"ph": "X", "pid": pid, "tid": 1, "name": name, "at": 20 * i, "dur": length, **more} for i in range(number)]}


def overlap(computing, free):
    return {"events": [{"ph": "X", "pid": 4, "tid": 1, "name": "Computing", "at": 0, "dur": computing},
                       {"ph": "X", "pid": 4, "tid": 1, "name": "Free", "at": computing, "dur": free}]}


def launches(*waits):
    """Launches of kernels, after some of which the host waits for the stream."""
    out = []
    for number, has_wait in enumerate(waits):
        out.append({"ph": "X", "pid": 2, "tid": 1, "name": "Node@launch", "at": 100 * number, "dur": 5})
        if has_wait:
            out.append({"ph": "X", "pid": 2, "tid": 1, "name": "AscendCL@aclrtSynchronizeStream", "at": 100 * number + 10, "dur": 5})
    return {"events": out}


def packets(link, *sizes):
    return {"communication": {"step1": {"collective": {f"hcom_allReduce__1_{number}_1@7": {
        "Communication Time Info": {}, "Communication Bandwidth Info": {link: {"Transit Size(MB)": size}}} for number, size in enumerate(sizes)}}}}


def moved(size, transport):
    return calls(6, "Memcpy", 5, args={"size(Byte)": size, "transport type": transport})


RUN = [change for _ in range(7) for change in ({**VECTOR, "Type": "Mul", "aiv_mte2_ratio": 0.9}, {**VECTOR, "Type": "Add", "aiv_mte2_ratio": 0.9},
                                               {"Type": "Conv2D", "Duration(us)": 90})]
BUSY = [{**change, "aiv_mte2_ratio": 0.75} if "aiv_mte2_ratio" in change else change for change in RUN]
# Rule: a profile with which it is given, and those with which it is not.
CASES = {
    "host_bound": (overlap(890, 110), [overlap(900, 100)]),
    "ai_cpu": (kernels({"Accelerator Core": "AI_CPU", "Duration(us)": 20}), [kernels({"Accelerator Core": "AI_CPU", "Duration(us)": 19.9}), kernels({})]),
    "dynamic_shapes": (kernels({}, {}), [kernels({}, {"OP State": "static"})]),
    "compilation": (calls(2, "AscendCL@aclopCompileAndExecute", 5, 20), [calls(2, "AscendCL@aclopCompileAndExecute", 5, 19)]),
    "launch_blocking": (launches(True, True, False), [launches(True, False)]),
    "memory_calls": (calls(2, "AscendCL@aclrtFree", 10_000), [calls(2, "AscendCL@aclrtFree", 9_900), calls(2, "AscendCL@aclrtMemcpy", 10_000)]),
    "data_loading": (calls(1, "enumerate(DataLoader)#_Iter.__next__", 10_000, cat="cpu_op"), [calls(1, "enumerate(DataLoader)#_Iter.__next__", 9_900, cat="cpu_op")]),
    "sync_batch_norm": (host(*["SyncBatchNorm"] * 20), [host(*["SyncBatchNorm"] * 19)]),
    "host_reads": (host(*["aten::_local_scalar_dense"] * 10), [host(*["aten::_local_scalar_dense"] * 9),
                                                               host("ProfilerStep#1", "ProfilerStep#2", *["aten::_local_scalar_dense"] * 19)]),
    "format_changes": ({**kernels({"Name": "aclnnCast_Cast", "Duration(us)": 100}), **overlap(1000, 0)},
                       [{**kernels({"Name": "aclnnCast_Cast", "Duration(us)": 99}), **overlap(1000, 0)}, {**kernels({"Duration(us)": 100}), **overlap(1000, 0)}]),
    "small_packets_sdma": (packets("SDMA", 15, 20, 20, 20), [packets("SDMA", 15, 20, 20, 20, 20), packets("SDMA", 16, 16)]),
    "small_packets_rdma": (packets("RDMA", 0.9, 2, 2, 2), [packets("RDMA", 0.9, 2, 2, 2, 2), packets("RDMA", 1, 1)]),
    "unaligned_transfers": (moved(1000, "SDMA"), [moved(1024, "SDMA"), moved(500, "SDMA"), moved(1000, "RDMA")]),
    "aclnn_cache": (variable("ACLNN_CACHE_LIMIT", ""), [variable("ACLNN_CACHE_LIMIT", "10000")]),
    "host_cache": (variable("HOST_CACHE_CAPACITY", "0"), [variable("HOST_CACHE_CAPACITY", "20")]),
    "allocator": (variable("PYTORCH_NPU_ALLOC_CONF", "max_split_size_mb:64"), [variable("PYTORCH_NPU_ALLOC_CONF", "expandable_segments:True")]),
    "blocking_variable": (variable("ASCEND_LAUNCH_BLOCKING", "1"), [variable("ASCEND_LAUNCH_BLOCKING", "")]),
    "ai_cpu_dtype": (kernels({"Accelerator Core": "AI_CPU", "Input Data Types": "INT64;DOUBLE"}),
                     [kernels({"Accelerator Core": "AI_CPU", "Input Data Types": "FLOAT"}), kernels({"Input Data Types": "DOUBLE"})]),
    "idle_cores": (kernels({"OP State": "static", "Block Dim": 25}),
                   [kernels({"OP State": "static", "Block Dim": 48}), kernels({"Block Dim": 25}),
                    kernels({**VECTOR, "OP State": "static", "aiv_vec_ratio": 0.9, "Block Dim": 48}),
                    {**kernels({"OP State": "static", "Block Dim": 25}), "info": False}]),
    "unbound_kernels": (kernels({"OP State": "static", "aic_mac_ratio": 0.8}),
                        [kernels({"OP State": "static", "aic_mac_ratio": 0.801}), kernels({"OP State": "static", "aic_mac_ratio": 0.5, "Duration(us)": 19.9}),
                         kernels({"aic_mac_ratio": 0.5})]),
    "matrix_products": (kernels({**LARGE, "aic_mac_ratio": 0.79, "aic_mte2_ratio": 0.94}),
                        [kernels({**LARGE, "aic_mac_ratio": 0.8}), kernels({**LARGE, "aic_mac_ratio": 0.1, "aic_mte2_ratio": 0.95}),
                         kernels({**LARGE, "aic_mac_ratio": 0.1, "Input Shapes": "256,8192;8192,1024", "Output Shapes": "256,1024"})]),
    "matrix_shapes": (kernels({**LARGE, "aic_mac_ratio": 0.5, "Input Shapes": "8192,8190;8190,8192"}),
                      [kernels({**LARGE, "aic_mac_ratio": 0.5}),
                       kernels({**LARGE, "aic_mac_ratio": 0.5, "Input Shapes": "8192,8190;8190,8192", "Input Formats": "FRACTAL_NZ;FRACTAL_NZ"})]),
    "attention_units": (kernels({**ATTENTION, "aiv_vec_ratio": 0.74}), [kernels({**ATTENTION, "aiv_vec_ratio": 0.75}), kernels({**GRAD, "aiv_vec_ratio": 0.1})]),
    "attention_shapes": (kernels({**ATTENTION, "Input Shapes": "2,8,4096,100;2,8,4096,100;2,8,4096,100"}),
                         [kernels(ATTENTION), kernels({**ATTENTION, "Output Shapes": "", "Input Shapes": "2,8,4096,100"})]),
    "attention_grad_units": (kernels({**GRAD, "aic_fixpipe_ratio": 0.74}), [kernels({**GRAD, "aic_fixpipe_ratio": 0.75}), kernels({**GRAD, "aic_mte2_ratio": 0.8})]),
    "attention_grad_shapes": (kernels({**GRAD, "Input Shapes": "4000,2,1024;4000,2,1024;4000,2,1024;4000,2,1024;2,8,4000,8"}), [kernels(GRAD)]),
    "vector_units": (kernels({**VECTOR, "aiv_vec_ratio": 0.3, "aiv_mte2_ratio": 0.3, "aiv_mte3_ratio": 0.29}),
                     [kernels({**VECTOR, "aiv_vec_ratio": 0.3, "aiv_mte2_ratio": 0.3, "aiv_mte3_ratio": 0.31}), kernels({**VECTOR, "aiv_mte2_ratio": 0.7}),
                      kernels({"Duration(us)": 100_000}, {**VECTOR, "Type": "Tiny", "Duration(us)": 1})]),
    "kernel_runs": (kernels(*RUN), [kernels(*RUN[:15]), kernels(*BUSY)]),
    "core_frequency": (clock(1800, 1600), [clock(1800, 1800), clock(1800, 1800, 1800, 1640)]),
    "faster_forms": (host("aten::slice", "aten::silu", "aten::mul"), [host("aten::silu", "aten::mul"), host("aten::slice", "aten::add", "aten::silu", "aten::mul")]),
    "garbage_collection": (collected(1000), [collected(999)]),
    "host_quiet": (quiet(250_000, 0), [quiet(250_000, 30), quiet(199_000, 0), {"events": quiet(250_000, 0)["events"] + collected(500)["events"]}]),
    "contention": (transfer(14.3, 200), [transfer(14.4, 200), transfer(9, 6000), transfer(9, 200, 8)]),
    "log_level": (variable("ASCEND_GLOBAL_LOG_LEVEL", "1"), [variable("ASCEND_GLOBAL_LOG_LEVEL", "3"), variable("ASCEND_GLOBAL_LOG_LEVEL", "")]),
    "rdma_class": (variable("HCCL_RDMA_TC", "132"), [variable("HCCL_RDMA_TC", "")]),
    "rdma_level": (variable("HCCL_RDMA_SL", "4"), [variable("HCCL_RDMA_SL", "")]),
    "collective_algorithm": (variable("HCCL_ALGO", "level0:ring"), [variable("HCCL_ALGO", "")]),
}
# Rules about several ranks have their cases in clusters.py and ranks.py.
OF_CLUSTERS = {"slow_rank", "awaited_rank", "retransmission", "slow_link", "slow_port", "review_link", "slow_device", "slow_host", "pipeline_bubbles",
               "pipeline_excess", "stage_imbalance", "expert_imbalance"}


def write(case, folder):
    output = folder / "ASCEND_PROFILER_OUTPUT"
    output.mkdir(parents=True)
    events = [{"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": name}} for pid, name in PROCESSES.items()]
    happened = copy.deepcopy(case.get("events", []))
    if not any(event["name"] == "Computing" for event in happened):
        happened.append({"ph": "X", "pid": 4, "tid": 1, "name": "Computing", "at": 0, "dur": 10})
    for event in happened:
        events.append({**event, "ts": f"{BASE_US + event.pop('at'):.3f}"})
    (output / "trace_view.json").write_text(json.dumps(events))
    if "kernels" in case:
        text = io.StringIO()
        table = csv.DictWriter(text, KERNEL)
        table.writeheader()
        table.writerows({**row, "Input Shapes": f'"{row["Input Shapes"]}"'} for row in case["kernels"])
        (output / "kernel_details.csv").write_text(text.getvalue())
    if "communication" in case:
        (output / "communication.json").write_text(json.dumps(case["communication"]))
    if case.get("info", True):
        device = folder / "PROF_000001_20260101_ABC/device_0"
        device.mkdir(parents=True)
        (device / "info.json.0").write_text(json.dumps({"DeviceInfo": [{"id": 0, "ai_core_num": 24, "aiv_num": 48, "aic_frequency": "1800"}]}))
    (folder / "profiler_metadata.json").write_text(json.dumps({"ENV_VARIABLES": case.get("variables", {})}))


def given(checks, case, folder):
    write(case, folder)
    done = run(tool("migrator"), "profile", folder, "--json")
    checks.equal(done.returncode, 0, f"{folder.name}: {done.stderr}")
    found = json.loads(done.stdout)
    return {item["rule"] for item in found["advice"]}, found["figures"]


def check_forms(checks, directory):
    """Each form of faster_forms.json is found by its own operators, and not where the first of those that it needs is another one."""
    for number, form in enumerate(json.loads((ROOT / "rules/profiles/faster_forms.json").read_text(encoding="utf-8"))["forms"]):
        names = [name.rstrip("?").split("|")[0] for name in form["operators"]]
        needed = next(i for i, name in enumerate(form["operators"]) if not name.endswith("?"))
        _, figures = given(checks, host(*names), directory / f"form{number}_ascend_pt")
        checks.equal((figures["faster_forms"], figures["faster_rules"]), (1, ", ".join(sorted(form["rules"]))), f"{names}")
        names[needed] = "aten::relu"
        _, figures = given(checks, host(*names), directory / f"other{number}_ascend_pt")
        checks.expect(not set(form["rules"]) & set(figures["faster_rules"].split(", ")), f"{names}: {figures['faster_rules']}")


def main():
    checks = Checks()
    known = [rule["id"] for rule in json.loads((ROOT / "rules/profiles/advice.json").read_text(encoding="utf-8"))["rules"]]
    checks.equal(sorted(known), sorted(f"profile.{rule}" for rule in {*CASES, *OF_CLUSTERS}), "rules that have cases")
    with tempfile.TemporaryDirectory() as name:
        for rule, (fires, silent) in CASES.items():
            checks.expect(f"profile.{rule}" in known, f"there is no rule profile.{rule}")
            rules, figures = given(checks, fires, Path(name) / f"{rule}_fires_ascend_pt")
            checks.expect(f"profile.{rule}" in rules, f"{rule} is not given: {sorted(rules)}, {figures}")
            checks.expect(silent, f"{rule}: a case with which it is not given")
            for number, case in enumerate(silent):
                rules, figures = given(checks, case, Path(name) / f"{rule}_silent{number}_ascend_pt")
                checks.expect(f"profile.{rule}" not in rules, f"{rule} is given, case {number}: {figures}")
        check_forms(checks, Path(name))
    checks.finish()


if __name__ == "__main__":
    main()
