import ray  # expect: third_party.native

gpus = ray.cluster_resources().get("GPU", 0)  # expect: third_party.ray_resource_name
npus = ray.cluster_resources().get("NPU", 0)  # ok: third_party.ray_resource_name
