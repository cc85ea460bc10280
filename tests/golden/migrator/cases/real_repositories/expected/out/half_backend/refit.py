from typing import Literal
RefitBackendName = Literal["hccl", "gloo", "nvshmem"]
def get_or_create_service(backend: RefitBackendName):
    if backend == "hccl":
        return 1
    elif backend == "gloo":
        return 2
    raise ValueError(f"Unknown backend '{backend}'")
