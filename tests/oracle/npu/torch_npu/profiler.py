"""torch_npu.profiler: records nothing, but takes what the real one takes and no more, and leaves a directory per trace."""

import enum
import os

import torch

ProfilerAction = torch.profiler.ProfilerAction
_schedule = torch.profiler.schedule


class ProfilerActivity(enum.Enum):
    CPU = 0
    NPU = 1


class ExportType(enum.Enum):
    Text = "text"
    Db = "db"


class ProfilerLevel(enum.Enum):
    Level_none = "Level_none"
    Level0 = "Level0"
    Level1 = "Level1"
    Level2 = "Level2"


class AiCMetrics(enum.Enum):
    AiCoreNone = "ACL_AICORE_NONE"
    PipeUtilization = "ACL_AICORE_PIPE_UTILIZATION"


class _ExperimentalConfig:
    def __init__(self, export_type=None, profiler_level=ProfilerLevel.Level0, mstx=False, mstx_domain_include=(),
                 mstx_domain_exclude=(), aic_metrics=AiCMetrics.AiCoreNone, l2_cache=False, op_attr=False, data_simplification=True,
                 record_op_args=False, gc_detect_threshold=None, host_sys=(), sys_io=False, sys_interconnection=False):
        if not isinstance(profiler_level, ProfilerLevel) or not isinstance(aic_metrics, AiCMetrics):
            raise TypeError("profiler_level is a ProfilerLevel, aic_metrics an AiCMetrics")
        if any(not isinstance(kind, ExportType) for kind in export_type or ()):
            raise TypeError("export_type is a list of ExportType")


def supported_activities():
    return {ProfilerActivity.CPU, ProfilerActivity.NPU}


def schedule(wait, active, warmup=0, repeat=0, skip_first=0, skip_first_wait=0):
    return _schedule(wait=wait, warmup=warmup, active=active, repeat=repeat, skip_first=skip_first)


def tensorboard_trace_handler(dir_name=None, worker_name=None, analyse_flag=True, async_mode=False):
    def handler(profiler):
        name = f"{worker_name or os.getpid()}_{profiler.step_num}_ascend_pt"
        os.makedirs(os.path.join(dir_name or os.getcwd(), name), exist_ok=True)

    return handler


class _KinetoProfile:
    running = None

    def __init__(self, activities=None, record_shapes=False, profile_memory=False, with_stack=False, with_flops=False,
                 with_modules=False, experimental_config=None, custom_trace_id_callback=None):
        for activity in activities or ():
            if not isinstance(activity, ProfilerActivity):
                raise TypeError(f"{activity} is no torch_npu.profiler.ProfilerActivity")
        if not isinstance(experimental_config, (_ExperimentalConfig, type(None))):
            raise TypeError(f"{experimental_config} is no torch_npu.profiler._ExperimentalConfig")

    def start(self):
        if _KinetoProfile.running is not None:
            raise RuntimeError("another profiler runs: there can be one at a time")
        _KinetoProfile.running = self

    def stop(self):
        if _KinetoProfile.running is not self:
            raise RuntimeError("the profiler does not run")
        _KinetoProfile.running = None

    def export_chrome_trace(self, output_path):
        open(output_path, "w").close()

    def add_metadata(self, key, value):
        pass

    def add_metadata_json(self, key, value):
        pass


class profile(_KinetoProfile):
    def __init__(self, activities=None, schedule=None, on_trace_ready=None, record_shapes=False, profile_memory=False,
                 with_stack=False, with_modules=False, with_flops=False, experimental_config=None, custom_trace_id_callback=None):
        super().__init__(activities, experimental_config=experimental_config)
        self.schedule, self.on_trace_ready, self.step_num = schedule, on_trace_ready, 0

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        super().stop()
        if self.schedule is None and self.on_trace_ready is not None:
            self.on_trace_ready(self)

    def step(self):
        if _KinetoProfile.running is not self:
            raise RuntimeError("step() of a profiler that does not run")
        if self.schedule is not None and self.schedule(self.step_num) == ProfilerAction.RECORD_AND_SAVE and self.on_trace_ready:
            self.on_trace_ready(self)
        self.step_num += 1
