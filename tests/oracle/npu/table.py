"""The programs, the styles of migration, and which of their combinations run."""

import json
from dataclasses import dataclass, field, replace
from pathlib import Path

from checks import ROOT

PROGRAMS_DIRECTORY = Path(__file__).resolve().parent / "programs"


@dataclass(frozen=True)
class Program:
    name: str
    entry: str
    what: str
    processes: tuple = (1,)
    arguments: tuple = ()
    devices: int = 2
    tolerance: float = 1e-4  # Of a loss, relative to its size.
    source: Path = None
    on_cpu: tuple = None  # Further arguments with which it runs without any accelerator, if it does.
    expected_rules: tuple = ()  # Findings that a person has to act on.

    @property
    def directory(self):
        return self.source or PROGRAMS_DIRECTORY / self.name


@dataclass(frozen=True)
class Style:
    """What `migrator migrate` is asked for, and on which machines the result must run."""

    name: str
    options: tuple
    worlds: tuple
    variables: tuple = ()  # Of the environment, as the documentation of torch_npu has users set them.
    config: str = None  # What has to stand in msprobe_config.json.
    leaves: str = None  # A pattern of what a run on an NPU must leave behind.


@dataclass
class Row:
    program: Program
    style: Style
    world: str
    processes: int
    losses: int = 0
    difference: float = field(default=float("nan"))
    result: str = "failed"


PROGRAMS = (
    Program("gpt_train", "train.py", "the sample project: GPT, fp16, streams, profiler, DDP", (1, 2),
            ("--config", "configs/tiny.yaml", "--max-steps", "4", "--profile"), tolerance=1e-3,
            source=ROOT / "samples/gpt_train", on_cpu=("--device", "cpu")),
    Program("image_classification", "main.py", "ResNet, AMP, prefetcher, DDP", (1, 2), tolerance=5e-3),
    Program("gan", "dcgan.py", "DCGAN with tensor types, gradient penalty, spectral norm", on_cpu=()),
    Program("detection", "train.py", "detector: own operators, dynamic shapes, custom autograd under AMP", tolerance=1e-3),
    Program("seq2seq", "train.py", "GRU, attention, transformer encoder, a Batch class with cuda()", on_cpu=()),
    Program("diffusion", "train.py", "U-Net, checkpointing, EMA, bf16, generators on the device", tolerance=1e-3,
            on_cpu=("--device", "cpu")),
    Program("ppo", "ppo.py", "reinforcement learning: numpy and tensors back and forth", on_cpu=()),
    Program("lora", "finetune.py", "LoRA on a Llama of transformers, generation", tolerance=1e-3, on_cpu=()),
    Program("fsdp", "train.py", "FullyShardedDataParallel, bf16, gathered checkpoint", (2,), tolerance=1e-3),
    Program("data_parallel", "train.py", "DataParallel where there are several devices", devices=1, on_cpu=(),
            expected_rules=("parallel.data_parallel",)),
    Program("contrastive", "main.py", "MoCo: gathered negatives, collectives with gradients, two back ends", (1, 2)),
)

STYLES = (
    Style("npu", (), ("npu",)),
    Style("portable", ("--style", "portable"), ("npu", "cuda", "cpu")),
    Style("auto", ("--style", "auto"), ("npu",), (("TORCH_NPU_DEVICE_CAPABILITY", "8.0"),)),
)

# `--instrument` in every style. The migration writes msprobe_config.json, and a user who wants level mix changes it. That needs the model of the loop, which not every loop shows.
PROFILER = ("--instrument", "profiler")


PRECISION = Style("npu, precision", ("--instrument", "precision"), ("npu",), leaves="precision_dump/step0/rank*/dump.json")
MIX = json.dumps({"task": "statistics", "level": "mix", "dump_path": "./precision_dump", "rank": [], "step": [0]})


INSTRUMENTED = (
    ("image_classification", Style("npu, profiler", PROFILER, ("npu",), leaves="npu_profile/*_ascend_pt")),
    ("seq2seq", Style("portable, profiler", ("--style", "portable", *PROFILER), ("npu", "cuda"), leaves="npu_profile/*_ascend_pt")),
    ("seq2seq", Style("auto, profiler", ("--style", "auto", *PROFILER), ("npu",), leaves="npu_profile/*_ascend_pt")),
    ("seq2seq", replace(PRECISION, config=MIX)),
    ("ppo", PRECISION),
)


def rows():
    named = {program.name: program for program in PROGRAMS}
    instrumented = [Row(named[name], style, world, 1) for name, style in INSTRUMENTED for world in style.worlds]
    plain = [Row(program, style, world, processes) for program in PROGRAMS for style in STYLES for world in style.worlds
             for processes in (program.processes if world == "npu" else program.processes[:1])
             if world != "cpu" or program.on_cpu is not None]
    return plain + instrumented
