"""What one rank does: commands from the suite, each answered with a value or the text of an exception."""

import argparse
import datetime
import os
import traceback
from pathlib import Path

import torch
from megatron.core import dist_checkpointing, parallel_state

import cpu_megatron
import gpt_builder
import rank_training
import training_files
from patience import patience

COLLECTIVE_SECONDS = patience(60)  # how long a rank waits for the others before it gives up


class Rank:
    """The state of one rank: its place in the grid and its chunks of the model."""

    def __init__(self, rank):
        self.rank = rank
        self.topology = None
        self.models = []
        self.trainer = None
        self.chunks = None  # of each rank; None without virtual pipeline

    def start(self, topology, meeting_point):
        """Joins the process group of a topology, leaving the one before. All ranks meet at a file of that name."""
        self.models = []
        if torch.distributed.is_initialized():
            parallel_state.destroy_model_parallel()
            torch.distributed.destroy_process_group()
        self.topology = topology
        torch.distributed.init_process_group(
            "gloo", init_method=f"file://{meeting_point}", rank=self.rank, world_size=topology.world,
            timeout=datetime.timedelta(seconds=COLLECTIVE_SECONDS))
        parallel_state.initialize_model_parallel(topology.tensor, topology.pipeline,
                                                 expert_model_parallel_size=topology.expert,
                                                 expert_tensor_parallel_size=topology.expert_tensor)

    def build(self, description, padded_vocab=None):
        self.chunks = self.topology.chunks(description["transformer"]["num_layers"])
        parallel_state.set_virtual_pipeline_model_parallel_world_size(self.chunks)
        parallel_state.set_virtual_pipeline_model_parallel_rank(None if self.chunks is None else 0)
        self.models = gpt_builder.build(description, self.topology, padded_vocab)

    def parameter_names(self):
        """Of each chunk, in the order in which Megatron numbers them."""
        return [[name for name, _ in model.named_parameters()] for model in self.models]

    def own_directory(self):
        return self.topology.rank_directory(parallel_state.get_tensor_model_parallel_rank(),
                                            parallel_state.get_pipeline_model_parallel_rank(),
                                            parallel_state.get_expert_model_parallel_rank())

    def keys(self):
        """The key of each chunk in a checkpoint."""
        return ["model"] if self.chunks is None else [f"model{i}" for i in range(self.chunks)]

    def load_files(self, directory, fused_norms=False):
        """Strict load of this rank's file; gives the arguments that stand in it.

        `fused_norms`: the file has TransformerEngine's names of the norms.
        """
        path = Path(directory) / self.own_directory() / "model_optim_rng.pt"
        content = torch.load(path, weights_only=True)
        stated = sorted(key for key in content if key.startswith("model"))
        if stated != self.keys():
            raise ValueError(f"{path} has {stated}, Megatron asks for {self.keys()}")
        for key, model in zip(self.keys(), self.models):
            weights = content[key]
            # TransformerEngine's names come with states of its own, which are None.
            other = {name: value.dtype for name, value in weights.items() if value is not None and value.dtype != torch.float32}
            if other:
                raise ValueError(f"{path}: cast on load: {other}")
            if fused_norms:
                weights = gpt_builder.with_own_norms(weights)
            model.load_state_dict(weights, strict=True)
        return {name: value for name, value in vars(content["args"]).items()
                if isinstance(value, (bool, int, float, str, type(None)))}

    def disturb(self, kind):
        """Spoils the loaded weights as a wrong conversion might."""
        gpt_builder.disturb(self.models, kind)

    def forward(self, ids):
        return gpt_builder.forward(self.models, self.topology, ids)

    def save_files(self, directory, description, iteration, flavour):
        """What a training run leaves: Megatron's own state dicts, torch.save, and the rest that stands beside them."""
        target = Path(directory) / f"iter_{iteration:07d}" / self.own_directory()
        target.mkdir(parents=True)
        states = {key: model.state_dict() for key, model in zip(self.keys(), self.models)}
        content = training_files.content(states, description, self.topology, iteration, flavour)
        torch.save(content, target / "model_optim_rng.pt", **training_files.save_options(flavour))
        training_files.write_beside(target, flavour)

    def train(self, steps):
        """Begins to train what is loaded."""
        self.trainer = rank_training.Trainer(self.models)
        for number in steps:
            self.trainer.step(number)

    def resume(self, directory):
        """Goes on with a run whose files were converted to this topology; what they say of it."""
        self.trainer = rank_training.Trainer(self.models)
        return self.trainer.resume(Path(directory) / self.own_directory(), self.keys())

    def resume_dist(self, directory):
        self.trainer = rank_training.Trainer(self.models)
        return self.trainer.resume_dist(directory, self.sharded(), dist_checkpointing.load)

    def step(self, number):
        self.trainer.step(number)

    def save_training(self, directory, description, iteration):
        target = Path(directory) / f"iter_{iteration:07d}" / self.own_directory()
        target.mkdir(parents=True, exist_ok=True)
        self.trainer.save(target, self.keys(), description, self.topology, iteration)

    def save_dist_training(self, directory, description, iteration):
        self.trainer.save_dist(directory, self.sharded(), self.dist_content(description, iteration), iteration)

    def dist_content(self, description, iteration):
        place = (parallel_state.get_pipeline_model_parallel_rank(), parallel_state.get_tensor_model_parallel_rank())
        return training_files.dist_content(description, self.topology, iteration, place)

    def sharded(self, prefix=""):
        """Megatron's description of which part of which whole tensor each of its tensors is."""
        described = {}
        for number, (key, model) in enumerate(zip(self.keys(), self.models)):
            gpt_builder.select_chunk(None if self.chunks is None else number)
            described[key] = model.sharded_state_dict(prefix=prefix)
        return described

    def save_dist(self, directory, description, iteration, is_nemo=False):
        """A torch_dist checkpoint by Megatron's own writer, in the way that starts the fewest processes. NeMo's has the model in
        its wrapper, and no arguments."""
        content = {} if is_nemo else self.dist_content(description, iteration)
        sharded = self.sharded("module." if is_nemo else "")
        request = dist_checkpointing.save({**sharded, **content}, directory, async_sharded_save=True)
        request.execute_sync()

    def load_dist(self, directory):
        """A torch_dist checkpoint by Megatron's own reader: any topology, whatever wrote it."""
        found = dist_checkpointing.load(self.sharded(), directory)
        for key, model in zip(self.keys(), self.models):
            model.load_state_dict(found[key], strict=True)
        return sorted(key for key in found if not key.startswith("model"))


def serve(rank, connection, others):
    """The main loop of a rank's process, which was forked from the suite and ends with its pipe.

    `others` are ends of pipes that the fork copied; open, they would keep other ranks from noticing the end.
    """
    for other in others:
        other.close()
    os.environ["OMP_NUM_THREADS"] = "1"
    torch.set_num_threads(1)
    cpu_megatron.patch()
    cpu_megatron.patch_writer()
    torch.serialization.add_safe_globals([argparse.Namespace])
    this = Rank(rank)
    while True:
        try:
            command, arguments = connection.recv()
        except EOFError:
            return
        try:
            answer = (True, getattr(this, command)(**arguments))
        except BaseException:  # whatever it is, the suite must hear of it and the rank must live on
            answer = (False, traceback.format_exc())
        connection.send(answer)
