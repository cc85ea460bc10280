"""Writes the text form of a profile of an NPU as the databases that Ascend's profiler would have written of the same run."""

import csv
import json
import sqlite3
from decimal import Decimal

TABLES = """
CREATE TABLE STRING_IDS (id INTEGER PRIMARY KEY, value TEXT);
CREATE TABLE ENUM_API_TYPE (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE PYTORCH_API (startNs TEXT, endNs TEXT, globalTid INTEGER, connectionId INTEGER, name INTEGER, sequenceNumber INTEGER,
  fwdThreadId INTEGER, inputDtypes INTEGER, inputShapes INTEGER, callchainId INTEGER, type INTEGER);
CREATE TABLE PYTORCH_CALLCHAINS (id INTEGER, stack INTEGER, stackDepth INTEGER);
CREATE TABLE CONNECTION_IDS (id INTEGER, connectionId INTEGER);
CREATE TABLE CANN_API (startNs INTEGER, endNs INTEGER, type INTEGER, globalTid INTEGER, connectionId INTEGER PRIMARY KEY, name INTEGER);
CREATE TABLE TASK (startNs INTEGER, endNs INTEGER, deviceId INTEGER, connectionId INTEGER, globalTaskId INTEGER, globalPid INTEGER,
  taskType INTEGER, contextId INTEGER, streamId INTEGER, taskId INTEGER, modelId INTEGER);
CREATE INDEX TaskIndex ON TASK (startNs, globalTaskId);
CREATE TABLE COMPUTE_TASK_INFO (name INTEGER, globalTaskId INTEGER PRIMARY KEY, blockDim INTEGER, mixBlockDim INTEGER, taskType INTEGER,
  opType INTEGER, inputFormats INTEGER, inputDataTypes INTEGER, inputShapes INTEGER, outputFormats INTEGER, outputDataTypes INTEGER,
  outputShapes INTEGER, attrInfo INTEGER);
CREATE TABLE TASK_PMU_INFO (globalTaskId INTEGER, name INTEGER, value NUMERIC);
CREATE TABLE COMMUNICATION_OP (opName INTEGER, startNs INTEGER, endNs INTEGER, connectionId INTEGER, groupName INTEGER,
  opId INTEGER PRIMARY KEY, relay INTEGER, retry INTEGER, dataType INTEGER, algType INTEGER, count NUMERIC, opType INTEGER);
CREATE TABLE COMMUNICATION_TASK_INFO (name INTEGER, globalTaskId INTEGER, taskType INTEGER, planeId INTEGER, groupName INTEGER,
  notifyId INTEGER, rdmaType INTEGER, srcRank INTEGER, dstRank INTEGER, transportType INTEGER, size INTEGER, dataType INTEGER,
  linkType INTEGER, opId INTEGER);
CREATE INDEX CommunicationTaskIndex ON COMMUNICATION_TASK_INFO (globalTaskId);
CREATE TABLE STEP_TIME (id INTEGER, startNs INTEGER, endNs INTEGER);
CREATE TABLE MEMORY_RECORD (component INTEGER, timestamp INTEGER, totalAllocated INTEGER, totalReserved INTEGER, totalActive INTEGER,
  streamPtr INTEGER, deviceId INTEGER);
CREATE TABLE OP_MEMORY (name INTEGER, size INTEGER, allocationTime INTEGER, releaseTime INTEGER, duration INTEGER);
CREATE TABLE META_DATA (name TEXT, value TEXT);
"""

ANALYSIS = """
CREATE TABLE StepTraceTime (step TEXT, computing NUMERIC, communication_not_overlapped NUMERIC, overlapped NUMERIC, communication NUMERIC,
  free NUMERIC, stage NUMERIC, bubble NUMERIC, communication_not_overlapped_and_exclude_receive NUMERIC, preparing NUMERIC);
CREATE TABLE CommAnalyzerTime (hccl_op_name TEXT, group_name TEXT, start_timestamp NUMERIC, elapse_time NUMERIC, transit_time NUMERIC,
  wait_time NUMERIC, synchronization_time NUMERIC, idle_time NUMERIC, step TEXT, type TEXT);
CREATE TABLE CommAnalyzerBandwidth (hccl_op_name TEXT, group_name TEXT, transport_type TEXT, transit_size NUMERIC, transit_time NUMERIC,
  bandwidth NUMERIC, large_packet_ratio NUMERIC, package_size NUMERIC, count NUMERIC, total_duration NUMERIC, step TEXT, type TEXT);
CREATE TABLE CommAnalyzerMatrix (hccl_op_name TEXT, group_name TEXT, src_rank TEXT, dst_rank TEXT, transport_type TEXT,
  transit_size NUMERIC, transit_time NUMERIC, bandwidth NUMERIC, step TEXT, type TEXT, op_name TEXT);
"""

OP, QUEUE, TRACE = 50001, 50002, 50003
NO_CONNECTION = 4294967295
UNITS = {"aicore_time(us)": "aic_total_time", "aic_mac_time(us)": "aic_mac_time", "mac_time(us)": "aic_mac_time",
         "aic_mte2_time(us)": "aic_mte2_time", "aiv_time(us)": "aiv_total_time", "aiv_vec_time(us)": "aiv_vec_time"}


def nanoseconds(text):
    return int(Decimal(str(text).strip()) * 1000)


def rows_of(path):
    if not path.exists():
        return []
    with path.open(encoding="utf-8-sig", newline="") as file:
        return [{key: value.strip() for key, value in row.items()} for row in csv.DictReader(file)]


def first(row, *names):
    return next((row[name] for name in names if name in row), "")


def stream_of(row):
    text = first(row, "Stream ID")
    return int(text) if text.isdigit() else 0


class Writer:
    def __init__(self, folder, path):
        self.output = folder
        self.db = sqlite3.connect(path)
        self.db.executescript(TABLES)
        self.strings = {}
        self.tasks = 0
        self.connections = 0

    def text(self, value):
        if value not in self.strings:
            self.strings[value] = len(self.strings)
            self.db.execute("INSERT INTO STRING_IDS VALUES (?, ?)", (self.strings[value], value))
        return self.strings[value]

    def add(self, table, *values):
        self.db.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(values))})", values)

    def task(self, begin, end, kind, stream, number, connection):
        self.tasks += 1
        self.add("TASK", begin, end, 0, connection, self.tasks, 0, self.text(kind), 0, stream, number, 0)
        return self.tasks

    def run(self):
        for number, name in ((5000, "runtime"), (20000, "acl"), (OP, "op"), (QUEUE, "queue"), (TRACE, "trace")):
            self.add("ENUM_API_TYPE", number, name)
        events = json.loads((self.output / "trace_view.json").read_text(encoding="utf-8"))
        self.processes = {event["pid"]: event["args"]["name"] for event in events if event.get("name") == "process_name"}
        self.add_flows(events)
        for event in events:
            if event["ph"] == "X" and event.get("cat") in ("cpu_op", "python_function", "enqueue", "dequeue"):
                self.add_host(event)
        self.add_device([event for event in events if event["ph"] == "X"])
        self.add_collectives(events)
        for row in rows_of(self.output / "memory_record.csv"):
            self.add("MEMORY_RECORD", self.text(row["Component"]), nanoseconds(row["Timestamp(us)"]), 0,
                     int(float(row["Total Reserved(MB)"]) * 1048576), 0, 0, 0)
        for row in rows_of(self.output / "operator_memory.csv"):
            if row["Allocation Time(us)"]:
                end = row["Release Time(us)"]
                self.add("OP_MEMORY", self.text(row["Name"]), int(float(row["Size(KB)"]) * 1024),
                         nanoseconds(row["Allocation Time(us)"]), nanoseconds(end) if end else None, None)
        self.db.commit()
        self.db.close()

    def add_flows(self, events):
        """Which numbers operators and kernels share, by when they begin."""
        ends = {}
        for event in events:
            if event.get("cat") in ("async_npu", "fwdbwd") and event["ph"] in ("s", "f"):
                ends.setdefault((event["cat"], event["id"]), {})[event["ph"]] = event
        self.of_host, self.of_device = {}, {}
        for (category, _), both in ends.items():
            if len(both) < 2:
                continue
            self.connections += 1
            begin, end = both["s"], both["f"]
            self.of_host.setdefault((begin["tid"], nanoseconds(begin["ts"])), []).append(self.connections)
            if category == "fwdbwd":
                self.of_host.setdefault((end["tid"], nanoseconds(end["ts"])), []).append(self.connections)
            else:
                self.of_device[nanoseconds(end["ts"])] = self.connections

    def add_host(self, event):
        begin = nanoseconds(event["ts"])
        args = event.get("args", {})
        kind = {"cpu_op": OP, "python_function": TRACE}.get(event["cat"], QUEUE)
        connection = chain = None
        if kind == OP and (found := self.of_host.pop((event["tid"], begin), None)):
            connection = 1_000_000 + found[0]
            for number in found:
                self.add("CONNECTION_IDS", connection, number)
        if kind == QUEUE:
            connection = int(args["correlation_id"])
        if args.get("Call stack"):
            chain = self.text(args["Call stack"])
            if not self.db.execute("SELECT 1 FROM PYTORCH_CALLCHAINS WHERE id = ? LIMIT 1", (chain,)).fetchone():
                for depth, frame in enumerate(args["Call stack"].split(";\r\n")):
                    self.add("PYTORCH_CALLCHAINS", chain, self.text(frame), depth)
        texts = [self.text(args[key]) if key in args else None for key in ("Input type", "Input Dims")]
        name = event["cat"].capitalize() + event["name"] if kind == QUEUE and not event["name"].lower().startswith(event["cat"]) else event["name"]
        self.add("PYTORCH_API", str(begin), str(begin + nanoseconds(event["dur"])), event["tid"], connection, self.text(name), None, None,
                 *texts, chain, kind)
        if kind == OP and event["name"].startswith("ProfilerStep#"):
            self.add("STEP_TIME", int(event["name"].split("#")[1]), begin, begin + nanoseconds(event["dur"]))

    def add_device(self, events):
        kernels = {}
        for row in rows_of(self.output / "kernel_details.csv"):
            if row["Type"].startswith("hcom"):
                continue  # a database has collectives in tables of their own
            kernels.setdefault((nanoseconds(row["Start Time(us)"]), row["Name"]), []).append(row)
        for event in events:
            if self.processes.get(event["pid"]) != "Ascend Hardware":
                continue
            args = event["args"]
            begin = nanoseconds(event["ts"])
            found = kernels.get((begin, event["name"]))
            row = found.pop(0) if found else None
            end = begin + nanoseconds(row["Duration(us)"] if row else event["dur"])
            stream = args.get("Stream Id", args.get("Physic Stream Id", event["tid"]))
            kind = args.get("Task Type", "N/A")
            if event["name"].lower() == "kernel_aivec":
                kind = event["name"]
            number = self.task(begin, end, kind, stream, args.get("Task Id", 0), self.of_device.get(begin, NO_CONNECTION))
            if row:
                self.add_kernel(number, row)
        for rows in kernels.values():
            for row in rows:
                begin = nanoseconds(row["Start Time(us)"])
                number = self.task(begin, begin + nanoseconds(row["Duration(us)"]), "N/A", stream_of(row), 0,
                                   self.of_device.get(begin, NO_CONNECTION))
                self.add_kernel(number, row)

    def add_kernel(self, number, row):
        texts = {key: self.text(first(row, key) or "N/A") for key in ("Input Shapes", "Input Data Types")}
        self.add("COMPUTE_TASK_INFO", self.text(row["Name"]), number, 0, 0, self.text(row["Accelerator Core"]), self.text(row["Type"]), None,
                 texts["Input Data Types"], texts["Input Shapes"], None, None, None, None)
        units = {unit: float(row[column]) for column, unit in UNITS.items() if row.get(column) not in (None, "", "N/A")}
        for unit, time in units.items():
            self.add("TASK_PMU_INFO", number, self.text(unit), time * 1000)

    def add_collectives(self, events):
        threads, order = {}, {}
        for event in events:
            if event.get("name") in ("thread_name", "thread_sort_index") and self.processes.get(event["pid"]) in ("HCCL", "Communication"):
                if event["name"] == "thread_name":
                    threads[event["tid"]] = event["args"]["name"]
                else:
                    order[event["tid"]] = event["args"]["sort_index"]
        group, places = None, {}
        for thread in sorted(order, key=order.get):
            name = threads.get(thread, "")
            if "Communication" in name:
                group = name.removeprefix("Group ").removesuffix(" Communication")
                places[thread] = (group, None)
            elif group and name:
                places[thread] = (group, int(name.split()[-1]))
        for event in events:
            if event["ph"] != "X" or self.processes.get(event["pid"]) not in ("HCCL", "Communication"):
                continue
            begin = nanoseconds(event["ts"])
            end = begin + nanoseconds(event["dur"])
            group, plane = places[event["tid"]]
            if plane is None:
                kind = event["name"].split("__")[0] + "_"
                self.add("COMMUNICATION_OP", self.text(event["name"]), begin, end, self.of_device.get(begin, NO_CONNECTION), self.text(group), None, 0, 0, 0, 0,
                         0, self.text(kind))
                continue
            number = self.task(begin, end, "HCCL", 1_000 + plane, 0, NO_CONNECTION)
            args = event.get("args", {})
            transport = {"SDMA": 0, "RDMA": 1, "LOCAL": 2}.get(args.get("transport type"), 9)
            self.add("COMMUNICATION_TASK_INFO", None, number, self.text(event["name"]), plane, self.text(group), 0, 0, 0, 0, transport,
                     int(args.get("size(Byte)", 0) or 0), 0, 0, 0)


class MadeDatabase:
    """A profile of Ascend as a database; `n` operators with a kernel each unless a shape says otherwise."""

    def __init__(self, path):
        self.db = sqlite3.connect(path)
        self.db.executescript(TABLES)
        self.add("ENUM_API_TYPE", *((50001, "op"), (50002, "queue"), (50003, "trace"), (5000, "runtime")))
        self.texts(*enumerate(["aten::add", "AI_CORE", "MatMul", "N/A", "hcom_allReduce_", "Notify_Wait", "group"]))

    def add(self, table, *rows):
        self.db.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)

    def texts(self, *rows):
        self.add("STRING_IDS", *rows)

    def operators(self, n, name=0, shapes=None, types=None, stack=None, kind=50001):
        self.add("PYTORCH_API", *((str(1000 + i * 1000), str(1500 + i * 1000), 1, i, name, None, None, types, shapes, stack, kind) for i in range(n)))
        self.add("CONNECTION_IDS", *((i, i) for i in range(n)))

    def kernels(self, n, name=2, kind=1, operator=2, shapes=3, types=3):
        self.add("TASK", *((1100 + i * 1000, 1600 + i * 1000, 0, i, i, 0, kind, 0, 2, i, 0) for i in range(n)))
        self.add("COMPUTE_TASK_INFO", *((name, i, 0, 0, kind, operator, None, types, shapes, None, None, None, None) for i in range(n)))

    def collectives(self, n, name=4, group=lambda i: 6, kind=4):
        self.add("COMMUNICATION_OP", *((name, 1100 + i * 1000, 1900 + i * 1000, i, group(i), i, 0, 0, 0, 0, 1, kind) for i in range(n)))

    def waits(self, n, group=lambda i: 6, plane=lambda i: 0, kind=5):
        first = 1_000_000
        self.add("TASK", *((1150 + i * 1000, 1450 + i * 1000, 0, 4294967295, first + i, 0, 1, 0, 9, i, 0) for i in range(n)))
        self.add("COMMUNICATION_TASK_INFO", *((4, first + i, kind, plane(i), group(i), 0, 0, 0, 0, 0, 64, 0, 0, i) for i in range(n)))


def write_analysis(output, path):
    database = sqlite3.connect(path)
    database.executescript(ANALYSIS)

    def add(table, *values):
        database.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(values))})", values)

    for row in rows_of(output / "step_trace_time.csv"):
        add("StepTraceTime", *[row.get(key, "") for key in (
            "Step", "Computing", "Communication(Not Overlapped)", "Overlapped", "Communication", "Free", "Stage", "Bubble",
            "Communication(Not Overlapped and Exclude Receive)", "Preparing")])
    for file, write in (("communication.json", add_times), ("communication_matrix.json", add_links)):
        if (output / file).exists():
            for step, kinds in json.loads((output / file).read_text()).items():
                for kind, operators in kinds.items():
                    for name, said in operators.items():
                        write(add, step, kind, name, said)
    database.commit()
    database.close()


def add_times(add, step, kind, name, said):
    if name == "Total Op Info":
        return
    operator, _, group = name.partition("@")
    times = said["Communication Time Info"]
    add("CommAnalyzerTime", operator, group, *[times[key] for key in (
        "Start Timestamp(us)", "Elapse Time(ms)", "Transit Time(ms)", "Wait Time(ms)", "Synchronization Time(ms)", "Idle Time(ms)")], step, kind)
    for link, moved in said["Communication Bandwidth Info"].items():
        for size in (moved.get("Size Distribution") or {"0": [0, 0]}):
            add("CommAnalyzerBandwidth", operator, group, link, moved["Transit Size(MB)"], moved["Transit Time(ms)"],
                moved.get("Bandwidth(GB/s)", 0), 0, float(size), 0, 0, step, kind)


def add_links(add, step, kind, name, said):
    operator, _, group = name.partition("@")
    for pair, link in said.items():
        source, target = pair.split("-")
        add("CommAnalyzerMatrix", operator, group, source, target, link["Transport Type"], link["Transit Size(MB)"], link["Transit Time(ms)"],
            link["Bandwidth(GB/s)"], step, kind, link.get("Op Name", ""))


def write_databases(output, target, rank=0, with_profile=True):
    """`output`: with the text form; `target`: a folder for the databases. `with_profile`: not only the sums of the rank."""
    target.mkdir(parents=True)
    if with_profile:
        Writer(output, target / f"ascend_pytorch_profiler_{rank}.db").run()
    write_analysis(output, target / "analysis.db")
