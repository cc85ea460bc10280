"""Converted checkpoints in the hands of those who use them: megatron-core on the CPU, and transformers.

    suite.py --megatron DIRECTORY [--family NAME]... [--topology NAME]... [--all] [--also-off]

DIRECTORY holds one release of megatron-core. A tiny model of each family is made by transformers and converted for
several topologies; Megatron, one process per rank, loads every file strictly and must compute the same logits. Then what
Megatron saves goes back. The table of families is families.py, that of topologies topologies.py.
"""

import argparse
import logging
import os
import sys
import time
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "support"))
from checks import Checks, skip, temporary_directory  # noqa: E402
from plan import Plan  # noqa: E402


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megatron", required=True, type=Path, metavar="DIRECTORY", help="where megatron/core is")
    parser.add_argument("--family", action="append", metavar="NAME", help="only this row of the table; may be repeated")
    parser.add_argument("--topology", action="append", metavar="NAME", help='only this one, for example "tp2 pp2"')
    parser.add_argument("--all", action="store_true", help="more topologies, and every check at every one of them")
    parser.add_argument("--training", action="store_true", help="only the training runs that change their topology")
    parser.add_argument("--also-off", action="store_true", help="also the rows that are switched off")
    return parser.parse_args()


def prepare(megatron):
    """Before anything imports torch: threads, the compiler, and which megatron-core is found."""
    os.environ.update(OMP_NUM_THREADS="1", TORCH_COMPILE_DISABLE="1", TOKENIZERS_PARALLELISM="false")
    if not (megatron / ".complete").exists():
        skip(f"{megatron} has no megatron-core; ./test.sh installs it")
    sys.path.insert(1, str(megatron))
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)


def release():
    import megatron.core
    return tuple(map(int, megatron.core.__version__.split(".")[:2]))


def is_newest():
    versions = [line.split(".") for line in (HERE / "versions.txt").read_text().splitlines() if line[:1].isdigit()]
    return release() == max(tuple(map(int, version[:2])) for version in versions)


def chosen_families(options, results):
    from families import FAMILIES
    for family in FAMILIES:
        if options.family and family.name not in options.family:
            continue
        if family.off and not options.also_off:
            results.note(f"left out: {family.name}: switched off: {family.off}")
        elif family.since > release():
            results.note(f"left out: {family.name}: this megatron-core does not have it")
        else:
            yield family


def make_case(family, work):
    from directions import Case
    from families import describe, in_common_names
    import tiny_models
    hf = work / f"{family.name.replace(' ', '_')}_hf"
    config = in_common_names(tiny_models.make(family, hf))
    model, _ = tiny_models.load(hf)
    ids = tiny_models.token_ids()
    return Case(family.name, work, hf, config, describe(family, config), ids, tiny_models.logits(model, ids), tiny_models.tensors(hf))


def run_topology(directions, case, topology, plan):
    """The checks of one family at one topology, which leave the converted checkpoint for the others."""
    target = directions.to_megatron(case, topology)
    if target is None:
        return
    for flavour in plan.flavours(topology):
        directions.to_hf(case, topology, flavour)
    if plan.fused_norms(topology):
        directions.fused_norms(case, topology)
    if plan.sensitivity(case, topology):
        directions.sensitivity(case, topology)
    if plan.pads(case, topology):
        directions.padded(case, topology)


def run_reshapes(directions, case, converted, plan):
    """Megatron to Megatron; needs both topologies converted from Hugging Face to compare with."""
    for before, after in plan.reshapes(converted):
        directions.reshape(case, before, after)
        if case.path(before, "saved_training").exists():
            directions.reshape(case, before, after, "saved_training")


def run_torch_dist(directions, case, converted, plan):
    """torch_dist of both writers at other topologies than the one written."""
    import torch_dist
    if not plan.dist(case):
        return
    before = max(converted, key=lambda topology: topology.world)
    others = plan.dist_targets(before, converted)
    root = torch_dist.write_megatrons(directions, case, before)
    if root is not None:
        for topology in others:
            torch_dist.load_and_compare(directions, case, topology, "Megatron's own torch_dist", next(root.glob("iter_*")))
    variants = [("hf -> torch_dist, for mcore", "dist_mcore", directions.for_megatron)]
    if not directions.own_names(case):
        variants.append(("hf -> torch_dist", "dist", []))
    for what, name, more in variants:
        directory = torch_dist.write_ours(directions, case, before, what, name, more)
        if directory is None:
            continue
        for topology in others:
            torch_dist.load_and_compare(directions, case, topology, what, directory)
            torch_dist.load_padded(directions, case, topology, what + ", padded", directory, 128 * (topology.tensor + 1))
        torch_dist.ours_to_hf(directions, case, before, name)
    if root is not None:
        torch_dist.megatrons_to_hf(directions, case, before, root)


def run_training(directions, cases):
    """Training runs that change their topology; megatron-core's optimizers before and after."""
    import training
    training.run(directions, cases)


def is_possible(directions, topology):
    """Whether this release of megatron-core knows what the topology asks for."""
    if topology.since() <= release():
        return True
    directions.results.note(f"left out: {topology}: this megatron-core does not have it")
    return False


def run_all(directions, plan, topologies, families, work):
    """Topologies outside, families inside: a process group is made once per topology."""
    cases = [make_case(family, work) for family in families]
    topologies = [topology for topology in topologies if is_possible(directions, topology)]
    converted = {case.family: [] for case in cases}
    for topology in topologies:
        for case in cases:
            if topology.fits(case.config) and plan.takes(case, topology):
                run_topology(directions, case, topology, plan)
                if case.path(topology, "mcore").exists():
                    converted[case.family].append(topology)
    for case in cases:
        if converted[case.family]:
            run_reshapes(directions, case, converted[case.family], plan)
            run_torch_dist(directions, case, converted[case.family], plan)
    run_training(directions, cases)


def main():
    options = parse_arguments()
    started = time.monotonic()
    prepare(options.megatron)
    import megatron.core
    from rank_pool import RankPool
    from directions import Directions
    from results import Results
    from topologies import MORE, QUICK
    topologies = [t for t in QUICK + (MORE if options.all else ()) if not options.topology or str(t) in options.topology]
    if not topologies:
        sys.exit("no topology of that name; see topologies.py (some need --all)")
    checks = Checks()
    with temporary_directory() as work:
        pool = RankPool(max(topology.world for topology in topologies), work)
        try:
            print(f"megatron-core {megatron.core.__version__}, {len(topologies)} topologies")
            results = Results(checks)
            directions, plan = Directions(megatron.core.__version__, results, pool), Plan(options.all, is_newest())
            families = list(chosen_families(options, results))
            if options.training:
                run_training(directions, [make_case(family, Path(work)) for family in families])
            else:
                run_all(directions, plan, topologies, families, Path(work))
        finally:
            pool.close()
    for note in results.notes:
        print(note)
    print(f"{time.monotonic() - started:.0f} s")
    checks.finish()


if __name__ == "__main__":
    main()
