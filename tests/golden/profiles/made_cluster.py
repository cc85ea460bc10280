"""Clusters of known truth: the folders that Ascend's profiler would write for a run that is simulated here.

A stage computes and exchanges in the order of a schedule. A transfer begins when both of its ranks have come to it, and takes its time; so
when each stage waits is known to the nanosecond. Ranks are laid out as Megatron does: data parallel ones are next to each other, stages
are apart.
"""

import json
from dataclasses import dataclass, field

BASE_US = 1_736_408_883_000_000.0
COLUMNS = ("Step Id", "Name", "Type", "OP State", "Accelerator Core", "Start Time(us)", "Duration(us)", "Input Shapes", "Input Data Types",
           "Input Formats", "Output Shapes", "Output Data Types")


@dataclass
class Run:
    """Times in microseconds."""
    stages: int = 1
    data: int = 1
    micro_batches: int = 4
    schedule: str = "1F1B"
    single: bool = False          # sends and receives are operators of their own, not one for both
    one_group: bool = False       # one communicator for a whole pipeline, not one for each two stages
    forward: tuple = ()           # by stage
    backward: tuple = ()
    transit: float = 400.0
    slow_device: dict = field(default_factory=dict)  # rank to a factor
    idle_host: dict = field(default_factory=dict)    # rank to microseconds in each step
    steps: int = 2
    links: dict = field(default_factory=dict)        # (from, to) to GB/s
    transport: str = "RDMA"
    tokens: object = None         # (rank, pass) to tokens of its experts
    passes: int = 4
    skew: dict = field(default_factory=dict)         # rank to how far its clock is ahead
    group_info: bool = True

    @property
    def world(self):
        return self.stages * self.data

    def rank(self, stage, replica):
        return stage * self.data + replica


def program(schedule, stage, stages, micro_batches):
    """("F", k), ("B", k) and ("round", neighbour, sends, receives)."""
    out = []

    def exchange(neighbour, sends, receives):
        if 0 <= neighbour < stages:
            out.append(("round", neighbour, sends, receives))
    warm_up = micro_batches if schedule == "GPipe" else min(micro_batches, stages - 1 - stage)
    for k in range(warm_up):
        exchange(stage - 1, 0, 1)
        out.append(("F", k))
        exchange(stage + 1, 1, 0)
    if micro_batches > warm_up:
        exchange(stage - 1, 0, 1)
    for k in range(micro_batches - warm_up):
        out.append(("F", warm_up + k))
        exchange(stage + 1, 1, 1)
        out.append(("B", k))
        exchange(stage - 1, 1, 0 if k + 1 == micro_batches - warm_up else 1)
    for k in range(warm_up):
        exchange(stage + 1, 0, 1)
        out.append(("B", micro_batches - warm_up + k))
        exchange(stage - 1, 1, 0)
    return out


def simulate(run, replica):
    """Of each stage: its phases ("F", "B" or "round", what, begin, end), from 0 on."""
    plans = [program(run.schedule, stage, run.stages, run.micro_batches) for stage in range(run.stages)]
    clock = [0.0] * run.stages
    at = [0] * run.stages
    phases = [[] for _ in plans]
    while any(at[stage] < len(plans[stage]) for stage in range(run.stages)):
        moved = False
        for stage, plan in enumerate(plans):
            if at[stage] == len(plan):
                continue
            item = plan[at[stage]]
            if item[0] != "round":
                length = (run.forward if item[0] == "F" else run.backward)[stage] * run.slow_device.get(run.rank(stage, replica), 1)
                phases[stage].append((item[0], item[1], clock[stage], clock[stage] + length))
                clock[stage] += length
                at[stage] += 1
                moved = True
                continue
            other = item[1]
            there = plans[other][at[other]] if at[other] < len(plans[other]) else None
            if there is None or there[0] != "round" or there[1] != stage:
                continue
            end = max(clock[stage], clock[other]) + run.transit
            for one, what in ((stage, item), (other, there)):
                phases[one].append(("round", what[1:], clock[one], end))
                clock[one], at[one] = end, at[one] + 1
            moved = True
        assert moved, "the schedule cannot go on"
    return phases


def bubble(run, replica=0):
    """The share of the time of all stages in which they neither compute nor transfer."""
    phases = simulate(run, replica)
    length = max(phase[3] for of_stage in phases for phase in of_stage)
    busy = sum(end - begin for of_stage in phases for kind, _, begin, end in of_stage if kind != "round")
    rounds = sum(run.transit for of_stage in phases for kind, *_ in of_stage if kind == "round")
    return 1 - (busy + rounds) / (length * run.stages)


def p2p(run, stage, replica, phases, begin):
    out, counts = {}, {}
    for kind, what, start, end in phases:
        if kind != "round":
            continue
        neighbour, sends, receives = what
        group = f"9{replica:03}{0 if run.one_group else min(stage, neighbour):03}"
        words = ["send"] * sends + ["receive"] * receives if run.single else ["batchSendRecv"]
        for word in words:
            counts[group] = counts.get(group, 0) + 1
            out[f"hcom_{word}__{group[-3:]}_{counts[group]}_1@{group}"] = {
                "Communication Time Info": {"Start Timestamp(us)": begin + start, "Elapse Time(ms)": (end - start) / 1e3,
                                            "Transit Time(ms)": run.transit / 1e3},
                "Communication Bandwidth Info": {}}
    return out


def matrix(run, rank, peers):
    """One kind of collective over the ranks of a group, each with its links."""
    group = f"7{peers[0]:03}"
    pairs = {f"{peers.index(rank)}-{peers.index(rank)}": {"Transport Type": "LOCAL", "Transit Size(MB)": 64, "Transit Time(ms)": 0.2}}
    for peer in peers:
        if peer != rank:
            bandwidth = run.links.get((rank, peer), 20.0)
            pairs[f"{peers.index(rank)}-{peers.index(peer)}"] = {"Transport Type": run.transport, "Transit Size(MB)": 64.0,
                                                                 "Transit Time(ms)": 64.0 / bandwidth}
    return {f"allreduce-total@{group}": pairs, f"allreduce-top1@{group}": pairs}


def write(run, directory):
    """The folders of all ranks. Returns the phases of each rank in one step."""
    truth = {}
    for replica in range(run.data):
        for stage, phases in enumerate(simulate(run, replica) if run.stages > 1 else [[("F", 0, 0.0, 50_000.0 * run.slow_device.get(replica, 1))]]):
            truth[run.rank(stage, replica)] = phases
    ends = {rank: phases[-1][3] + run.idle_host.get(rank, 0) for rank, phases in truth.items()}
    last = max(ends.values()) + 10_000
    for rank, phases in truth.items():
        stage, replica = divmod(rank, run.data)
        folder = directory / f"rank{rank}_ascend_pt"
        output = folder / "ASCEND_PROFILER_OUTPUT"
        output.mkdir(parents=True)
        (folder / f"profiler_info_{rank}.json").write_text("{}")
        peers = [run.rank(stage, other) for other in range(run.data)]
        groups = {"1": {"group_name": "exp", "group_rank": replica, "global_ranks": peers},
                  "2": {"group_name": "pp", "group_rank": stage, "global_ranks": [run.rank(other, replica) for other in range(run.stages)]}}
        (folder / "profiler_metadata.json").write_text(json.dumps({"parallel_group_info": groups} if run.group_info else {}))
        communication, links, steps, kernels = {}, {}, [], [",".join(COLUMNS)]
        for number in range(run.steps):
            begin = BASE_US + number * (last + 5_000) + run.skew.get(rank, 0)
            ready = begin + ends[rank]
            # All ranks leave the exchange of gradients together.
            reduce_us = last - ends[rank] + 4_000
            communication[f"step{number}"] = {
                "p2p": p2p(run, stage, replica, phases, begin) if run.stages > 1 else {},
                "collective": {f"hcom_allReduce__7_{k}_1@7{peers[0]:03}": {
                    "Communication Time Info": {"Start Timestamp(us)": ready + k * 10, "Elapse Time(ms)": (reduce_us + k) / 1e3 + 0.003 * ((rank + k) % 5)},
                    "Communication Bandwidth Info": {}} for k in range(4)}}
            if run.data > 1:
                links[f"step{number}"] = {"collective": matrix(run, rank, peers)}
            computing = sum(end - start for kind, _, start, end in phases if kind != "round")
            waiting = sum(end - start for kind, _, start, end in phases if kind == "round")
            steps.append(f"{rank},{number},{computing},{waiting + reduce_us},0,{waiting + reduce_us},{run.idle_host.get(rank, 0) + 1000},"
                         f"{last},{waiting},{reduce_us},0")
            kernels.append(f"{number},first,Mul,static,AI_VECTOR_CORE,{begin:.3f},5.0,,,,,")
            for k in range(run.passes if run.tokens else 0):
                tokens = run.tokens(rank, k)
                for product, width in enumerate((1408, 2048)):
                    kernels.append(f'{number},gmm,GroupedMatmul,dynamic,AI_CORE,{begin + 100 + k * 50 + product * 20:.3f},{tokens / 100:.3f},'
                                   f'"""{tokens},2048;8,2048,{width};8""",BF16,ND,"""{tokens},{width}""",BF16')
        (output / "step_trace_time.csv").write_text(
            "Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,Bubble,Communication(Not Overlapped and "
            "Exclude Receive),Preparing\n" + "\n".join(steps) + "\n")
        (output / "communication.json").write_text(json.dumps(communication))
        (output / "communication_matrix.json").write_text(json.dumps(links))
        (output / "kernel_details.csv").write_text("\n".join(kernels) + "\n")
    return truth
