"""Random numbers of the devices. All default generators are the one of the CPU (see device/runtime.cpp)."""

import torch

from .utils import _get_device_index, device_count

__all__ = ["get_rng_state", "get_rng_state_all", "set_rng_state", "set_rng_state_all", "manual_seed", "manual_seed_all", "seed",
           "seed_all", "initial_seed"]

default_generators = ()


def _generator(device):
    return default_generators[_get_device_index(device, optional=True)]


def get_rng_state(device="npu"):
    return _generator(device).get_state()


def get_rng_state_all():
    return [get_rng_state(index) for index in range(device_count())]


def set_rng_state(new_state, device="npu"):
    if new_state.device.type != "cpu":
        raise TypeError("expected a torch.ByteTensor on the CPU")
    _generator(device).set_state(new_state)


def set_rng_state_all(new_states):
    for index, state in enumerate(new_states):
        set_rng_state(state, index)


def manual_seed(seed):
    torch.default_generator.manual_seed(int(seed))


def manual_seed_all(seed):
    manual_seed(seed)


def seed():
    torch.default_generator.seed()


def seed_all():
    seed()


def initial_seed():
    return torch.default_generator.initial_seed()
