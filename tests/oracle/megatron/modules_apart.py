"""Where megatron-core has the final norm, the modules for multi-token prediction and their embedding, when a pipeline layout gives these
modules a stage before the loss: compared with the recorded conversion rules/models/cases/glm45_mtp_apart.plan.txt.

    modules_apart.py --megatron DIRECTORY
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from checks import ROOT, Checks, skip  # noqa: E402

CASE = ROOT / "rules/models/cases/glm45_mtp_apart"
PARTS = ("embedding", "decoder.layers", "decoder.final_layernorm", "mtp", "output_layer")


def parts(names):
    return sorted({part for part in PARTS for name in names if name.startswith(part + ".")})


def show_rank(rank, layout, ranks, meeting_point):
    """Prints what this rank of a tiny model holds."""
    import torch
    from megatron.core import parallel_state
    from megatron.core.models.gpt import GPTModel
    from megatron.core.models.gpt.gpt_layer_specs import get_gpt_layer_local_spec, get_gpt_mtp_block_spec
    from megatron.core.transformer.transformer_config import TransformerConfig

    import cpu_megatron
    cpu_megatron.patch()
    torch.distributed.init_process_group("gloo", init_method=f"file://{meeting_point}", rank=rank, world_size=ranks)
    parallel_state.initialize_model_parallel(1, ranks)
    config = TransformerConfig(num_layers=layout.count("t"), hidden_size=16, num_attention_heads=4, mtp_num_layers=layout.count("m"),
                               use_cpu_initialization=True, pipeline_dtype=torch.float32, pipeline_model_parallel_size=ranks,
                               pipeline_model_parallel_layout=layout)
    spec = get_gpt_layer_local_spec()
    model = GPTModel(config=config, transformer_layer_spec=spec, vocab_size=32, max_sequence_length=64, pre_process=rank == 0,
                     post_process=rank == ranks - 1, mtp_block_spec=get_gpt_mtp_block_spec(config, spec, use_transformer_engine=False),
                     share_embeddings_and_output_weights=False, position_embedding_type="rope")
    print(json.dumps(parts(model.state_dict())))


def recorded_parts():
    """Of the ranks with TP 0 and EP 0, by their stage."""
    stages = {}
    for line in (CASE.parent / f"{CASE.name}.plan.txt").read_text().splitlines():
        file = re.match(r"\S*mp_rank_00_(\d+)_000/", line)
        if file or not line.startswith("  "):
            names = stages.setdefault(int(file.group(1)), []) if file else []
        else:
            names.append(line.split()[0].removeprefix("model/"))
    return [parts(stages[stage]) for stage in sorted(stages)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--megatron", required=True)
    parser.add_argument("--rank", type=int)
    parser.add_argument("--meet")
    given = parser.parse_args()
    options = json.loads(CASE.with_suffix(".json").read_text())["options"]
    layout, ranks = options[options.index("--pipeline-model-parallel-layout") + 1], int(options[options.index("--pp") + 1])
    if given.rank is not None:
        sys.path.insert(0, str((ROOT / given.megatron).resolve()))
        return show_rank(given.rank, layout, ranks, given.meet)
    if not (ROOT / given.megatron / ".complete").exists():
        skip(f"{given.megatron} has no megatron-core; ./test.sh installs it")
    os.environ.update(OMP_NUM_THREADS="1", TORCH_COMPILE_DISABLE="1")
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        started = [subprocess.Popen([sys.executable, __file__, "--megatron", given.megatron, "--rank", str(rank), "--meet", f"{folder}/meet"],
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for rank in range(ranks)]
        ended = [process.communicate() for process in started]
    recorded = recorded_parts()
    checks.equal(len(recorded), ranks, "stages of the recorded conversion")
    for rank, (out, trouble) in enumerate(ended):
        if checks.expect(started[rank].returncode == 0, f"rank {rank}: {trouble[-2000:]}"):
            checks.equal(recorded[rank], json.loads(out.strip().splitlines()[-1]), f"stage {rank}")
    return checks.finish()


if __name__ == "__main__":
    sys.exit(main())
