"""`migrator profile` on clusters of known truth: it names the cause that was put in, with its figures, and is silent on healthy ones."""

import csv
import json
import random
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
from checks import Checks, run, tool  # noqa: E402
from made_cluster import BASE_US, Run, bubble, simulate, write  # noqa: E402

KINDS = {"F": "forward", "B": "backward"}


def said(checks, directory, what, code=0):
    done = run(tool("migrator"), "profile", directory, "--json")
    checks.equal(done.returncode, code, f"{what}: {done.stderr}")
    return json.loads(done.stdout) if done.stdout else {}


def profiled(checks, made, directory, what):
    write(made, directory / what)
    return said(checks, directory / what, what)


def rules(found):
    return {item["rule"] for item in found["advice"]}


def waits_by_part(phases, transit, length):
    """What a stage waits before its first backward pass, after its last forward pass, and between."""
    kinds = [phase[0] for phase in phases]
    first, last = kinds.index("B"), len(kinds) - 1 - kinds[::-1].index("F")
    # A forward pass and the backward pass right after it are told as one.
    backward = phases[first - 1 if kinds[first - 1] == "F" else first][2]
    forward = phases[last + 1 if kinds[last + 1] == "B" else last][3]
    out = {"warm-up": 0.0, "steady": 0.0, "cool-down": 0.0}
    waits = [(begin, end - transit) for kind, _, begin, end in phases if kind == "round"] + [(phases[-1][3], length)]
    for begin, end in waits:
        out["warm-up" if begin < backward else "cool-down" if begin >= forward else "steady"] += max(end - begin, 0)
    return out


def check_pipelines(checks, directory):
    """Phases, bubbles and the schedule of simulated pipelines, whatever operators carry the transfers and however far clocks are apart."""
    even = {"forward": (10_000,) * 4, "backward": (20_000,) * 4}
    uneven = {"forward": (10_000, 11_000, 12_500, 9_000), "backward": (20_000, 22_000, 31_000, 18_000)}
    runs = {"two": Run(2, 2, 4, forward=(10_000,) * 2, backward=(20_000,) * 2), "four": Run(4, 1, 8, **even), "uneven": Run(4, 2, 8, **uneven),
            "single": Run(4, 1, 8, single=True, **uneven),
            "one_group": Run(4, 2, 8, one_group=True, **uneven), "one_group_single": Run(4, 1, 8, single=True, one_group=True, **uneven),
            "gpipe": Run(4, 1, 6, "GPipe", **uneven),
            "untold_groups": Run(2, 2, 4, forward=(10_000,) * 2, backward=(20_000,) * 2, group_info=False),
            "clocks": Run(4, 1, 8, skew={1: 3000, 2: -7000}, **uneven), "one_micro_batch": Run(2, 1, 1, forward=(9_000,) * 2, backward=(9_000,) * 2)}
    for name, made in runs.items():
        found = profiled(checks, made, directory, name)
        checks.equal(len(found["pipelines"]), made.data * made.steps, f"{name}: pipelines and steps")
        for chart in found["pipelines"]:
            what = f"{name}, {chart['ranks']}, {chart['step']}"
            checks.equal((chart.get("schedule"), chart.get("micro_batches"), chart.get("reason")), (made.schedule, made.micro_batches, None), what)
            replica = int(chart["ranks"][0])
            if made.micro_batches > 1:
                checks.expect(abs(chart["bubble_share"] - bubble(made, replica)) < 1e-6, f"{what}: waits {chart['bubble_share']}, not {bubble(made, replica)}")
            checks.expect(abs(chart["least_bubble_share"] - (made.stages - 1) / (made.micro_batches + made.stages - 1)) < 1e-12, f"{what}: the least")
            checks.expect(chart.get("clock_residual_us", 0) < 1, f"{what}: clocks")
            for stage, phases in zip(chart["stages"], simulate(made, replica)):
                truth = [(KINDS[kind], number + 1, round(begin), round(end - begin)) for kind, number, begin, end in phases if kind != "round"]
                told = [(phase["kind"], phase.get("micro_batch"), round(phase["begin_us"]), round(phase["duration_us"])) for phase in stage["phases"]
                        if phase["kind"] not in ("wait", "transfer")]
                if told and not stage["divided"] and all(kind != "both" for kind, *_ in told) and made.micro_batches > 1:
                    checks.equal(told, truth, f"{what}: passes of rank {stage['rank']}")
                waits = waits_by_part(phases, made.transit, chart["length_us"])
                if made.micro_batches > 1:
                    checks.expect(all(abs(stage["waits_us"][part] - waits[part]) < 1e-3 for part in waits), f"{what}, rank {stage['rank']}: {stage['waits_us']}, {waits}")
                checks.expect(abs(sum(stage["waits_us"].values()) - stage["waiting_us"]) < 1e-3, f"{what}: waits of all parts")
                ends = [phase["begin_us"] + phase["duration_us"] for phase in stage["phases"]]
                begins = [phase["begin_us"] for phase in stage["phases"]]
                checks.expect(all(abs(end - begin) < 1e-3 for end, begin in zip(ends, begins[1:])), f"{what}: a lane without gaps")
    excess = profiled(checks, Run(4, 1, 8, forward=(10_000,) * 4, backward=(20_000, 20_000, 34_000, 20_000)), directory, "excess")
    checks.expect("profile.pipeline_excess" in rules(excess), f"an uneven stage: {rules(excess)}")
    checks.equal(excess["figures"]["slowest_stage"], "2", "which one")
    checks.expect("profile.pipeline_excess" not in rules(said(checks, directory / "four", "even stages")), "even stages")


def check_untold(checks, directory):
    """A transfer less: no schedule fits, and that is said."""
    write(Run(4, 1, 8, forward=(10_000,) * 4, backward=(20_000,) * 4, steps=1), directory / "untold")
    path = directory / "untold/rank2_ascend_pt/ASCEND_PROFILER_OUTPUT/communication.json"
    steps = json.loads(path.read_text())
    steps["step0"]["p2p"].popitem()
    path.write_text(json.dumps(steps))
    chart, = said(checks, directory / "untold", "untold")["pipelines"]
    checks.expect("micro-batches cannot be told" in chart.get("reason", ""), f"{chart}")
    checks.expect("stages" not in chart, "no phases are made up")
    steps["step0"]["p2p"] = {}
    path.write_text(json.dumps(steps))
    chart, = said(checks, directory / "untold", "no transfers")["pipelines"]
    checks.equal(chart.get("reason"), "Rank 2 has no transfers to other stages in this step.", "a stage without transfers")


def write_interleaved(directory, stages, chunks, micro_batches, forward, backward, batched=False):
    """All forward passes chunk by chunk, then all backward ones; what is sent waits for nobody. Returns the length of all passes of a stage."""
    ready = {}  # when the input of a pass is there, by (is it forward, chunk, stage, micro-batch)
    clock = [0.0] * stages
    calls = [{} for _ in range(stages)]
    transit = 100.0

    def pair(stage, other):
        return f"5{min(stage, other):03}{max(stage, other):03}"
    for is_forward in (True, False):
        for turn in range(chunks):
            chunk = turn if is_forward else chunks - 1 - turn
            for place in range(stages):
                stage = place if is_forward else stages - 1 - place
                before, after = (stage - 1) % stages, (stage + 1) % stages
                source, target = (before, after) if is_forward else (after, before)
                is_first = (chunk, stage) == ((0, 0) if is_forward else (chunks - 1, stages - 1))
                is_last = (chunk, stage) == ((chunks - 1, stages - 1) if is_forward else (0, 0))
                for number in range(micro_batches):
                    def call(kind, peer, begin, end):
                        word = "batchSendRecv" if batched else kind
                        calls[stage][f"hcom_{word}__{pair(stage, peer)[-3:]}_{len(calls[stage])}_1@{pair(stage, peer)}"] = {
                            "Communication Time Info": {"Start Timestamp(us)": BASE_US + begin, "Elapse Time(ms)": (end - begin) / 1e3,
                                                        "Transit Time(ms)": transit / 1e3}, "Communication Bandwidth Info": {}}
                    if not is_first:
                        begin = clock[stage]
                        clock[stage] = max(begin, ready[is_forward, chunk, stage, number]) + transit
                        call("receive", source, begin, clock[stage])
                    clock[stage] += forward if is_forward else backward
                    if is_last:
                        continue
                    call("send", target, clock[stage], clock[stage] + transit)
                    clock[stage] += transit
                    next_chunk = chunk + (1 if is_forward and stage == stages - 1 else -1 if not is_forward and stage == 0 else 0)
                    ready[is_forward, next_chunk, target, number] = clock[stage]
    for stage in range(stages):
        folder = directory / f"rank{stage}_ascend_pt"
        (folder / "ASCEND_PROFILER_OUTPUT").mkdir(parents=True)
        (folder / f"profiler_info_{stage}.json").write_text("{}")
        (folder / "profiler_metadata.json").write_text(json.dumps({"parallel_group_info": {"1": {"group_name": "pp", "global_ranks": list(range(stages))}}}))
        (folder / "ASCEND_PROFILER_OUTPUT/step_trace_time.csv").write_text(
            "Device_id,Step,Computing,Communication(Not Overlapped),Free,Stage,Bubble\n0,0,100,100,0,200,0\n")
        (folder / "ASCEND_PROFILER_OUTPUT/communication.json").write_text(json.dumps({"step0": {"p2p": calls[stage], "collective": {}}}))


def check_interleaved(checks, directory):
    """Stages with several chunks: told where each transfer is one way between two ranks, and not made up where it is not."""
    for stages, chunks, micro_batches in ((4, 2, 4), (3, 3, 6), (4, 1, 5)):
        name = f"interleaved{stages}{chunks}{micro_batches}"
        write_interleaved(directory / name, stages, chunks, micro_batches, 1000.0, 2000.0)
        chart, = said(checks, directory / name, name)["pipelines"]
        if chunks == 1:
            checks.equal((chart["schedule"], chart["micro_batches"]), ("GPipe", micro_batches), name)
            continue
        checks.equal((chart.get("schedule"), chart.get("micro_batches"), chart.get("chunks")), ("interleaved", micro_batches, chunks), f"{name}: {chart.get('reason')}")
        for stage in chart["stages"]:
            counted = {kind: [phase["duration_us"] for phase in stage["phases"] if phase["kind"] == kind] for kind in ("forward", "backward", "both")}
            # The last pass forward of all and the first one backward have no transfer between them.
            last = int(stage["rank"]) == stages - 1
            checks.equal({kind: len(lengths) for kind, lengths in counted.items()},
                         {"forward": chunks * micro_batches - last, "backward": chunks * micro_batches - last, "both": int(last)}, f"{name}, rank {stage['rank']}")
            for kind, length in (("forward", 1000), ("backward", 2000), ("both", 3000)):
                checks.expect(all(abs(found - length) < 1 for found in counted[kind]), f"{name}, rank {stage['rank']}: {counted}")
            checks.expect(abs(stage["computing_us"] - 3000.0 * chunks * micro_batches) < 1, f"{name}, rank {stage['rank']}: {stage['computing_us']} us")
        checks.expect(abs(chart["least_bubble_share"] - (stages - 1) / (chunks * micro_batches + stages - 1)) < 1e-12, f"{name}: the least")
    write_interleaved(directory / "batched", 4, 2, 4, 1000.0, 2000.0, batched=True)
    chart, = said(checks, directory / "batched", "batched")["pipelines"]
    checks.expect("micro-batches cannot be told" in chart.get("reason", ""), f"{chart}")


def check_experts(checks, directory):
    """Tokens by rank and pass; who gets most, who waits, and for how long."""
    chance = random.Random(3)
    table = {(rank, number): chance.randint(900, 1100) + (900 if rank == 5 else 0) for rank in range(8) for number in range(4)}
    made = Run(1, 8, tokens=lambda rank, number: table[rank, number])
    found = profiled(checks, made, directory, "experts")
    group, = found["experts"]
    checks.equal([rank["tokens"] for rank in group["ranks"]], [2.0 * made.steps * sum(table[rank, k] for k in range(4)) for rank in range(8)], "tokens")
    checks.equal({rank["experts"] for rank in group["ranks"]}, {8}, "experts of a rank")
    most = sum(max(table[rank, k] for rank in range(8)) for k in range(4))
    mean = sum(table[rank, k] for rank in range(8) for k in range(4)) / 8
    checks.expect(abs(group["factor"] - most / mean) < 1e-9, f"factor {group['factor']}, not {most / mean}")
    checks.equal((group["guessed"], group["all_passes"]), (False, 4 * made.steps), "passes")
    spreads = [max(item["tokens"]) - min(item["tokens"]) for item in group["passes"]]
    checks.equal(spreads, sorted(spreads, reverse=True), "the least even pass first")
    for rank in range(8):
        waits = sum(2 * made.steps * (max(table[other, k] for other in range(8)) - table[rank, k]) / 100 / 1e3 for k in range(4))
        checks.expect(abs(group["ranks"][rank]["waits_ms"] - waits) < 1e-4, f"rank {rank} waits {group['ranks'][rank]['waits_ms']}, not {waits}")
    checks.expect("profile.expert_imbalance" in rules(found), f"{rules(found)}")
    checks.equal(found["figures"]["expert_most"], "5", "who has most")
    even = profiled(checks, Run(1, 8, tokens=lambda rank, number: 1000 + (rank + number) % 3), directory, "even_experts")
    checks.equal(rules(even), set(), "even experts")
    guessed = profiled(checks, Run(1, 4, tokens=lambda rank, number: 1000, group_info=False), directory, "guessed_experts")
    checks.equal(guessed["experts"][0]["guessed"], True, "no file says which ranks share experts")


def check_links(checks, directory):
    """One slow card is a port of one rank; one slow cable is a link."""
    healthy = {(a, b): 20 + 0.3 * ((a * 7 + b * 3) % 5) for a in range(8) for b in range(8) if a != b}
    card = {pair: 4.0 if 3 in pair else speed for pair, speed in healthy.items()}
    found = profiled(checks, Run(1, 8, links=card), directory, "card")
    checks.equal(found["slow_ports"], [{"rank": "3", "transport": "RDMA", "links": 14}], "the port")
    checks.expect({"profile.slow_port", "profile.slow_link"} <= rules(found), f"{rules(found)}")
    checks.equal({3 in (int(link["from"]), int(link["to"])) and link["certain"] for link in found["slow_links"]}, {True}, "certain links")
    cable = {**healthy, (2, 6): 5.0, (6, 2): 5.0}
    found = profiled(checks, Run(1, 8, links=cable), directory, "cable")
    checks.equal({(link["from"], link["to"], link["certain"]) for link in found["slow_links"]}, {("2", "6", True), ("6", "2", True)}, "the cable")
    checks.equal((found["slow_ports"], rules(found)), ([], {"profile.slow_link"}), "no port is slow")
    once = profiled(checks, Run(1, 8, links={**healthy, (2, 6): 5.0}, steps=1), directory, "once")
    checks.equal(([link["certain"] for link in once["slow_links"]], rules(once)), ([False], {"profile.review_link"}), "one measurement")
    checks.equal(rules(profiled(checks, Run(1, 8, links=healthy), directory, "links")), set(), "healthy links")
    # Of two ranks no median tells; the hardware does.
    for speed, wanted in ((4.0, {"profile.review_link"}), (20.0, set())):
        found = profiled(checks, Run(1, 2, links={(0, 1): speed, (1, 0): speed}, steps=1), directory, f"pair{speed}")
        checks.equal(rules(found), wanted, f"two ranks, {speed} GB/s")


def write_trace(folder, loader_us, reads):
    """A trace of one step whose host waits for a batch, or reads values of the device."""
    names = {1: "Python", 2: "CANN", 3: "Ascend Hardware", 4: "Overlap Analysis"}
    events = [{"ph": "M", "name": "process_name", "pid": pid, "tid": 0, "args": {"name": name}} for pid, name in names.items()]

    def add(pid, name, at, length, **more):
        events.append({"ph": "X", "pid": pid, "tid": 1, "name": name, "ts": f"{BASE_US + at:.3f}", "dur": length, **more})
    add(1, "ProfilerStep#0", 0, 100_000, cat="cpu_op")
    add(1, "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", 10, loader_us, cat="cpu_op")
    for number in range(reads):
        add(1, "aten::_local_scalar_dense", 60_000 + 20 * number, 10, cat="cpu_op")
    add(4, "Free", 0, loader_us, args={})
    add(4, "Computing", loader_us, 100_000 - loader_us, args={})
    (folder / "ASCEND_PROFILER_OUTPUT/trace_view.json").write_text(json.dumps(events))


def check_slow_ranks(checks, directory):
    """A device, a loader and a host that reads: which rank, and with its trace why."""
    found = profiled(checks, Run(1, 8, slow_device={6: 1.3}), directory, "device")
    checks.expect("profile.slow_device" in rules(found) and "profile.slow_host" not in rules(found), f"{rules(found)}")
    checks.equal((found["figures"]["slow_rank"], round(found["figures"]["slow_rank_ms"], 3)), ("6", 30.0), "which rank, and by how much")
    checks.equal([item["rank"] for item in found["awaited"]["ranks"]], ["6"], "whom the others wait for")
    for what, loader_us, reads, rule in (("loader", 25_000, 0, "profile.data_loading"), ("reading", 5_000, 40, "profile.host_reads")):
        made = Run(1, 8, idle_host={2: 20_000})
        write(made, directory / what)
        for rank in range(8):
            write_trace(directory / what / f"rank{rank}_ascend_pt", loader_us if rank == 2 else 500, reads if rank == 2 else 0)
        found = said(checks, directory / what, what)
        checks.expect("profile.slow_host" in rules(found) and "profile.slow_device" not in rules(found), f"{what}: {rules(found)}")
        checks.equal((found["figures"]["slow_rank"], found["close"]["rank"]), ("2", "2"), f"{what}: which rank")
        close = {item["rule"]: item["says"] for item in found["close"]["advice"]}
        checks.expect(rule in close, f"{what}: {close}")
        checks.expect(what != "loader" or "25 ms" in close[rule], f"{close}")
        other = {"profile.data_loading", "profile.host_reads"} - {rule}
        checks.expect(not other & set(close), f"{what}: {close}")
        checks.equal("profile.host_bound" in close, what == "loader", f"{what}: the share of free time")
    healthy = Run(1, 8)
    write(healthy, directory / "healthy")
    for rank in range(8):
        write_trace(directory / f"healthy/rank{rank}_ascend_pt", 500, 0)
    found = said(checks, directory / "healthy", "healthy")
    checks.equal((rules(found), [item["rule"] for item in found["close"]["advice"]]), (set(), []), "a healthy cluster")


def check_versions(checks, directory):
    """Ranks that were recorded by other releases: columns of other names, in other places, and some that are missing."""
    made = Run(2, 2, 4, forward=(10_000,) * 2, backward=(20_000,) * 2, tokens=lambda rank, number: 1000 + 50 * rank)
    found = profiled(checks, made, directory, "versions")
    output = directory / "versions/rank2_ascend_pt/ASCEND_PROFILER_OUTPUT"
    for table, changed in (("kernel_details.csv", {"Step Id": "Step ID", "OP State": None}), ("step_trace_time.csv", {"Device_id": None, "Preparing": None})):
        with open(output / table, newline="") as file:
            rows = list(csv.DictReader(file))
        columns = [name for name in reversed(rows[0]) if changed.get(name, name)]
        with open(output / table, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow([changed.get(name, name) for name in columns])
            writer.writerows([row[name] for name in columns] for row in rows)
    checks.equal(said(checks, directory / "versions", "versions"), found, "ranks of other releases")


def check_outputs(checks, directory):
    """The same in the terminal, on the page and in tables, in both languages."""
    write(Run(2, 2, 4, forward=(10_000,) * 2, backward=(20_000,) * 2, tokens=lambda rank, number: 1000 + 500 * (rank % 2)), directory / "run")
    for language, pipeline, experts in (("en", "Pipeline of ranks 0, 2, step0: 4 micro-batches, 1F1B; its stages wait 19.7 % of the time, even ones 20.0 %; ",
                                         "Experts of ranks 0, 1: 1.20 times as long as with even tokens; rank 1 has most, 24000 where the mean is 20000; "),
                                        ("zh", "流水线 rank 0, 2，step0：4 个 micro-batch，1F1B；各阶段有 19.7 % 的时间在等待，均匀时为 20.0 %；",
                                         "rank 0, 1 的专家：耗时是 token 均匀时的 1.20 倍；rank 1 最多，为 24000，平均为 20000；")):
        out = directory / f"report_{language}"
        done = run(tool("migrator"), "profile", directory / "run", "--report", out, "--format", "html,json,csv,xlsx", "--lang", language)
        for text in (pipeline, experts):
            checks.expect(text in done.stdout, f"{text}\n{done.stdout}")
            checks.expect(text in (out / "profile.html").read_text(encoding="utf-8"), f"{language}: the page")
    rows = list(csv.DictReader((out / "PipelinePhases.csv").read_text().splitlines()))
    checks.equal(len([row for row in rows if row["Phase"] == "forward"]), 2 * 2 * 4, "forward passes that stand alone or are divided, of two pipelines and steps")
    checks.equal({row["Rank"]: float(row["Tokens"]) for row in csv.DictReader((out / "Experts.csv").read_text().splitlines())},
                 {"0": 16000.0, "1": 24000.0, "2": 16000.0, "3": 24000.0}, "tokens")
    checks.equal(sorted(path.name for path in out.iterdir()), ["Advice.csv", "ExpertPasses.csv", "Experts.csv", "PipelinePhases.csv", "Steps.csv",
                                                               "profile.html", "profile.json", "profile.xlsx"], "files")


def main():
    checks = Checks()
    for check in (check_pipelines, check_untold, check_interleaved, check_experts, check_links, check_slow_ranks, check_versions, check_outputs):
        with tempfile.TemporaryDirectory() as name:
            check(checks, Path(name))
    checks.finish()


if __name__ == "__main__":
    main()
