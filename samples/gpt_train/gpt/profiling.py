"""Step times, peak memory and profiler traces."""

import contextlib
import resource
import time

import torch
from torch.profiler import ProfilerActivity, profile, schedule, tensorboard_trace_handler


class StepTimer:
    """Seconds between ``start`` and ``stop``, measured on the device where there is one."""

    def __init__(self, device):
        self.on_gpu = device.type == "cuda"
        if self.on_gpu:
            self.begin = torch.cuda.Event(enable_timing=True)
            self.end = torch.cuda.Event(enable_timing=True)

    def start(self):
        if self.on_gpu:
            self.begin.record()
        else:
            self.begin = time.perf_counter()

    def stop(self):
        if not self.on_gpu:
            return time.perf_counter() - self.begin
        self.end.record()
        torch.cuda.synchronize()
        return self.begin.elapsed_time(self.end) / 1000.0  # elapsed_time is in milliseconds


class MemoryReport:
    """Peak memory use in bytes, one method per kind of memory."""

    def __init__(self, device):
        self.device = device
        if device.type == "cuda":
            torch.cuda.reset_peak_memory_stats(device)

    def cuda(self):
        return torch.cuda.max_memory_allocated(self.device) if self.device.type == "cuda" else 0

    def host(self):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


@contextlib.contextmanager
def nvtx_range(name):
    """Names a region in Nsight Systems; does nothing without a GPU."""
    if not torch.cuda.is_available():
        yield
        return
    torch.cuda.nvtx.range_push(name)
    try:
        yield
    finally:
        torch.cuda.nvtx.range_pop()


def build_profiler(enabled, device, out_dir):
    """A profiler whose ``step`` is called once per training step, or None."""
    if not enabled:
        return contextlib.nullcontext()
    activities = [ProfilerActivity.CPU]
    if device.type == "cuda":
        activities.append(ProfilerActivity.CUDA)
    return profile(
        activities=activities,
        schedule=schedule(wait=1, warmup=1, active=2, repeat=1),
        on_trace_ready=tensorboard_trace_handler(out_dir),
        record_shapes=True,
        profile_memory=True,
        with_stack=False,
    )
