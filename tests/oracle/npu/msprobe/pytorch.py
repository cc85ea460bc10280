"""PrecisionDebugger: dumps nothing but a file per step; refuses what its documentation does not allow."""

import json
import os

from torch import nn

TASKS = ("statistics", "tensor", "acc_check", "overflow_check", "structure")
LEVELS = ("L0", "L1", "L2", "mix", "debug")


class PrecisionDebugger:
    """start(), stop() and step() of each training step, in this order. There is one of them in a process."""

    made = False

    def __init__(self, config_path=None, task=None, dump_path=None, level=None, step=None):
        if PrecisionDebugger.made:
            raise RuntimeError("make the PrecisionDebugger once, in front of the loop")
        PrecisionDebugger.made = True
        config = json.loads(open(config_path).read()) if config_path else {}
        self.task, self.level = task or config.get("task", "statistics"), level or config.get("level", "L1")
        self.dump_path, self.steps = dump_path or config["dump_path"], step or config.get("step", [])
        if self.task not in TASKS or self.level not in LEVELS:
            raise ValueError(f"task {self.task}, level {self.level}")
        self.current, self.running, self.stopped = 0, False, False

    def start(self, model=None):
        models = model if isinstance(model, (list, tuple)) else [model]
        if any(not isinstance(one, (nn.Module, type(None))) for one in models):
            raise TypeError(f"{model} is no torch.nn.Module")
        if model is None and self.level in ("L0", "mix"):
            raise ValueError(f"level {self.level} needs the model")
        if self.running:
            raise RuntimeError("start() without stop()")
        self.running, self.stopped = True, False

    def stop(self):
        if not self.running:
            raise RuntimeError("stop() without start()")
        self.running, self.stopped = False, True

    def step(self):
        if not self.stopped:
            raise RuntimeError("step() belongs behind stop()")
        self.stopped = False
        if not self.steps or self.current in self.steps:
            directory = os.path.join(self.dump_path, f"step{self.current}", "rank" + os.environ.get("RANK", ""))
            os.makedirs(directory, exist_ok=True)
            open(os.path.join(directory, "dump.json"), "w").close()
        self.current += 1
