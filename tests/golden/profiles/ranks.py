"""`migrator profile` on one recorded rank and on four: the split of its time, what the vendor's advisor finds as well, slow ranks."""

import json
import re
import shutil
import sys
import tarfile
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from checks import ROOT, Checks, run, tool  # noqa: E402

HERE = Path(__file__).resolve().parent
# Of the advisor's workbook for the same rank: dynamic shapes, byte alignment, variables, vector kernels, the optimizer; the share of free time is its limit of 10 %.
ADVICE_OF_RANK = {"profile.host_bound", "profile.dynamic_shapes", "profile.unaligned_transfers", "profile.aclnn_cache", "profile.host_cache",
                  "profile.allocator", "profile.vector_units", "profile.faster_forms"}
# And what it does not look for, or not where shapes are dynamic.
MORE_OF_RANK = {"profile.host_reads", "profile.matrix_products"}


def said(checks, *words):
    done = run(tool("migrator"), "profile", *words, "--json")
    checks.equal(done.returncode, 0, f"{words}: {done.stderr}")
    return json.loads(done.stdout)


def check_rank(checks, directory):
    with tarfile.open(HERE / "data/npu_l1_r0.tar.gz") as archive:
        archive.extractall(directory)
    folder = directory / "npu_l1_r0_ascend_pt"
    found = said(checks, folder)
    checks.equal({item["rule"] for item in found["advice"]}, ADVICE_OF_RANK | MORE_OF_RANK, "advice for a rank")
    checks.expect(abs(found["metrics"]["compute_time"] - 0.008873756) < 1e-9, "its computing")
    checks.equal(said(checks, directory)["metrics"], found["metrics"], "the folder around it")
    out = directory / "report"
    run(tool("migrator"), "profile", folder, "--report", out)
    checks.equal(json.loads((out / "profile.json").read_text()), found, "the report")
    checks.expect("profile.host_bound" in (out / "profile.html").read_text(), "the page")
    shutil.rmtree(out)
    for language, word in (("en", "E2E Time"), ("zh", "总时间")):
        text = run(tool("migrator"), "profile", folder, "--lang", language).stdout
        checks.expect(word in text and "profile.host_bound" in text, text)


def check_ranks(checks, directory):
    with tarfile.open(HERE / "cluster/four_ranks.tar.gz") as archive:
        archive.extractall(directory)
    found = said(checks, directory)
    checks.equal([rank["rank"] for rank in found["ranks"]], ["0", "1", "2", "3"], "all ranks, by their number")
    checks.equal(found["ranks"][0]["steps"][0]["computing_us"], 231290.09999999995, "as the table of steps has it")
    totals = [sum(step[key] for key in ("computing_us", "uncovered_us", "free_us")) for rank in found["ranks"] for step in rank["steps"]]
    spread = max(rank["steps"][0]["uncovered_us"] for rank in found["ranks"]) - min(rank["steps"][0]["uncovered_us"] for rank in found["ranks"])
    checks.expect(abs(found["figures"]["rank_spread"] - spread / (sum(totals) / 4)) < 1e-9, "the widest difference by the mean")
    rules = {item["rule"] for item in found["advice"]}
    checks.expect({"profile.slow_rank", "profile.stage_imbalance"} <= rules, f"{rules}")
    # Its stages exchange both ways at once, which the table of steps does not count as bubbles.
    checks.equal({step["bubble_us"] for rank in found["ranks"] for step in rank["steps"]}, {0.0}, "bubbles of the table")
    for chart, share in zip(found["pipelines"], (0.374, 0.378)):
        checks.equal((chart["schedule"], chart["micro_batches"]), ("1F1B", 2), f"ranks {chart['ranks']}")
        checks.expect(abs(chart["bubble_share"] - share) < 5e-4 and chart["clock_residual_us"] < 60, f"ranks {chart['ranks']}: {chart['bubble_share']}")
    checks.equal(found["slow_links"], [], "links between the ranks of one machine")
    text = run(tool("migrator"), "profile", directory).stdout
    checks.expect("One pipeline: ranks 0, 2\n" in text and "One pipeline: ranks 1, 3\n" in text, text)


def check_broken_ranks(checks, directory):
    """A table of one rank that cannot be read is named; the others tell what they have."""
    with tarfile.open(HERE / "cluster/four_ranks.tar.gz") as archive:
        archive.extractall(directory)
    whole = said(checks, directory)
    for table, missing in (("step_trace_time.csv", "steps"), ("communication.json", None), ("communication_matrix.json", None)):
        path = sorted(directory.rglob(table))[1]
        before = path.read_bytes()
        path.write_bytes(before[:len(before) // 2].rstrip(b"0123456789") + b'"')
        done = run(tool("migrator"), "profile", directory, "--json")
        checks.equal(done.returncode, 4, f"{table}: {done.stderr}")
        checks.expect("A table cannot be read" in done.stderr and table in done.stderr, f"{table}: {done.stderr}")
        found = json.loads(done.stdout)
        checks.equal(len(found["damage"]), 1, f"{table}: {found['damage']}")
        for rank, before_it in zip(found["ranks"], whole["ranks"]):
            is_broken = missing and not rank[missing]
            checks.expect(is_broken or rank == before_it, f"{table}: rank {rank['rank']}")
        path.write_bytes(before)
    checks.equal(said(checks, directory), whole, "whole again")


def check_retransmission(checks, directory):
    """A collective that holds all of its ranks for seconds, while one is in RDMA; not one that some rank has left before."""
    with tarfile.open(HERE / "cluster/four_ranks.tar.gz") as archive:
        archive.extractall(directory)
    for shortest, rdma, fires in ((5000, 4500, True), (100, 4500, False), (5000, 3000, False)):
        for rank, path in enumerate(sorted(directory.rglob("communication.json"))):
            steps = json.loads(path.read_text())
            step = next(iter(steps.values()))
            step["collective"] = {"hcom_allReduce__1_1_1@7": {
                "Communication Time Info": {"Elapse Time(ms)": shortest if rank == 2 else 5000},
                "Communication Bandwidth Info": {"RDMA": {"Transit Size(MB)": 64, "Transit Time(ms)": rdma if rank == 1 else 1}}}}
            path.write_text(json.dumps(steps))
        found = said(checks, directory)
        checks.equal(found["figures"]["rdma_stall_ms"], min(shortest, rdma), "the longest stall")
        checks.equal("profile.retransmission" in {item["rule"] for item in found["advice"]}, fires, f"{shortest} ms, {rdma} ms in RDMA")


def check_awaited(checks, directory):
    """The rank that comes last to a collective spends the least time in it."""
    with tarfile.open(HERE / "cluster/four_ranks.tar.gz") as archive:
        archive.extractall(directory)
    for late, fires in ((6, True), (4, False)):
        for path in directory.rglob("communication.json"):
            rank = int(re.search(r"rank_(\d)", str(path))[1])
            steps = json.loads(path.read_text())
            next(iter(steps.values()))["collective"] = {
                f"hcom_allReduce__1_{number}_1@7": {"Communication Time Info": {
                    "Elapse Time(ms)": 0.1 if rank == 3 and number < late else 10 + 0.1 * ((rank + number) % 4)}} for number in range(10)}
            path.write_text(json.dumps(steps))
        found = said(checks, directory)
        checks.equal(found["awaited"], {"judged_collectives": 10, "ranks": [{"rank": "3", "collectives": late}]}, "whom the others wait for")
        checks.equal(found["figures"]["awaited_share"], late / 10, "of all collectives")
        checks.equal("profile.awaited_rank" in {item["rule"] for item in found["advice"]}, fires, f"{late} of 10")
    for language, line in (("en", "The others waited for rank 3 in 4 of 10 collectives\n"), ("zh", "10 次集合通信中有 4 次其他 rank 在等待 rank 3\n")):
        checks.expect(line in run(tool("migrator"), "profile", directory, "--lang", language).stdout, line)
    run(tool("migrator"), "profile", directory, "--report", directory / "report")
    checks.expect("Ranks that the others waited for" in (directory / "report/profile.html").read_text(), "the page")


def check_rules_named(checks, _):
    """What advice names as the rule that finds it in code is a rule of `analyze`."""
    known = {rule["id"] for rule in json.loads(run(tool("migrator"), "rules", "list", "--json").stdout)}
    for advice in json.loads((ROOT / "rules/profiles/advice.json").read_text(encoding="utf-8"))["rules"]:
        for rule in advice.get("rules", ()):
            checks.expect(rule in known, f"{advice['id']}: there is no rule {rule}")


def check_explained(checks, _):
    for advice in json.loads((ROOT / "rules/profiles/advice.json").read_text(encoding="utf-8"))["rules"]:
        done = run(tool("migrator"), "explain", advice["id"], "--json")
        page = json.loads(done.stdout) if done.returncode == 0 else {}
        checks.equal((page.get("message"), len(page.get("when", ()))), (advice["message"], len(advice["when"])), f"explain {advice['id']}")
    text = run(tool("migrator"), "explain", "profile.host_bound").stdout
    checks.expect("Given when free_share is above 0.1.\nIn code, migrator analyze finds it as advice.host_bound.\n" in text, text)


def check_errors(checks, directory):
    for word, says in ((directory / "none", "no such file"), (directory, "no profile in this folder")):
        done = run(tool("migrator"), "profile", word)
        checks.equal(done.returncode, 4, f"{word}: {done.stderr}")
        checks.expect(says in done.stderr, done.stderr)


def main():
    checks = Checks()
    for check in (check_rank, check_ranks, check_broken_ranks, check_retransmission, check_awaited, check_rules_named, check_explained, check_errors):
        with tempfile.TemporaryDirectory() as name:
            check(checks, Path(name))
    checks.finish()


if __name__ == "__main__":
    main()
