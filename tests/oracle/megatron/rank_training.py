"""A rank that trains: Megatron's distributed optimizer, with gradients that follow from the weights, element by element.

Such gradients are the same in every topology, so that a step is too, to the last bit.
"""

import contextlib
import inspect
from pathlib import Path

import torch
from megatron.core import dist_checkpointing
from megatron.core.distributed import DistributedDataParallel, DistributedDataParallelConfig
from megatron.core.optimizer import OptimizerConfig, distrib_optimizer, get_megatron_optimizer

import training_files

SCHEDULE = {"max_lr": 1.0e-2, "lr_warmup_steps": 0, "num_steps": 64, "lr_decay_style": "cosine", "lr_decay_steps": 1000,
            "min_lr": 0.0, "start_wd": 0.1, "end_wd": 0.1, "wd_incr_style": "constant", "wd_incr_steps": 1000}


# There are no parameters in FP8, but without TransformerEngine the function for them fails even so.
distrib_optimizer.quantize_param_shard = lambda *arguments, **options: None


def patch_step():
    """torch's own Adam counts its steps in the state of each parameter, which is not in the files; they come with the groups.

    Megatron is meant for other Adams: it asks the files for it, and gives all parameters the same tensor to count in.
    """
    set_states = distrib_optimizer.DistributedOptimizer._set_main_param_and_optimizer_states

    def with_step(self, model_param, tensors):
        group, number = self.model_param_group_index_map[model_param]
        state = self.optimizer.state[self.optimizer.param_groups[group]["params"][number]]
        state["step"] = state["step"].clone()
        set_states(self, model_param, {**tensors, "step": state["step"]})

    distrib_optimizer.DistributedOptimizer._set_main_param_and_optimizer_states = with_step


patch_step()


@contextlib.contextmanager
def types_of_cuda():
    """The optimizer knows element types by the names that they have on a GPU, and keeps a number there."""
    own_type, own_tensor = torch.Tensor.type, torch.tensor
    torch.Tensor.type = lambda self, *given: own_type(self, *given) if given else own_type(self).replace("torch.", "torch.cuda.")
    torch.tensor = lambda data, device=None, **options: own_tensor(data, **options)
    try:
        yield
    finally:
        torch.Tensor.type, torch.tensor = own_type, own_tensor


def optimizer_config():
    return OptimizerConfig(optimizer="adam", lr=1.0e-2, min_lr=0.0, weight_decay=0.1, adam_beta1=0.9, adam_beta2=0.95,
                           bf16=True, params_dtype=torch.bfloat16, use_distributed_optimizer=True, clip_grad=0.0)


class Trainer:
    """The chunks of one rank, and their optimizer."""

    def __init__(self, models, dtype=torch.bfloat16):
        self.models, self.dtype = models, dtype
        for model in models:
            for parameter in model.parameters():
                parameter.data = parameter.data.to(dtype)
        settings = DistributedDataParallelConfig(use_distributed_optimizer=True, grad_reduce_in_fp32=True)
        with types_of_cuda():
            self.wrapped = [DistributedDataParallel(model.config, settings, model, disable_bucketing=number > 0)
                            for number, model in enumerate(models)]
            self.optimizer = get_megatron_optimizer(optimizer_config(), self.wrapped)

    def step(self, number):
        for model in self.models:
            for parameter in model.parameters():
                parameter.main_grad.copy_(torch.sin(37 * parameter.data.float() + number))
        with types_of_cuda():
            self.optimizer.prepare_grads()
            self.optimizer.step_with_ready_grads()

    def save(self, target, keys, description, topology, iteration):
        """The two files of a rank, as Megatron's save_checkpoint() writes them."""
        states = {key: model.state_dict() for key, model in zip(keys, self.models)}
        content = training_files.content(states, description, topology, iteration, "plain")
        vars(content["args"]).update(bf16=self.dtype == torch.bfloat16, use_distributed_optimizer=True, overlap_grad_reduce=False)
        content["optimizer"] = self.optimizer.state_dict()
        content["opt_param_scheduler"] = {**SCHEDULE, "num_steps": 64 * iteration}
        torch.save(content, target / "model_optim_rng.pt")
        self.optimizer.save_parameter_state(str(target / "distrib_optim.pt"))

    def dist_state(self, sharded, **loading):
        """Megatron's description of the state, in the form that loads at any topology: it has another one since 0.16."""
        sharding = "distrib_optim_sharding_type" in inspect.getsource(distrib_optimizer)
        form = {"metadata": {"distrib_optim_sharding_type": "fully_reshardable", "chained_optim_avoid_prefix": True}}
        return self.optimizer.sharded_state_dict(sharded, **loading, **(form if sharding else {}))

    def save_dist(self, directory, sharded, content, iteration):
        """A torch_dist checkpoint with the state, by Megatron's writer."""
        vars(content["args"]).update(bf16=True, use_distributed_optimizer=True)
        with types_of_cuda():
            content["optimizer"] = self.dist_state(sharded)
        content["opt_param_scheduler"] = {**SCHEDULE, "num_steps": 64 * iteration}
        dist_checkpointing.save({**sharded, **content}, directory, async_sharded_save=True).execute_sync()

    def resume(self, source, keys):
        """As Megatron's load_checkpoint(); nothing but what weights_only allows."""
        content = torch.load(source / "model_optim_rng.pt", weights_only=True)
        for key, model in zip(keys, self.models):
            model.load_state_dict(content[key], strict=True)
        with types_of_cuda():
            self.optimizer.load_state_dict(content["optimizer"])
            self.optimizer.load_parameter_state(str(source / "distrib_optim.pt"))
        return {"iteration": content["iteration"], "schedule": content["opt_param_scheduler"]}

    def resume_dist(self, directory, sharded, load):
        """The same of a torch_dist checkpoint, by Megatron's reader."""
        self.step(0)  # torch's Adam has no state to load into before
        with types_of_cuda():
            asked = {**sharded, "optimizer": self.dist_state(sharded, is_loading=True)}
            content = load(asked, directory)
            for key, model in zip(sharded, self.models):
                model.load_state_dict(content[key], strict=True)
            self.optimizer.load_state_dict(content["optimizer"])
        return {"iteration": content["iteration"], "schedule": content["opt_param_scheduler"]}
