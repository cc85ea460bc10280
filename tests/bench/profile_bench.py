"""Measures `migrator compare` on two generated traces: megabytes per second of processor time, time and peak memory.

    profile_bench.py [--mb N] [--directory DIR] [--vendor COMMAND]

Two traces of N megabytes (1,000) are made: of a GPU, as torch.profiler writes it, and of an NPU with its table of kernels. COMMAND, such as
"msprof-analyze compare -o OUT", which makes all sheets, is run on the same files. Not part of the tests: figures depend on the machine.
"""

import argparse
import os
import resource
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("MIGRATION_BIN", ROOT / "build/release/bin"))
BASE = 1736408883000000
OPERATORS = (("aten::mm", "ampere_bf16_s16816gemm_128x128", "aclnnMatmul_MatMulV3", "MatMulV3", "AI_CORE"),
             ("aten::silu", "vectorized_elementwise_silu", "aclnnSilu_Swish", "Swish", "AI_VECTOR_CORE"),
             ("aten::_scaled_dot_product_flash_attention", "pytorch_flash::flash_fwd_kernel", "aclnnFlashAttentionScore_FlashAttentionScore",
              "FlashAttentionScore", "MIX_AIC"),
             ("aten::native_layer_norm", "vectorized_layer_norm_kernel", "aclnnLayerNorm_LayerNormV3", "LayerNormV3", "AI_VECTOR_CORE"))
GPU = ('{{"ph": "X", "cat": "cpu_op", "name": "{op}", "pid": 501, "tid": 501, "ts": {host}.000, "dur": 9.0, "args": {{"External id": {i}, '
       '"Input Dims": [[32, 128], [128, 64]], "Input type": ["c10::BFloat16", "c10::BFloat16"], "Sequence number": {i}, "Ev Idx": {i}}}}},\n'
       '{{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 501, "tid": 501, "ts": {host}.500, "dur": 4, "args": '
       '{{"External id": {i}, "correlation": {i}, "cbid": 211}}}},\n'
       '{{"ph": "s", "id": {i}, "pid": 501, "tid": 501, "ts": {host}.500, "cat": "ac2g", "name": "ac2g"}},\n'
       '{{"ph": "f", "id": {i}, "pid": 0, "tid": 7, "ts": {device}.250, "cat": "ac2g", "name": "ac2g", "bp": "e"}},\n'
       '{{"ph": "X", "cat": "kernel", "name": "{gpu}", "pid": 0, "tid": 7, "ts": {device}.250, "dur": 20.125, "args": {{"External id": {i}, '
       '"queued": 0, "device": 0, "context": 1, "stream": 7, "correlation": {i}, "grid": [1, 2, 3], "block": [128, 1, 1]}}}},\n')
NPU = ('{{"ph": "X", "cat": "cpu_op", "name": "{op}", "pid": 501, "tid": 501, "ts": "{host}.000", "dur": 9.0, "args": {{"Input Dims": '
       '"32,128;\\r\\n128,64", "Input type": "c10::BFloat16;\\r\\nc10::BFloat16", "Sequence number": {i}, "Fwd thread id": 0}}}},\n'
       '{{"ph": "s", "bp": "e", "name": "torch_to_npu", "id": {device}250, "pid": 501, "tid": 501, "ts": "{host}.000", "cat": "async_npu"}},\n'
       '{{"ph": "f", "bp": "e", "name": "torch_to_npu", "id": {device}250, "pid": 7001, "tid": 2, "ts": "{device}.250", "cat": "async_npu"}},\n'
       '{{"ph": "X", "name": "{npu}", "pid": 7001, "tid": 2, "ts": "{device}.250", "dur": 20.125, "args": {{"Model Id": 4294967295, '
       '"Task Type": "{core}", "Stream Id": 2, "Task Id": {i}}}}},\n'
       '{{"ph": "X", "name": "Computing", "pid": 7003, "tid": 0, "ts": "{device}.250", "dur": 20.125}},\n')
ROW = '1,{i},2,{npu},{type},{core},{device}.250\t,20.125,0,24,"""32,128;128,64""",DT_BF16,19.1,10.0,0,0\r\n'
META = "".join(f'{{"ph": "M", "name": "process_name", "pid": {pid}, "tid": 0, "args": {{"name": "{name}"}}}},\n'
               for pid, name in ((501, "Python"), (7001, "Ascend Hardware"), (7002, "HCCL"), (7003, "Overlap Analysis")))


def write_trace(path, head, pattern, tail, most_bytes, table=None):
    written, i = 0, 0
    with open(path, "w", newline="") as trace:
        trace.write(head)
        while written < most_bytes:
            i += 1
            op, gpu, npu, kind, core = OPERATORS[i % len(OPERATORS)]
            values = {"op": op, "gpu": gpu, "npu": npu, "type": kind, "core": core, "i": i, "host": BASE + 12 * i, "device": BASE + 50 + 25 * i}
            text = pattern.format(**values)
            if written + len(text) >= most_bytes:
                text = text.rstrip(",\n")
            trace.write(text)
            written += len(text)
            if table:
                table.write(ROW.format(**values))
        trace.write(tail)


def make(directory, megabytes):
    output = directory / "npu_ascend_pt/ASCEND_PROFILER_OUTPUT"
    output.mkdir(parents=True, exist_ok=True)
    most = int(megabytes * 1e6)
    write_trace(directory / "gpu.json", '{"schemaVersion": 1, "traceEvents": [', GPU, "]}\n", most)
    with open(output / "kernel_details.csv", "w", newline="") as table:
        table.write("Step Id,Task ID,Stream ID,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block Dim,Input Shapes,"
                    "Input Data Types,aicore_time(us),aic_mac_time(us),aiv_time(us),aiv_vec_time(us)\r\n")
        write_trace(output / "trace_view.json", "[" + META, NPU, "]\n", most, table)


def measured(words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.perf_counter()
    done = subprocess.run(["/usr/bin/env", "python3", "-c", "import resource, subprocess, sys; code = subprocess.run(sys.argv[1:], "
                           "stdout=subprocess.DEVNULL).returncode; print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(code)",
                           *map(str, words)], capture_output=True, text=True)
    wall = time.perf_counter() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode != 0:
        return f"failed with {done.returncode}: {done.stderr[-300:]}"
    return wall, processor, int(done.stdout) / 1024


def report(title, result, megabytes):
    if isinstance(result, str):
        print(f"{title:44} {result}")
        return
    wall, processor, memory = result
    print(f"{title:44} {wall:7.2f} s, {processor:7.2f} s of processor time, {megabytes / processor:6.0f} MB/s, {memory:6.0f} MB of memory")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mb", type=float, default=1000)
    parser.add_argument("--directory", type=Path)
    parser.add_argument("--vendor")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        directory = options.directory or Path(name)
        make(directory, options.mb)
        gpu, npu = directory / "gpu.json", directory / "npu_ascend_pt"
        compare = [BIN / "migrator", "compare", gpu, npu]
        report("overall figures", measured([*compare, "--only", "overall"]), 2 * options.mb)
        report("overall figures, compat msprof", measured([*compare, "--only", "overall", "--compat", "msprof"]), 2 * options.mb)
        report("all sheets", measured(compare), 2 * options.mb)
        report("all sheets, compat msprof", measured([*compare, "--compat", "msprof"]), 2 * options.mb)
        if options.vendor:
            report("the vendor's tool", measured([*options.vendor.split(), "-bp", gpu, "-d", npu]), 2 * options.mb)


if __name__ == "__main__":
    main()
