"""Streams and events. Work is done at once, so they only have to behave."""

import time

import torch

from . import utils

__all__ = ["Stream", "ExternalStream", "Event", "StreamContext", "stream", "set_stream", "current_stream", "default_stream"]


def _device(device):
    return torch.device("npu", utils.device(device).idx)


class Stream(torch.Stream):
    def __new__(cls, device=None, priority=0, **identity):
        if identity:
            return super().__new__(cls, **identity)
        return super().__new__(cls, device=_device(device), priority=priority)

    @property
    def npu_stream(self):
        return self.stream_id

    def record_event(self, event=None):
        event = Event() if event is None else event
        event.record(self)
        return event


class ExternalStream(Stream):
    def __new__(cls, stream_ptr, device=None):
        return super().__new__(cls, stream_id=stream_ptr, device_index=_device(device).index, device_type=_TYPE)


class Event(torch.Event):
    def __new__(cls, enable_timing=False, blocking=False, interprocess=False):
        return super().__new__(cls, device="npu", enable_timing=enable_timing, blocking=blocking, interprocess=interprocess)

    def record(self, stream=None):
        super().record(current_stream() if stream is None else stream)
        self.recorded_at = time.perf_counter()

    def elapsed_time(self, end_event):
        """Milliseconds. The method of torch takes no derived classes."""
        return (end_event.recorded_at - self.recorded_at) * 1000.0

    def wait(self, stream=None):
        super().wait(current_stream() if stream is None else stream)


_TYPE = 20  # c10::DeviceType::PrivateUse1


def _wrap(stream):
    return Stream(stream_id=stream.stream_id, device_index=stream.device_index, device_type=stream.device_type)


def current_stream(device=None):
    return _wrap(torch.accelerator.current_stream(_device(device)))


def default_stream(device=None):
    return Stream(stream_id=0, device_index=_device(device).index, device_type=_TYPE)


def set_stream(stream):
    if stream is not None:
        torch.accelerator.set_stream(stream)


class StreamContext:
    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        if self.stream is not None:
            self.before = current_stream()
            set_stream(self.stream)

    def __exit__(self, *_):
        if self.stream is not None:
            set_stream(self.before)


def stream(stream):
    return StreamContext(stream)
