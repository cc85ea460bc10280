import ray  # expect: third_party.native
from ray.train import ScalingConfig
from ray.util.placement_group import placement_group


@ray.remote(num_gpus=1)  # expect: third_party.ray_gpus
class Actor:
    pass


@ray.remote(num_cpus=1)  # ok: third_party.ray_gpus
def host():
    return ray.get_gpu_ids()  # expect: third_party.ray_gpu_ids


group = placement_group([{"CPU": 1, "GPU": 1}])  # expect: third_party.ray_bundle
there = placement_group([{"CPU": 1, "NPU": 1}])  # ok: third_party.ray_bundle
scaling = ScalingConfig(num_workers=8, use_gpu=True)  # expect: third_party.ray_train
scaling = ScalingConfig(num_workers=8, use_gpu=False)  # ok: third_party.ray_train
