"""torch_npu.utils: what little of it training scripts use."""


def get_cann_version(module="CANN"):
    return "8.3.RC1"


def set_thread_affinity(core_range=None):
    pass


def reset_thread_affinity():
    pass
