"""Switches of kernels, which have no effect here."""


class _Switches:
    def __init__(self, **switches):
        self.__dict__.update(switches)

    def __setattr__(self, name, value):
        if name not in self.__dict__:
            raise AttributeError(f"there is no switch {name!r}")
        self.__dict__[name] = value


class _PlanCache(_Switches):
    def clear(self):
        pass


config = _Switches(allow_internal_format=False)
matmul = _Switches(allow_hf32=False, cube_math_type=0)
conv = _Switches(allow_hf32=True)
fft_plan_cache = _PlanCache(max_size=99, size=0)
