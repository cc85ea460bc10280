"""GPU utilisation and temperature through NVML."""

try:
    import pynvml
except ImportError:
    pynvml = None


class GpuMonitor:
    """``sample()`` returns a short text, empty where NVML or a GPU is missing."""

    def __init__(self, index):
        self.handle = None
        if pynvml is None:
            return
        try:
            pynvml.nvmlInit()
            self.handle = pynvml.nvmlDeviceGetHandleByIndex(index or 0)
        except pynvml.NVMLError:
            self.handle = None

    def sample(self):
        if self.handle is None:
            return ""
        busy = pynvml.nvmlDeviceGetUtilizationRates(self.handle).gpu
        degrees = pynvml.nvmlDeviceGetTemperature(self.handle, pynvml.NVML_TEMPERATURE_GPU)
        return f"gpu {busy}% {degrees}°C"
