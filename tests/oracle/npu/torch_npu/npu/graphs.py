"""Captured graphs: the names only. What was captured could not be replayed here."""

__all__ = ["NPUGraph", "graph", "graph_pool_handle", "is_current_stream_capturing", "make_graphed_callables"]


class NPUGraph:
    def __init__(self, *args, **kwargs):
        raise NotImplementedError("the emulated NPU captures no graphs")


class graph:
    def __init__(self, *args, **kwargs):
        raise NotImplementedError("the emulated NPU captures no graphs")


def graph_pool_handle():
    raise NotImplementedError("the emulated NPU captures no graphs")


def is_current_stream_capturing():
    return False


def make_graphed_callables(*args, **kwargs):
    raise NotImplementedError("the emulated NPU captures no graphs")
